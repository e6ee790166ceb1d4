"""Whose word counts: tokens that are none, that are of somebody else, and that do not allow it."""

from __future__ import annotations

import base64
import json
import secrets
import time
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from local.sign_in import People
from local.stack import DeployedStack
from tests.e2e.asker import Asker, eventually
from tests.e2e.backstage import Backstage
from tests.e2e.floor import Floor


@pytest.fixture
def as_agent(stack: DeployedStack, http: httpx.Client) -> Callable[[str], Asker]:
    """Signs an agent in."""
    return lambda agent_id: Asker(http, stack.people.bearer(agent_id, "agents"))


def status_with(http: httpx.Client, token: str) -> int:
    """What the gateway says to a route that anyone with a token may take."""
    return http.get("/openapi.json", headers={"Authorization": f"Bearer {token}"}).status_code


def claims(token: str) -> dict[str, Any]:
    return json.loads(decoded(token.split(".")[1]))


def decoded(part: str) -> bytes:
    return base64.urlsafe_b64decode(part + "=" * (-len(part) % 4))


def encoded(part: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(part).encode()).decode().rstrip("=")


@pytest.mark.parametrize(
    "header",
    [
        {},
        {"Authorization": ""},
        {"Authorization": "Bearer"},
        {"Authorization": "Bearer garbage"},
        {"Authorization": "Bearer a.b.c"},
        {"Authorization": "Basic c3dpdGNoOmJvYXJk"},
    ],
)
def test_no_token_is_401(http: httpx.Client, header: dict[str, str]) -> None:
    assert http.get("/openapi.json", headers=header).status_code == 401


def test_a_token_that_was_tampered_with_is_401(http: httpx.Client, stack: DeployedStack) -> None:
    token = stack.people.token("eve", "agents")
    assert status_with(http, token) == 200
    head, body, signature = token.split(".")
    promoted = encoded({**claims(token), "cognito:groups": ["supervisors"]})
    unsigned = encoded({"alg": "none", "typ": "JWT"})
    other_signature = signature[:-8] + secrets.token_hex(4)

    for forged in (
        f"{head}.{promoted}.{signature}",
        f"{head}.{body}.{other_signature}",
        f"{head}.{body}.",
        f"{unsigned}.{promoted}.",
        f"{unsigned}.{promoted}.{signature}",
    ):
        assert status_with(http, forged) == 401


def test_a_token_of_another_client_or_another_issuer_is_401(
    http: httpx.Client, stack: DeployedStack, backstage: Backstage
) -> None:
    users = backstage.users
    flows = {"ExplicitAuthFlows": ["ALLOW_USER_PASSWORD_AUTH", "ALLOW_REFRESH_TOKEN_AUTH"]}
    pool = stack.people.user_pool_id
    stranger = users.create_user_pool_client(UserPoolId=pool, ClientName="stranger", **flows)
    elsewhere = users.create_user_pool(PoolName="elsewhere")["UserPool"]["Id"]
    users.create_group(UserPoolId=elsewhere, GroupName="supervisors")
    client = users.create_user_pool_client(UserPoolId=elsewhere, ClientName="web", **flows)

    client_id = stranger["UserPoolClient"]["ClientId"]
    assert status_with(http, People(stack.aws, pool, client_id).token("eve", "agents")) == 401
    client_id = client["UserPoolClient"]["ClientId"]
    assert status_with(http, People(stack.aws, elsewhere, client_id).token("sue", "supervisors")) == 401


def test_a_token_that_has_expired_is_401(
    http: httpx.Client, stack: DeployedStack, backstage: Backstage
) -> None:
    mine = {"UserPoolId": stack.people.user_pool_id, "ClientId": stack.neighbour.client_id}
    deployed = backstage.users.describe_user_pool_client(**mine)["UserPoolClient"]
    kept = {
        name: deployed[name]
        for name in ("AccessTokenValidity", "TokenValidityUnits", "AllowedOAuthFlows", "AllowedOAuthScopes")
    }
    brief = {"AccessTokenValidity": 2, "TokenValidityUnits": {"AccessToken": "seconds"}}
    try:
        backstage.users.update_user_pool_client(**mine, **{**kept, **brief})
        token = stack.neighbour.token_for("calls")
    finally:
        backstage.users.update_user_pool_client(**mine, **kept)

    assert claims(token)["exp"] - claims(token)["iat"] == 2
    eventually(lambda: status_with(http, token), lambda status: status == 401)
    assert time.time() >= claims(token)["exp"]


