"""Takes calls in, follows and ends them: the routes under /calls."""

from __future__ import annotations

import os
from typing import Any

from aws_lambda_powertools import Logger, Metrics, Tracer
from aws_lambda_powertools.logging import correlation_paths
from aws_lambda_powertools.metrics import MetricUnit
from aws_lambda_powertools.utilities.typing import LambdaContext

from edge.api import Api
from edge.calls import CallRoutes
from edge.identity import Tokens
from switchboard import bootstrap
from switchboard.settings import Settings
from switchboard.world import Event

logger = Logger()
tracer = Tracer()
metrics = Metrics()
settings = Settings(os.environ)


def tally(event: Event) -> None:
    metrics.add_metric(event, MetricUnit.Count, 1)


world = bootstrap.world(settings, tally)
api = Api(
    CallRoutes(
        world,
        bootstrap.call_queues(settings, correlation_id=logger.get_correlation_id),
        channels=list(settings.call_queues),
        max_queues=settings.number("MAX_QUEUES"),
        max_head_start=settings.number("MAX_HEAD_START_SECONDS"),
    ),
    tokens=Tokens.as_set(settings),
)


@logger.inject_lambda_context(correlation_id_path=correlation_paths.API_GATEWAY_HTTP)
@tracer.capture_lambda_handler(capture_response=False)
@metrics.log_metrics
def handler(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    """A request of the HTTP API (payload 2.0); answers its response."""
    return api.answer(event, context)
