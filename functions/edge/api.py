"""Answers the events of an HTTP API for a set of routes."""

from __future__ import annotations

import json
import time
import warnings
from collections.abc import Iterable, Mapping
from http import HTTPStatus
from typing import Any, cast
from urllib.parse import quote

from aws_lambda_powertools import Logger
from aws_lambda_powertools.event_handler import APIGatewayHttpResolver, Response
from aws_lambda_powertools.event_handler.exceptions import NotFoundError
from aws_lambda_powertools.event_handler.middlewares import NextMiddleware
from aws_lambda_powertools.event_handler.request import Request
from aws_lambda_powertools.utilities.typing import LambdaContext

from edge.bodies import parsed, with_plain_body
from edge.identity import Asker, Tokens
from edge.problems import MEDIA_TYPE, Kind, Refused, problem_of
from edge.routing import Route, routes_of

# Most requests count nothing, and Powertools would say so in the log.
warnings.filterwarnings("ignore", "No application metrics to publish")

logger = Logger()


class Api:
    """The routes of some objects, each answered by its method.

    `known`: other routes there are, by which a wrong method is told from a wrong path. Whoever lacks the right to a
    route hears that, whatever else is wrong with the request.
    """

    def __init__(self, *routes: object, tokens: Tokens, known: Iterable[Route] = ()) -> None:
        self._tokens = tokens
        self._routes: dict[tuple[str, str], Route] = {}
        self._app = APIGatewayHttpResolver(
            enable_validation=True,
            # Without it, an answer of ours that breaks its own model would be told as an error of the client's.
            response_validation_error_http_code=HTTPStatus.INTERNAL_SERVER_ERROR,
            json_body_deserializer=parsed,
        )
        for owner in routes:
            for route, function in routes_of(owner):
                self._routes[route.verb, route.path] = route
                self._app.route(**route.registration(function))(function)
        self._known = [*self._routes.values(), *known]
        self._app.use(middlewares=[self._admit])  # pyright: ignore[reportUnknownMemberType]
        self._app.exception_handler(Exception)(self._refuse)

    def answer(self, event: Mapping[str, Any], context: LambdaContext) -> dict[str, Any]:
        """The response to one request, and a line in the log about it."""
        began = time.perf_counter()
        asker = self._tokens.asker(event)
        try:
            answer = self._resolved(event, context, asker)
        except Exception as error:
            refusal = _refusal(error, event)
            answer = {
                "statusCode": refusal.status_code,
                "headers": refusal.headers,
                "body": refusal.body,
                "isBase64Encoded": False,
            }
        logger.info(
            "answered",
            extra={
                "status": answer["statusCode"],
                "route": event.get("routeKey"),
                "who": asker.roles if asker else [],
                "duration_ms": round((time.perf_counter() - began) * 1000, 1),
            },
        )
        return answer

    def _resolved(
        self, event: Mapping[str, Any], context: LambdaContext, asker: Asker | None
    ) -> dict[str, Any]:
        if asker is None and event["requestContext"]["http"]["method"] != "OPTIONS":
            raise Refused(Kind.NO_TOKEN, "send a bearer token", {"WWW-Authenticate": "Bearer"})
        plain, unreadable = _with_plain_body(event)
        self._app.append_context(asker=asker, unreadable=unreadable)  # pyright: ignore[reportUnknownMemberType]
        answer = self._app.resolve(plain, context)
        # An answer without a body has null for it, which only the real API Gateway takes.
        return {**answer, "body": answer["body"] or ""}

    def _admit(self, app: APIGatewayHttpResolver, next_middleware: NextMiddleware) -> Response[Any]:
        self._check(app.request)
        return cast("Response[Any]", next_middleware(app))

    def _check(self, request: Request) -> None:
        """First the right, then the body, for those who take one."""
        route = self._routes.get((request.method, request.route))
        if route is None:
            return
        if not route.right.given(asker_of(request), request.path_parameters.get("id", "")):
            raise Refused(Kind.FORBIDDEN, f"this is for {route.right.words}")
        if route.has_body and request.context["unreadable"]:
            raise request.context["unreadable"]

    def _refuse(self, error: Exception) -> Response[Any]:
        """Powertools validates before any middleware runs: what goes first has to be looked at again here."""
        request = self._app.request
        try:
            self._check(request)
            verbs = self._verbs_at(request.resolved_event.path)
            # A path that has this verb was not matched for a character that no path has.
            if isinstance(error, NotFoundError) and verbs and request.method not in verbs:
                allow = {"Allow": ", ".join(sorted(verbs))}
                if request.method == "OPTIONS":
                    return Response(status_code=204, headers=allow)
                raise Refused(Kind.WRONG_METHOD, f"this path knows {allow['Allow']}", allow)
        except Refused as earlier:
            error = earlier
        return _refusal(error, request.resolved_event.raw_event)

    def _verbs_at(self, path: str) -> set[str]:
        return {route.verb for route in self._known if route.matches(path)}


def asker_of(request: Request) -> Asker:
    """Who sent the request that is being answered."""
    return request.context["asker"]


def _with_plain_body(event: Mapping[str, Any]) -> tuple[dict[str, Any], Refused | None]:
    """The event with a readable body or none, and why not; whether that matters, the route knows."""
    try:
        return with_plain_body(event), None
    except Refused as refusal:
        return {**event, "body": None}, refusal


def _refusal(error: Exception, event: Mapping[str, Any]) -> Response[str]:
    problem = problem_of(error)
    if problem.kind is Kind.INTERNAL:
        logger.exception("failed")
    else:
        logger.info("refused", extra={"problem": problem.kind.type})
    if problem.kind is Kind.UNAVAILABLE:
        logger.warning("unavailable", extra={"reason": str(error)})
    document = problem.document(
        instance=quote(event.get("rawPath", ""), safe="/%:@!$&'()*+,;="),
        request_id=event.get("requestContext", {}).get("requestId", ""),
    )
    return Response(
        status_code=problem.kind.status,
        content_type=MEDIA_TYPE,
        headers=problem.headers,
        body=json.dumps(document, separators=(",", ":")),
    )
