"""Refusals as problem details, by type."""

import json
from dataclasses import replace

import pytest
from aws_lambda_powertools.event_handler.openapi.exceptions import RequestValidationError

from edge.problems import MAX_FIELD_LENGTH, Kind, Refused, problem_of
from switchboard.domain.agents import Agent
from switchboard.domain.refusals import (
    CatalogFull,
    Conflict,
    Contention,
    IllegalMove,
    Invalid,
    Moved,
    NoAgentOnline,
    NotFound,
    Refusal,
)
from switchboard.ports import Unavailable

ANA = Agent.register("ana", "Ana", "POOL", now=1)


@pytest.mark.parametrize(
    ("error", "status", "type"),
    [
        (Invalid("name", "must be text"), 422, "/problems/invalid"),
        (NotFound("there is no agent ana"), 404, "/problems/not-found"),
        (Conflict("no"), 409, "/problems/conflict"),
        (IllegalMove("no", "away"), 409, "/problems/illegal-move"),
        (Moved(ANA), 409, "/problems/moved"),
        (Moved(None), 409, "/problems/moved"),
        (CatalogFull("no"), 409, "/problems/catalog-full"),
        (NoAgentOnline("no"), 409, "/problems/no-agent-online"),
        (Contention("busy"), 503, "/problems/contention"),
        (Unavailable("An error occurred (AccessDenied)"), 503, "/problems/unavailable"),
        (Refused(Kind.TOO_LARGE, "too large"), 413, "/problems/too-large"),
        (ZeroDivisionError("division by zero"), 500, "/problems/internal"),
        (KeyError("secret"), 500, "/problems/internal"),
        (Refusal("of a kind nobody knows yet"), 500, "/problems/internal"),
    ],
)
def test_each_error_has_its_status_and_type(error: Exception, status: int, type: str):
    document = problem_of(error).document(instance="/agents/ana", request_id="r1")

    assert (document["status"], document["type"]) == (status, type)
    assert (document["instance"], document["request_id"]) == ("/agents/ana", "r1")
    assert document["title"]
    assert document["detail"]


def test_a_refusal_that_knows_the_current_status_tells_it():
    assert problem_of(IllegalMove("no", "attending")).current_status == "attending"
    assert problem_of(Moved(replace(ANA, call=None))).current_status == "offline"
    assert "current_status" not in problem_of(Moved(None)).document(instance="", request_id="")


def test_what_went_wrong_inside_is_not_told():
    for error in (ZeroDivisionError("secret"), Unavailable("secret"), Contention("secret")):
        assert "secret" not in json.dumps(problem_of(error).document(instance="", request_id=""))


@pytest.mark.parametrize("error", [Contention("busy"), Unavailable("down")])
def test_what_passes_may_be_tried_again_soon(error: Exception):
    assert problem_of(error).headers == {"Retry-After": "1"}


def test_a_wrong_field_is_named_by_its_path():
    problem = problem_of(Invalid("requirement.language[2]", "must be text"))

    assert problem.detail == "requirement.language[2]: must be text"
    assert [(one.field, one.reason) for one in problem.errors] == [
        ("requirement.language[2]", "must be text")
    ]


@pytest.mark.parametrize(
    ("location", "field"),
    [
        (("body", "requirement", "language", 2), "requirement.language[2]"),
        (("body", "name"), "name"),
        (("body",), "body"),
        (("path", "id"), "id"),
        (("query", "limit"), "limit"),
        (("header", "idempotency-key"), "Idempotency-Key"),
        (("body", "x" * 1_000), "x" * MAX_FIELD_LENGTH),
    ],
)
def test_where_validation_failed_is_written_as_a_path(location: tuple[str | int, ...], field: str):
    error = RequestValidationError([{"loc": location, "type": "missing", "msg": "Field required"}])

    assert [(one.field, one.reason) for one in problem_of(error).errors] == [(field, "is missing")]


@pytest.mark.parametrize("kind", Kind)
def test_every_kind_has_a_type_of_its_own_that_stays(kind: Kind):
    assert kind.type == f"/problems/{kind.name.lower().replace('_', '-')}"
    assert kind.title
    assert 400 <= kind.status < 600
