"""The API as a page in a browser meets it: preflights, what the page may read, and the document of the API."""

from __future__ import annotations

from typing import Any

import httpx
import pytest
from openapi_spec_validator import OpenAPIV31SpecValidator

from local.stack import BROWSER_ORIGIN, DeployedStack
from tests.e2e.asker import Asker
from tests.e2e.backstage import Backstage
from tests.e2e.floor import Floor

STRANGER = "http://evil.example"


@pytest.fixture(scope="module")
def document(caller: Asker) -> dict[str, Any]:
    return caller.told("GET", "/openapi.json")


@pytest.fixture(scope="module")
def operations(document: dict[str, Any]) -> set[tuple[str, str]]:
    """Verb and path of all there is."""
    return {(verb.upper(), path) for path, verbs in document["paths"].items() for verb in verbs}


@pytest.fixture(scope="module")
def ned(stack: DeployedStack, http: httpx.Client) -> Asker:
    """Signed in, and in no group."""
    return Asker(http, stack.people.bearer("ned"))


def preflight(http: httpx.Client, verb: str, path: str, origin: str) -> httpx.Response:
    asked = {
        "Origin": origin,
        "Access-Control-Request-Method": verb,
        "Access-Control-Request-Headers": "authorization,content-type,idempotency-key",
    }
    return http.options(path, headers=asked)


def in_a_path(path: str) -> str:
    return path.replace("{id}", "nobody").replace("{key}", "A" * 26)


def listed(answer: httpx.Response, header: str) -> set[str]:
    return set(answer.headers[header].replace(" ", "").split(","))


def test_a_page_of_an_allowed_origin_may_send_every_request_there_is(
    http: httpx.Client, operations: set[tuple[str, str]]
) -> None:
    for verb, path in operations:
        allowed = preflight(http, verb, in_a_path(path), BROWSER_ORIGIN)

        assert allowed.status_code in (200, 204)
        assert allowed.headers["Access-Control-Allow-Origin"] == BROWSER_ORIGIN
        assert verb in listed(allowed, "Access-Control-Allow-Methods")
        assert listed(allowed, "Access-Control-Allow-Headers") >= {
            "authorization",
            "content-type",
            "idempotency-key",
        }


def test_a_page_of_another_origin_may_send_nothing(
    http: httpx.Client, operations: set[tuple[str, str]]
) -> None:
    for verb, path in operations:
        refused = preflight(http, verb, in_a_path(path), STRANGER)

        assert "Access-Control-Allow-Origin" not in refused.headers


def test_the_page_may_read_answers_and_where_the_new_call_is(caller: Asker, floor: Floor) -> None:
    here = {"Origin": BROWSER_ORIGIN}

    accepted = caller.send("POST", "/calls", {"requirement": floor.needing()}, headers=here)
    read = caller.send("GET", accepted.headers["Location"], headers=here)
    refused = [
        caller.send("GET", "/calls/nobody", headers=here),
        caller.send("GET", "/agents", headers=here),
        caller.send("POST", "/calls", {}, headers=here),
        caller.send("GET", "/nothing", headers=here),
    ]

    assert [answer.status_code for answer in (accepted, read, *refused)] == [202, 200, 404, 403, 422, 404]
    for answer in (accepted, read, *refused):
        assert answer.headers["Access-Control-Allow-Origin"] == BROWSER_ORIGIN
        assert listed(answer, "Access-Control-Expose-Headers") >= {"location", "retry-after"}


def test_a_page_of_another_origin_may_read_no_answer(caller: Asker) -> None:
    answer = caller.send("GET", "/openapi.json", headers={"Origin": STRANGER})

    assert "Access-Control-Allow-Origin" not in answer.headers


def test_the_document_is_valid_and_is_served_to_whoever_has_a_token(
    document: dict[str, Any], ned: Asker, supervisor: Asker
) -> None:
    assert document["openapi"].startswith("3.1.")
    OpenAPIV31SpecValidator(document).validate()
    assert ned.told("GET", "/openapi.json") == supervisor.told("GET", "/openapi.json") == document


def test_the_document_and_the_gateway_have_the_same_routes(
    stack: DeployedStack, backstage: Backstage, operations: set[tuple[str, str]]
) -> None:
    api_id = stack.url.rpartition("/")[2]
    pages = backstage.gateway.get_paginator("get_routes").paginate(ApiId=api_id)
    routes = {route["RouteKey"]: route for page in pages for route in page["Items"]}

    preflights = {key for key in routes if key.startswith("OPTIONS ")}
    assert set(routes) - preflights - {"$default"} == {f"{verb} {path}" for verb, path in operations}
    assert {key for key, route in routes.items() if route["AuthorizationType"] != "JWT"} == preflights


def test_every_route_of_the_document_is_answered_by_who_owns_it(
    operations: set[tuple[str, str]], ned: Asker
) -> None:
    """Who may do nothing hears just that, of every route that exists."""
    for verb, path in operations - {("GET", "/openapi.json")}:
        refused = ned.send(verb, in_a_path(path))
        assert (refused.status_code, refused.json()["type"]) == (403, "/problems/forbidden"), path

    unknown = ned.send("GET", "/agents/nobody/secrets")
    assert (unknown.status_code, unknown.json()["type"]) == (404, "/problems/not-found")
    wrong_verb = ned.send("PATCH", "/agents/nobody")
    assert (wrong_verb.status_code, wrong_verb.headers["Allow"]) == (405, "DELETE, GET, PUT")


def test_no_route_is_answered_without_a_token(http: httpx.Client, operations: set[tuple[str, str]]) -> None:
    for verb, path in {*operations, ("GET", "/nothing"), ("PATCH", "/agents/nobody")}:
        assert http.request(verb, in_a_path(path)).status_code == 401, path
