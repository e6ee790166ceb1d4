"""Refusals as RFC 9457 problem details, by the type of the error, never by its text."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from enum import Enum
from typing import Any, NamedTuple

from aws_lambda_powertools.event_handler.exceptions import NotFoundError
from aws_lambda_powertools.event_handler.openapi.exceptions import RequestValidationError
from pydantic import BaseModel, ConfigDict, Field

from switchboard.domain.refusals import (
    CatalogFull,
    Conflict,
    Contention,
    IllegalMove,
    Invalid,
    Moved,
    NoAgentOnline,
    NotFound,
)
from switchboard.ports import Unavailable

MEDIA_TYPE = "application/problem+json"
MAX_ERRORS = 20
MAX_FIELD_LENGTH = 200
SOON = {"Retry-After": "1"}


class Kind(Enum):
    """Every problem this API can answer with: status, title, and an example of the detail.

    The name is in `type`, by which clients may tell them apart: it stays.
    """

    MALFORMED = (400, "The request cannot be read", "the body is not JSON: Expecting value (character 12)")
    NO_TOKEN = (401, "No valid token", "send a bearer token")
    FORBIDDEN = (403, "This token does not allow it", "this is for a supervisor")
    NOT_FOUND = (404, "There is no such thing", "there is no agent ana")
    WRONG_METHOD = (405, "This path has no such method", "this path knows GET, PUT")
    CONFLICT = (
        409,
        "The state of things is against it",
        "agent ana is away; only who is offline can be removed",
    )
    ILLEGAL_MOVE = (409, "The life cycle has no such step", "agent ana is attending and cannot become away")
    MOVED = (409, "Somebody else was first", "it is attending by now")
    CATALOG_FULL = (409, "There may be no more of them", "this floor has 200 distinct pools already")
    NO_AGENT_ONLINE = (409, "Nobody could serve the call", "no agent who could serve this call is signed in")
    TOO_LARGE = (413, "The body is too large", "a body may have at most 65536 bytes, this has 70000")
    NOT_JSON = (415, "The body is of another type", "a body has to be sent as application/json")
    INVALID = (422, "The input is wrong", "requirement.language[2]: must have 1 to 64 characters")
    INTERNAL = (500, "Something is wrong on our side", "the logs know more")
    CONTENTION = (503, "Too many at the same moment", "the same request may be sent again")
    UNAVAILABLE = (503, "Not available right now", "the same request may be sent again")

    @property
    def status(self) -> int:
        return self.value[0]

    @property
    def title(self) -> str:
        return self.value[1]

    @property
    def example(self) -> str:
        return self.value[2]

    @property
    def type(self) -> str:
        return f"/problems/{self.name.lower().replace('_', '-')}"


class Refused(Exception):
    """A refusal by the edge itself."""

    def __init__(self, kind: Kind, detail: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(detail)
        self.kind = kind
        self.detail = detail
        self.headers = headers or {}


class FieldError(BaseModel):
    """What is wrong with one field."""

    field: str = Field(description="Path of the field in the body, or name of the parameter")
    reason: str = Field(description="What is wrong with it; values are never repeated")


class ProblemDocument(BaseModel):
    """Why the request was refused (RFC 9457)."""

    model_config = ConfigDict(title="Problem")

    type: str = Field(description="Which kind of problem; stable, and relative to the API's address")
    title: str = Field(description="The kind of problem in words")
    status: int = Field(description="The HTTP status")
    detail: str = Field(description="What was wrong this time")
    instance: str = Field(description="The path that was asked for")
    request_id: str = Field(description="By which the logs find this request")
    errors: list[FieldError] = Field(
        default_factory=list[FieldError],
        description=f"The fields that are wrong, at most {MAX_ERRORS} of them",
    )
    current_status: str | None = Field(
        default=None, description="The status found, where that stood in the way"
    )


class Problem(NamedTuple):
    """A problem of this kind, before it is told to anybody."""

    kind: Kind
    detail: str
    errors: Sequence[FieldError] = ()
    current_status: str | None = None
    headers: Mapping[str, str] = {}

    def document(self, *, instance: str, request_id: str) -> dict[str, Any]:
        """As JSON data; what does not apply is left out."""
        return ProblemDocument(
            type=self.kind.type,
            title=self.kind.title,
            status=self.kind.status,
            detail=self.detail,
            instance=instance,
            request_id=request_id,
            errors=list(self.errors),
            current_status=self.current_status,
        ).model_dump(exclude_defaults=True)


def problem_of(error: Exception) -> Problem:
    """What to answer for an error; one that nobody expected is INTERNAL, and tells nothing."""
    match error:
        case Refused():
            return Problem(error.kind, error.detail, headers=error.headers)
        case Invalid():
            return Problem(
                Kind.INVALID, str(error), [FieldError(field=_cut(error.where), reason=error.reason)]
            )
        case RequestValidationError():
            return _invalid(error.errors())
        case NotFound():
            return Problem(Kind.NOT_FOUND, error.reason)
        case NotFoundError():
            return Problem(Kind.NOT_FOUND, "there is nothing at this path")
        case Conflict():
            return _conflict(error)
        case Contention():
            return Problem(Kind.CONTENTION, "the same request may be sent again", headers=SOON)
        case Unavailable():
            return Problem(Kind.UNAVAILABLE, "the same request may be sent again", headers=SOON)
        case _:
            return Problem(Kind.INTERNAL, "the logs know more")


def _conflict(error: Conflict) -> Problem:
    match error:
        case IllegalMove():
            return Problem(Kind.ILLEGAL_MOVE, error.reason, current_status=error.status)
        case Moved():
            return Problem(
                Kind.MOVED, error.reason, current_status=str(error.found.status) if error.found else None
            )
        case CatalogFull():
            return Problem(Kind.CATALOG_FULL, error.reason)
        case NoAgentOnline():
            return Problem(Kind.NO_AGENT_ONLINE, error.reason)
        case _:
            return Problem(Kind.CONFLICT, error.reason)


def _invalid(found: Sequence[Mapping[str, Any]]) -> Problem:
    errors = [FieldError(field=_path(one["loc"]), reason=_reason(one)) for one in found[:MAX_ERRORS]]
    others = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
    return Problem(Kind.INVALID, f"{errors[0].field}: {errors[0].reason}{others}", errors)


def _path(location: Sequence[str | int]) -> str:
    """`("body", "requirement", "language", 2)` becomes `requirement.language[2]`."""
    if location[0] == "header":
        return str(location[1]).title()
    path = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in location[1:])
    return _cut(path.lstrip(".") or str(location[0]))


def _reason(error: Mapping[str, Any]) -> str:
    match error["type"]:
        case "missing":
            return "is missing"
        case "extra_forbidden":
            return "is not a field of this request"
        case _:
            return re.sub(r"^\w+ should ", "must ", error["msg"])


def _cut(field: str) -> str:
    return field[:MAX_FIELD_LENGTH]
