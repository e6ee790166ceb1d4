"""One route: verb, path, who may take it, and what it says of itself in the API document.

A class of routes marks its methods with them:

    @Route("GET", "/agents/{id}", tag=Tag.AGENTS, summary="Read an agent", right=THE_AGENT)
    def get_agent(self, id: AgentId) -> Response[AgentAnswer]: ...
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from enum import StrEnum
from typing import Any

from aws_lambda_powertools.event_handler import Response, content_types
from aws_lambda_powertools.event_handler.openapi.types import OpenAPIResponse, OpenAPIResponseHeader

from edge.identity import ANYONE, Right
from edge.problems import MEDIA_TYPE, Kind, ProblemDocument

TOKEN = "token"
"""The name of the security scheme."""

NO_CONTENT = 204

_MARK = "_route"
_ALWAYS = (Kind.NO_TOKEN, Kind.INTERNAL)
_PROBLEM_HEADERS = {
    401: {"WWW-Authenticate": "Which kind of token is wanted"},
    503: {"Retry-After": "After how many seconds to send the request again"},
}
_GATEWAYS_OWN: dict[str, Any] = {
    content_types.APPLICATION_JSON: {
        "schema": {
            "type": "object",
            "description": "As API Gateway words it, which verifies the token",
            "properties": {"message": {"type": "string", "examples": ["Unauthorized"]}},
        }
    }
}
_WITH_BODY = (Kind.MALFORMED, Kind.TOO_LARGE, Kind.NOT_JSON, Kind.INVALID)


class Tag(StrEnum):
    """How the API document groups routes; each with its description there."""

    AGENTS = "Agents"
    CALLS = "Calls"
    LINES = "Lines"
    DOCUMENT = "Document"


@dataclass(frozen=True, slots=True)
class Route:
    """`answers`: status and meaning; `headers` of those; `refusals`: besides what follows from the rest."""

    verb: str
    path: str
    _: KW_ONLY
    tag: Tag
    summary: str
    right: Right = ANYONE
    answers: Mapping[int, str] = field(default_factory=lambda: {200: "As it is now"})
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    refusals: Sequence[Kind] = ()
    has_body: bool = False

    def __call__[F: Callable[..., Any]](self, function: F) -> F:
        """Marks a method as what answers this route."""
        setattr(function, _MARK, self)
        return function

    def matches(self, path: str) -> bool:
        return re.fullmatch(re.sub(r"{\w+}", "[^/]+", self.path), path) is not None

    def registration(self, function: Callable[..., Any]) -> dict[str, Any]:
        """What Powertools is told of the route."""
        return {
            "rule": self.path.replace("{", "<").replace("}", ">"),
            "method": self.verb,
            "operation_id": function.__name__,
            "summary": self.summary,
            "description": f"{_paragraphs(function.__doc__)}\n\nFor {self.right.words}.".lstrip(),
            "tags": [self.tag.value],
            "security": [{TOKEN: [role.value]} for role in self.right.roles] or [{TOKEN: []}],
            "responses": {**self._good(), **self._problems()},
        }

    def _good(self) -> dict[int, OpenAPIResponse]:
        return {status: self._answer(status, words) for status, words in self.answers.items()}

    def _answer(self, status: int, words: str) -> OpenAPIResponse:
        """Powertools adds the content, by what the method is said to return, where none is given."""
        answer = OpenAPIResponse(description=words)
        if self.headers:
            answer["headers"] = _headers(self.headers)
        if status == NO_CONTENT:
            answer["content"] = {}
        return answer

    def _problems(self) -> dict[int, OpenAPIResponse]:
        kinds = [*_ALWAYS, *self.refusals, *(_WITH_BODY if self.has_body else ())]
        if self.right is not ANYONE:
            kinds.append(Kind.FORBIDDEN)
        by_status: dict[int, list[Kind]] = {}
        for kind in sorted(dict.fromkeys(kinds), key=lambda kind: kind.status):
            by_status.setdefault(kind.status, []).append(kind)
        return {status: _problem_response(some) for status, some in by_status.items()}


def routes_of(owner: object) -> Iterable[tuple[Route, Callable[..., Any]]]:
    """The routes of an object and the methods that answer them, as they stand in its class."""
    for name, member in vars(type(owner)).items():
        if found := getattr(member, _MARK, None):
            yield found, getattr(owner, name)


def answered[T](body: T, status: int = 200, headers: Mapping[str, str] | None = None) -> Response[T]:
    """An answer with a body."""
    return Response(status, content_types.APPLICATION_JSON, body, headers)


def _headers(headers: Mapping[str, str]) -> dict[str, OpenAPIResponseHeader]:
    return {name: {"description": words, "schema": {"type": "string"}} for name, words in headers.items()}


def _problem_response(kinds: Sequence[Kind]) -> OpenAPIResponse:
    examples = {kind.name.lower(): {"summary": kind.title, "value": _example(kind)} for kind in kinds}
    response = OpenAPIResponse(
        description="; ".join(kind.title for kind in kinds),
        content={MEDIA_TYPE: {"model": ProblemDocument, "examples": examples}},
    )
    if Kind.NO_TOKEN in kinds:
        response["content"] = {**response.get("content", {}), **_GATEWAYS_OWN}
    if headers := _PROBLEM_HEADERS.get(kinds[0].status):
        response["headers"] = _headers(headers)
    return response


def _example(kind: Kind) -> dict[str, Any]:
    return {
        "type": kind.type,
        "title": kind.title,
        "status": kind.status,
        "detail": kind.example,
        "instance": "/the/path/asked/for",
        "request_id": "JKJaXmPLvHcESHA=",
    }


def _paragraphs(docstring: str | None) -> str:
    """A docstring without the indent of its lines; paragraphs stay apart."""
    paragraphs = re.split(r"\n\s*\n", (docstring or "").strip())
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)
