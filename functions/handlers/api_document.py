"""Serves the OpenAPI document, and says of every other path that it does not exist."""

from __future__ import annotations

import os
from typing import Any

from aws_lambda_powertools import Logger, Tracer
from aws_lambda_powertools.logging import correlation_paths
from aws_lambda_powertools.utilities.typing import LambdaContext

from edge.api import Api
from edge.document import DocumentRoutes, all_routes
from edge.identity import Tokens
from switchboard.settings import Settings

logger = Logger()
tracer = Tracer()
settings = Settings(os.environ)
api = Api(DocumentRoutes(), tokens=Tokens.as_set(settings), known=all_routes())


@logger.inject_lambda_context(correlation_id_path=correlation_paths.API_GATEWAY_HTTP)
@tracer.capture_lambda_handler(capture_response=False)
def handler(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    """A request of the HTTP API (payload 2.0); answers its response."""
    return api.answer(event, context)