def test_a_scope_allows_what_it_is_for_and_nothing_else(
    http: httpx.Client, stack: DeployedStack, supervisor: Asker, caller: Asker, floor: Floor
) -> None:
    request = {"requirement": floor.needing()}
    ana = floor.register("ana")

    for refused in (
        caller.send("GET", "/agents"),
        caller.send("PUT", f"/agents/{ana}", {"name": "Ana", "profile": {}}),
        caller.send("PUT", f"/agents/{ana}/status", {"status": "available"}),
        caller.send("GET", "/queues"),
        caller.send("POST", "/calls/nobody/complete"),
        supervisor.send("POST", "/calls", request),
        supervisor.send("GET", "/calls/nobody"),
        supervisor.send("DELETE", "/calls/nobody"),
    ):
        assert (refused.status_code, refused.json()["type"]) == (403, "/problems/forbidden")

    operating = {"Authorization": f"Bearer {stack.supervisor.token_for('operate')}"}
    assert Asker(http, operating).send("GET", "/agents").status_code == 403
    assert floor.agent(ana)["status"] == "offline"


def test_a_head_start_needs_a_scope_of_its_own(
    http: httpx.Client, stack: DeployedStack, floor: Floor, backstage: Backstage
) -> None:
    plain = Asker(http, {"Authorization": f"Bearer {stack.caller.token_for('calls')}"})
    request = {"requirement": floor.needing(), "head_start_seconds": 30}

    refused = plain.send("POST", "/calls", request)

    assert (refused.status_code, refused.json()["type"]) == (403, "/problems/forbidden")
    assert backstage.table(floor.team) == []
    plain.told("POST", "/calls", {**request, "head_start_seconds": 0}, status=202)


def test_a_group_allows_what_it_is_for_and_no_group_allows_nothing(
    http: httpx.Client, stack: DeployedStack, floor: Floor
) -> None:
    ana = floor.register("ana")
    as_supervisor = Asker(http, stack.people.bearer("sue", "supervisors"))
    as_operator = Asker(http, stack.people.bearer("oda", "operators"))
    in_no_group = Asker(http, stack.people.bearer(ana))

    assert as_supervisor.told("GET", f"/agents/{ana}")["id"] == ana
    assert as_supervisor.send("POST", "/calls", {"requirement": {}}).status_code == 403
    assert as_operator.send("GET", f"/agents/{ana}").status_code == 403
    for refused in (
        in_no_group.send("GET", f"/agents/{ana}"),
        in_no_group.send("PUT", f"/agents/{ana}/status", {"status": "available"}),
        in_no_group.send("POST", "/calls", {"requirement": {}}),
    ):
        assert refused.status_code == 403


def test_an_agent_acts_only_as_itself(floor: Floor, as_agent: Callable[[str], Asker]) -> None:
    ana, ben = floor.register("ana"), floor.available("ben")
    call = floor.call()
    floor.connected(call)
    as_ana, as_ben = as_agent(ana), as_agent(ben)

    for refused in (
        as_ana.send("GET", f"/agents/{ben}"),
        as_ana.send("PUT", f"/agents/{ben}/status", {"status": "away"}),
        as_ana.send("PUT", f"/agents/{ana}", {"name": "Ana", "profile": {}}),
        as_ana.send("DELETE", f"/agents/{ana}"),
        as_ana.send("GET", "/agents"),
        as_ana.send("GET", f"/calls/{call}"),
    ):
        assert (refused.status_code, refused.json()["type"]) == (403, "/problems/forbidden")
    not_hers = as_ana.send("POST", f"/calls/{call}/complete")
    assert (not_hers.status_code, not_hers.json()["type"]) == (404, "/problems/not-found")

    assert (floor.read(call)["status"], floor.agent(ben)["status"]) == ("connected", "attending")
    assert as_ben.told("POST", f"/calls/{call}/complete")["status"] == "completed"


def test_a_call_does_not_exist_for_another_caller_app(floor: Floor, neighbour: Asker) -> None:
    call = floor.call()
    floor.waiting(call)

    for verb in ("GET", "DELETE"):
        refused = neighbour.send(verb, f"/calls/{call}")
        assert (refused.status_code, refused.json()["type"]) == (404, "/problems/not-found")
        assert refused.json()["detail"] == neighbour.send(verb, "/calls/none").json()["detail"].replace(
            "none", call
        )

    assert floor.read(call)["status"] == "waiting"
