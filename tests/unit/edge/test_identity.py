"""Who asks, and what they may do."""

from typing import Any

import pytest

from edge.identity import ANY_AGENT, ANYONE, CALLER_APP, SUPERVISOR, THE_AGENT, Asker, Role, Tokens

TOKENS = Tokens(scope_prefix="switchboard/", groups_claim="cognito:groups", agent_id_claim="username")


def event(claims: object) -> dict[str, Any]:
    return {"requestContext": {"authorizer": {"jwt": {"claims": claims, "scopes": None}}}}


def asker(**claims: object) -> Asker:
    found = TOKENS.asker(event({"sub": "s", **claims}))
    assert found is not None
    return found


@pytest.mark.parametrize(
    "unclaimed",
    [
        {},
        {"requestContext": {}},
        {"requestContext": {"authorizer": None}},
        {"requestContext": {"authorizer": {"lambda": {"sub": "x"}}}},
        {"requestContext": {"authorizer": {"jwt": None}}},
        event(None),
        event({}),
    ],
)
def test_without_claims_there_is_nobody(unclaimed: dict[str, Any]):
    assert TOKENS.asker(unclaimed) is None


def test_the_client_is_the_subject():
    assert asker().client == "s"
    assert asker(sub=None).client == ""


def test_only_scopes_of_this_server_count_and_lose_their_prefix():
    found = asker(scope="openid switchboard/calls other/supervise supervise switchboard/head_start")

    assert found.scopes == {"calls", "head_start"}


def test_without_a_prefix_scopes_are_as_they_are():
    bare = Tokens(scope_prefix="", groups_claim="groups", agent_id_claim="sub")

    found = bare.asker(event({"sub": "s", "scope": "calls"}))

    assert found is not None
    assert found.is_caller_app


@pytest.mark.parametrize(
    ("claim", "groups"),
    [
        ("[staff agents]", {"staff", "agents"}),
        ("[agents]", {"agents"}),
        ("[]", set[str]()),
        (["staff", "agents"], {"staff", "agents"}),
        ("staff,agents", {"staff", "agents"}),
        ("staff, agents", {"staff", "agents"}),
        ("agents", {"agents"}),
        ("", set[str]()),
        (None, set[str]()),
        ("[a,supervisors]", {"a,supervisors"}),
        (["a supervisors"], {"a supervisors"}),
    ],
)
def test_groups_come_in_the_writing_of_each_gateway(claim: object, groups: set[str]):
    assert asker(**{"cognito:groups": claim}).groups == groups


def test_an_agent_needs_both_the_group_and_an_id():
    agents = {"cognito:groups": "[agents]"}

    assert asker(**agents, username="ana").agent_id == "ana"
    assert asker(**agents).agent_id is None
    assert asker(**agents, username="").agent_id is None
    assert asker(username="ana").agent_id is None


ASKERS = {
    "supervisor": Asker("s", groups=frozenset({"supervisors"})),
    "supervising app": Asker("s", scopes=frozenset({"supervise"})),
    "ana": Asker("s", groups=frozenset({"agents"}), agent_claim="ana"),
    "ben": Asker("s", groups=frozenset({"agents"}), agent_claim="ben"),
    "caller app": Asker("s", scopes=frozenset({"calls"})),
    "caller app without a subject": Asker("", scopes=frozenset({"calls"})),
    "person in a group called calls": Asker("s", groups=frozenset({"calls", "supervise"})),
    "operator": Asker("s", groups=frozenset({"operators"})),
    "nobody": Asker("s"),
}


@pytest.mark.parametrize(
    ("right", "who_may"),
    [
        (SUPERVISOR, {"supervisor", "supervising app"}),
        (THE_AGENT, {"supervisor", "supervising app", "ana"}),
        (ANY_AGENT, {"supervisor", "supervising app", "ana", "ben"}),
        (CALLER_APP, {"caller app"}),
        (ANYONE, set(ASKERS)),
    ],
)
def test_each_right_is_given_to_whom_it_is_for(right: Any, who_may: set[str]):
    assert {who for who, asker in ASKERS.items() if right.given(asker, "ana")} == who_may


def test_roles_say_what_an_asker_is_and_nothing_personal():
    both = Asker("s", groups=frozenset({"agents", "supervisors"}), agent_claim="ana")

    assert both.roles == [Role.SUPERVISOR, Role.AGENT]
    assert ASKERS["operator"].roles == [Role.OPERATOR]
    assert ASKERS["caller app"].roles == [Role.CALLER_APP]
    assert ASKERS["nobody"].roles == []
    assert "ana" not in repr(both)
