"""Who may do what: every route with every kind of asker."""

import pytest

from edge.document import all_routes
from tests.unit.handlers.front_desk import (
    CALLER_APP,
    NOBODY,
    OPERATOR,
    SUPERVISING_APP,
    SUPERVISOR,
    Claims,
    FrontDesk,
    agent,
)

pytestmark = pytest.mark.filterwarnings("ignore:No application metrics")

ASKERS: dict[str, Claims] = {
    "supervisor": SUPERVISOR,
    "supervising app": SUPERVISING_APP,
    "the agent": agent("ana"),
    "another agent": agent("ben"),
    "caller app": CALLER_APP,
    "operator": OPERATOR,
    "nobody": NOBODY,
    "in agents but nobody": {"sub": "x", "cognito:groups": "[agents]"},
    "named ana but no agent": {"sub": "x", "username": "ana", "cognito:groups": "[staff]"},
    "app of another server": {"sub": "x", "scope": "other/calls calls other/supervise supervise"},
}
SUPERVISING = {"supervisor", "supervising app"}
THE_AGENT = SUPERVISING | {"the agent"}
ANY_AGENT = THE_AGENT | {"another agent"}
CALLING = {"caller app"}
MAY = {
    "GET /agents": SUPERVISING,
    "PUT /agents/{id}": SUPERVISING,
    "GET /agents/{id}": THE_AGENT,
    "DELETE /agents/{id}": SUPERVISING,
    "PUT /agents/{id}/status": THE_AGENT,
    "POST /calls": CALLING,
    "GET /calls/{id}": CALLING,
    "DELETE /calls/{id}": CALLING,
    "POST /calls/{id}/complete": ANY_AGENT,
    "GET /queues": SUPERVISING,
    "GET /queues/{key}": SUPERVISING,
    "PUT /queues/{key}": SUPERVISING,
    "GET /pools": SUPERVISING,
    "GET /pools/{key}": SUPERVISING,
    "PUT /pools/{key}": SUPERVISING,
    "GET /openapi.json": set(ASKERS),
}


def test_every_route_is_in_the_matrix():
    assert {f"{route.verb} {route.path}" for route in all_routes()} == set(MAY)


@pytest.mark.parametrize("who", ASKERS)
@pytest.mark.parametrize("route", MAY)
def test_only_who_may_is_let_in_and_others_hear_that_before_anything_else(
    desk: FrontDesk, route: str, who: str
):
    verb, path = route.replace("{id}", "ana").replace("{key}", "A" * 26).split()
    before = desk.contents()

    answer = desk.ask(verb, path, {"not": "a field"} if verb in ("PUT", "POST") else None, claims=ASKERS[who])

    if who in MAY[route]:
        assert answer.status in (200, 404, 422)
    else:
        assert (answer.status, answer.json["type"]) == (403, "/problems/forbidden")
    assert desk.contents() == before


@pytest.mark.parametrize("route", MAY)
def test_without_a_token_nobody_is_let_in(desk: FrontDesk, route: str):
    verb, path = route.replace("{id}", "ana").replace("{key}", "A" * 26).split()

    answer = desk.ask(verb, path, claims=None)

    assert (answer.status, answer.json["type"]) == (401, "/problems/no-token")
    assert answer.headers["WWW-Authenticate"] == "Bearer"


@pytest.mark.parametrize("body", ["{", "[1]", '{"a":1,"a":1}', "x" * 70_000, b"\xff", None])
@pytest.mark.parametrize("content_type", ["application/json", "text/plain"])
def test_who_may_not_hears_that_and_not_what_is_wrong_with_the_body(
    desk: FrontDesk, body: str | bytes | None, content_type: str
):
    headers = {"content-type": content_type}

    assert desk.ask("PUT", "/agents/ana", body, claims=NOBODY, headers=headers).status == 403
    assert desk.ask("PUT", "/agents/not an id", body, claims=NOBODY, headers=headers).status == 403
    assert desk.ask("PUT", "/nothing", body, claims=NOBODY, headers=headers).status == 404


def test_an_agent_acts_only_as_itself(desk: FrontDesk):
    for name in ("ana", "ben"):
        desk.ask("PUT", f"/agents/{name}", {"name": name, "profile": {}})
    before = desk.contents()

    assert desk.ask("PUT", "/agents/ben/status", {"status": "available"}, claims=agent("ana")).status == 403
    assert desk.ask("GET", "/agents/ben", claims=agent("ana")).status == 403
    assert desk.contents() == before
    assert desk.ask("PUT", "/agents/ana/status", {"status": "available"}, claims=agent("ana")).status == 200
