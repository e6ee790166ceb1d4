"""The API document over HTTP, and the paths that are none."""

import pytest

from tests.unit.handlers.front_desk import NOBODY, FakeContext, FrontDesk, event, load


def test_anyone_with_a_token_reads_the_document(desk: FrontDesk):
    answer = desk.ask("GET", "/openapi.json", claims=NOBODY)

    assert (answer.status, answer.headers["Content-Type"]) == (200, "application/json")
    assert answer.json["openapi"].startswith("3.1")


def test_without_a_token_there_is_no_document(desk: FrontDesk):
    answer = desk.ask("GET", "/openapi.json", claims=None)

    assert (answer.status, answer.headers["WWW-Authenticate"]) == (401, "Bearer")


@pytest.mark.parametrize(
    "path",
    ["/", "/nothing", "/agents/", "/agents/a/b/c", "/calls/x/accept", "/openapi.json/", "/%00"],
)
def test_a_path_that_does_not_exist_is_404(desk: FrontDesk, path: str):
    answer = desk.ask("GET", path)

    assert (answer.status, answer.headers["Content-Type"]) == (404, "application/problem+json")
    assert answer.json == {
        "type": "/problems/not-found",
        "title": "There is no such thing",
        "status": 404,
        "detail": "there is nothing at this path",
        "instance": path,
        "request_id": "JKJaXmPLvHcESHA=",
    }


@pytest.mark.parametrize(
    ("verb", "path", "allowed"),
    [
        ("POST", "/agents/ana", "DELETE, GET, PUT"),
        ("PATCH", "/agents", "GET"),
        ("GET", "/calls", "POST"),
        ("HEAD", "/queues", "GET"),
        ("DELETE", "/pools/x", "GET, PUT"),
        ("GET", "/calls/x/complete", "POST"),
        ("PUT", "/openapi.json", "GET"),
    ],
)
def test_a_method_that_a_path_does_not_know_is_405(desk: FrontDesk, verb: str, path: str, allowed: str):
    answer = desk.ask(verb, path)

    assert (answer.status, answer.headers["Allow"]) == (405, allowed)
    assert answer.json["type"] == "/problems/wrong-method"


def test_a_preflight_needs_no_token(monkeypatch: pytest.MonkeyPatch):
    handler = load("api_document", monkeypatch).handler

    known = handler(event("OPTIONS", "/agents/ana", route_key="OPTIONS /{proxy+}"), FakeContext())
    unknown = handler(event("OPTIONS", "/nothing", route_key="OPTIONS /{proxy+}"), FakeContext())

    assert (known["statusCode"], known["headers"]["Allow"]) == (204, "DELETE, GET, PUT")
    assert unknown["statusCode"] == 404
