"""What the API says of itself: the OpenAPI document of all routes, and that document's own route."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Any

from aws_lambda_powertools.event_handler import APIGatewayHttpResolver, Response
from aws_lambda_powertools.event_handler.openapi.models import HTTPBearer, Server
from aws_lambda_powertools.event_handler.openapi.models import Tag as OpenApiTag

from edge.agents import AgentRoutes
from edge.calls import CallRoutes
from edge.lines import LineRoutes
from edge.routing import TOKEN, Route, Tag, answered, routes_of

VERSION = "0.1.0"
DESCRIPTION = """\
Switchboard matches people who call with agents who can serve them: a caller says what the call needs, keeps a fair \
place in line, and gets the agent who can serve it and has been idle longest.

Every request carries a bearer token. Machines are authorised by scope, people by group; an agent acts only as itself. \
Bodies are JSON objects of at most 64 KiB; a field that is not known is refused, and so is an id that could never be \
one (422). Times are UTC, to the microsecond. Refusals are problem details (RFC 9457); whatever was refused changed \
nothing. Every request can be sent twice with the effect of once; after 503, send it again. API Gateway itself \
refuses tokens that are not valid (401) and too many requests (429), in its own words."""
TAGS = {
    Tag.AGENTS: "Who serves calls: registered by supervisors, available when they say so",
    Tag.CALLS: "Who calls: requested and followed by caller apps, completed by agents",
    Tag.LINES: "Queues of calls with one requirement, pools of agents with one profile",
    Tag.DOCUMENT: "What the API says of itself",
}


class DocumentRoutes:
    """The document's own route."""

    @Route(
        "GET", "/openapi.json", tag=Tag.DOCUMENT, summary="Read this document", answers={200: "OpenAPI 3.1"}
    )
    def get_document(self) -> Response[dict[str, Any]]:
        """All paths, schemas and problems of this API."""
        return answered(openapi())


def all_routes() -> Iterable[Route]:
    """Every route of every function."""
    return [route for owner in _owners() for route, _ in routes_of(owner)]


@cache
def openapi() -> dict[str, Any]:
    """The OpenAPI document as JSON data."""
    app = APIGatewayHttpResolver()
    for owner in _owners():
        for route, function in routes_of(owner):
            app.route(**route.registration(function))(function)
    document = app.get_openapi_schema(
        title="Switchboard",
        version=VERSION,
        description=DESCRIPTION,
        tags=[OpenApiTag(name=tag.value, description=words) for tag, words in TAGS.items()],
        servers=[Server(url="/")],
        security_schemes={TOKEN: HTTPBearer(bearerFormat="JWT", description="An access token of the issuer")},
        security=[{TOKEN: []}],
    ).model_dump(mode="json", by_alias=True, exclude_none=True)
    for powertools_own in ("HTTPValidationError", "ValidationError", "ResponseValidationError"):
        document["components"]["schemas"].pop(powertools_own, None)
    return document


def _owners() -> list[object]:
    """The routes, bound to nothing: only their signatures are read."""
    return [object.__new__(owner) for owner in (AgentRoutes, CallRoutes, LineRoutes, DocumentRoutes)]
