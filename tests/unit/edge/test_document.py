"""The API document: valid, complete, and true."""

import re
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from openapi_spec_validator import OpenAPIV31SpecValidator

from edge.document import TAGS, all_routes, openapi
from edge.problems import Kind
from tests.unit.handlers.front_desk import CALLER_APP, FrontDesk, agent

pytestmark = pytest.mark.filterwarnings("ignore:No application metrics")

Validator: Any = Draft202012Validator
DOCUMENT = openapi()


def operations() -> Iterator[tuple[str, dict[str, Any]]]:
    for path, item in DOCUMENT["paths"].items():
        for verb, operation in item.items():
            yield f"{verb.upper()} {path}", operation


OPERATIONS = dict(operations())


def test_it_is_valid_openapi_3_1():
    assert DOCUMENT["openapi"].startswith("3.1.")
    OpenAPIV31SpecValidator(DOCUMENT).validate()


def test_it_has_every_route_and_no_other():
    assert set(OPERATIONS) == {f"{route.verb} {route.path}" for route in all_routes()}


def test_every_operation_says_what_it_does_for_whom_and_under_which_tag():
    for operation in OPERATIONS.values():
        assert operation["summary"]
        assert re.search(r"\S+\n\nFor .+\.$", operation["description"])
        assert operation["tags"][0] in {tag.value for tag in TAGS}
        assert operation["security"][0].keys() == {"token"}
    ids = [operation["operationId"] for operation in OPERATIONS.values()]
    assert len(set(ids)) == len(ids)


def test_every_request_needs_a_bearer_token():
    scheme = DOCUMENT["components"]["securitySchemes"]["token"]

    assert (scheme["type"], scheme["scheme"], scheme["bearerFormat"]) == ("http", "bearer", "JWT")
    assert DOCUMENT["security"] == [{"token": []}]


def test_every_refusal_is_a_problem_document_with_examples():
    statuses = {str(kind.status) for kind in Kind}
    for operation in OPERATIONS.values():
        for status, response in operation["responses"].items():
            assert response["description"]
            if status in statuses:
                content = response["content"]["application/problem+json"]
                assert set(response["content"]) - {"application/problem+json"} <= (
                    {"application/json"} if status == "401" else set()
                )
                assert content["schema"] == {"$ref": "#/components/schemas/ProblemDocument"}
                assert {example["value"]["status"] for example in content["examples"].values()} == {
                    int(status)
                }


REFUSALS = {
    "GET /agents": "401 403 422 500 503",
    "PUT /agents/{id}": "400 401 403 409 413 415 422 500 503",
    "GET /agents/{id}": "401 403 404 422 500 503",
    "DELETE /agents/{id}": "401 403 404 409 422 500 503",
    "PUT /agents/{id}/status": "400 401 403 404 409 413 415 422 500 503",
    "POST /calls": "400 401 403 409 413 415 422 500 503",
    "GET /calls/{id}": "401 403 404 422 500 503",
    "DELETE /calls/{id}": "401 403 404 409 422 500 503",
    "POST /calls/{id}/complete": "401 403 404 409 422 500 503",
    "GET /queues": "401 403 500 503",
    "GET /queues/{key}": "401 403 404 422 500 503",
    "PUT /queues/{key}": "400 401 403 404 413 415 422 500 503",
    "GET /pools": "401 403 500 503",
    "GET /pools/{key}": "401 403 404 422 500 503",
    "PUT /pools/{key}": "400 401 403 404 413 415 422 500 503",
    "GET /openapi.json": "401 500",
}


@pytest.mark.parametrize("name", OPERATIONS)
def test_each_route_names_the_refusals_it_can_answer_with(name: str):
    statuses = OPERATIONS[name]["responses"]

    assert " ".join(sorted(status for status in statuses if status >= "4")) == REFUSALS[name]


def test_a_route_says_that_it_has_a_body_if_it_has_one():
    for route in all_routes():
        assert route.has_body is ("requestBody" in OPERATIONS[f"{route.verb} {route.path}"])


def test_every_schema_is_described_and_used():
    schemas = DOCUMENT["components"]["schemas"]
    text = str(DOCUMENT)

    for name, schema in schemas.items():
        assert schema.get("description"), name
        assert f"'#/components/schemas/{name}'" in text


def test_every_example_of_a_field_fits_its_schema():
    for schema in DOCUMENT["components"]["schemas"].values():
        for field in schema.get("properties", {}).values():
            for example in field.get("examples", []):
                resolved = {**field, "components": DOCUMENT["components"]}
                Validator(resolved).validate(example)


def test_requests_and_answers_fit_their_schemas(desk: FrontDesk):
    """What the floor answers is what the document says it does."""
    registration = {"name": "Ana", "profile": {"language": ["es"], "billing": 3}}
    fits("Registration", registration)
    call = {
        "requirement": {"language": "es", "x": {"all": ["a", "b"]}, "billing": {"min": 2}},
        "channel": None,
    }
    fits("CallBody", call)
    fits("CallBody", {**call, "channel": "voice", "head_start_seconds": 5, "if_no_agent": "refuse"})
    fits("AgentAnswer", desk.ask("PUT", "/agents/ana", registration).json)
    fits("AgentAnswer", desk.ask("PUT", "/agents/ana/status", {"status": "available"}).json)
    accepted = desk.ask("POST", "/calls", {"requirement": {"language": ["es"]}}, claims=CALLER_APP).json
    fits("AcceptedCall", accepted)
    desk.match_sent()
    fits("CallAnswer", desk.ask("GET", f"/calls/{accepted['id']}", claims=CALLER_APP).json)
    fits("CallAnswer", desk.ask("POST", f"/calls/{accepted['id']}/complete", claims=agent("ana")).json)
    fits("AgentPage", desk.ask("GET", "/agents").json)
    fits("Queues", desk.ask("GET", "/queues").json)
    fits("Pools", desk.ask("GET", "/pools").json)
    fits("ProblemDocument", desk.ask("GET", "/agents/nobody").json)
    fits("ProblemDocument", desk.ask("PUT", "/agents/ana", {}).json)


def test_what_the_api_refuses_does_not_fit_either():
    for schema, value in {
        "Registration": {"name": "Ana", "profile": {"billing": 11}},
        "CallBody": {"requirement": {"language": {"none": ["x"]}}},
        "StatusChange": {"status": "attending"},
        "QueueSettings": {"order": "random"},
        "PoolSettings": {"order": "latest_idle"},
    }.items():
        assert not Validator(schema_of(schema)).is_valid(value), schema


def test_making_it_needs_neither_aws_nor_settings():
    code = "import sys, edge.document; edge.document.openapi(); assert 'boto3' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True, cwd="functions", env={})


def schema_of(name: str) -> dict[str, Any]:
    return {"$ref": f"#/components/schemas/{name}", "components": DOCUMENT["components"]}


def fits(name: str, value: object) -> None:
    Validator(schema_of(name)).validate(value)
