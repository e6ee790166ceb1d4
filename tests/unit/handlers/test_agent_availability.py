"""Agents over HTTP."""

import pytest

from switchboard import staffing
from switchboard.domain.skills import Profile
from tests.support.worlds import world_on
from tests.unit.handlers.front_desk import FrontDesk, agent

pytestmark = pytest.mark.filterwarnings("ignore:No application metrics")

ANA = {"name": "Ana Torres", "profile": {"language": ["es", "en"], "billing": 3}}


def test_a_registered_agent_is_offline_and_told_whole(desk: FrontDesk):
    answer = desk.ask("PUT", "/agents/ana", ANA)

    assert answer.status == 201
    assert answer.headers["Content-Type"] == "application/json"
    told = answer.json
    assert told.pop("status_since") == told.pop("registered_at")
    assert told == {
        "id": "ana",
        "name": "Ana Torres",
        "status": "offline",
        "idle_since": None,
        "profile": {"billing": 3, "channel": ["chat", "voice"], "language": ["en", "es"]},
        "pool": told["pool"],
        "call": None,
        "last_call": None,
    }
    assert len(told["pool"]) == 26


def test_registering_twice_is_registering_once(desk: FrontDesk):
    first = desk.ask("PUT", "/agents/ana", ANA)
    before = desk.contents()

    again = desk.ask("PUT", "/agents/ana", ANA)

    assert (again.status, again.json) == (200, first.json)
    assert desk.contents() == before


def test_an_agent_whose_profile_names_channels_takes_only_those(desk: FrontDesk):
    answer = desk.ask("PUT", "/agents/ana", {"name": "Ana", "profile": {"channel": ["chat"]}})

    assert answer.json["profile"] == {"channel": ["chat"]}


def test_an_empty_profile_takes_calls_of_every_channel(desk: FrontDesk):
    answer = desk.ask("PUT", "/agents/ana", {"name": "Ana", "profile": {}})

    assert answer.json["profile"] == {"channel": ["chat", "voice"]}


def test_another_profile_moves_an_available_agent_who_keeps_idle_since(desk: FrontDesk):
    desk.ask("PUT", "/agents/ana", ANA)
    available = desk.ask("PUT", "/agents/ana/status", {"status": "available"}).json

    moved = desk.ask("PUT", "/agents/ana", {"name": "Ana", "profile": {"language": ["fr"]}})

    assert moved.status == 200
    assert moved.json["pool"] != available["pool"]
    assert moved.json["idle_since"] == available["idle_since"]
    assert moved.json["status"] == "available"


def test_an_available_agent_is_told_since_when_it_is_idle(desk: FrontDesk):
    desk.ask("PUT", "/agents/ana", ANA)

    available = desk.ask("PUT", "/agents/ana/status", {"status": "available"}, claims=agent("ana"))

    assert available.status == 200
    assert available.json["status"] == "available"
    assert available.json["idle_since"] == available.json["status_since"]
    assert desk.ask("GET", "/agents/ana", claims=agent("ana")).json == available.json


def test_asking_for_the_status_one_has_changes_nothing(desk: FrontDesk):
    desk.ask("PUT", "/agents/ana", ANA)
    first = desk.ask("PUT", "/agents/ana/status", {"status": "available"})
    before = desk.contents()

    again = desk.ask("PUT", "/agents/ana/status", {"status": "available"})

    assert (again.status, again.json) == (200, first.json)
    assert desk.contents() == before


@pytest.mark.parametrize("status", ["away", "offline"])
def test_an_agent_leaves_the_line(desk: FrontDesk, status: str):
    desk.ask("PUT", "/agents/ana", ANA)
    desk.ask("PUT", "/agents/ana/status", {"status": "available"})

    answer = desk.ask("PUT", "/agents/ana/status", {"status": status})

    assert (answer.status, answer.json["status"], answer.json["idle_since"]) == (200, status, None)


def test_times_are_utc_to_the_microsecond(desk: FrontDesk):
    told = desk.ask("PUT", "/agents/ana", ANA).json

    assert told["status_since"].startswith("2023-11-14T22:13:20.0000")
    assert told["status_since"].endswith("Z")
    assert len(told["status_since"]) == len("2023-11-14T22:13:20.000000Z")


def test_a_removed_agent_is_gone_and_a_second_time_there_is_none(desk: FrontDesk):
    desk.ask("PUT", "/agents/ana", ANA)

    removed = desk.ask("DELETE", "/agents/ana")

    assert (removed.status, removed.text) == (204, "")
    assert desk.ask("DELETE", "/agents/ana").status == 404
    assert desk.ask("GET", "/agents/ana").status == 404
    assert desk.ask("GET", "/agents").json == {"agents": [], "next": None}


def test_agents_are_listed_in_pages(desk: FrontDesk):
    for name in ("cleo", "ana", "ben"):
        desk.ask("PUT", f"/agents/{name}", ANA)

    first = desk.ask("GET", "/agents", query={"limit": "2"}).json
    last = desk.ask("GET", "/agents", query={"limit": "2", "after": first["next"]}).json

    assert [one["id"] for one in first["agents"]] == ["ana", "ben"]
    assert [one["id"] for one in last["agents"]] == ["cleo"]
    assert last["next"] is None
    assert first["agents"][0] == desk.ask("GET", "/agents/ana").json


def test_an_agent_who_attends_names_the_call_and_in_wrap_up_the_last_one(desk: FrontDesk):
    desk.ask("PUT", "/agents/ana", ANA)
    desk.ask("PUT", "/agents/ana/status", {"status": "available"})
    call = desk.ask(
        "POST", "/calls", {"requirement": {}}, claims={"sub": "app", "scope": "switchboard/calls"}
    ).json
    desk.match_sent()

    attending = desk.ask("GET", "/agents/ana").json
    desk.ask("POST", f"/calls/{call['id']}/complete", claims=agent("ana"))
    wrap_up = desk.ask("GET", "/agents/ana").json

    assert (attending["status"], attending["call"], attending["last_call"]) == ("attending", call["id"], None)
    assert (wrap_up["status"], wrap_up["call"], wrap_up["last_call"]) == ("wrap_up", None, call["id"])


def test_a_pool_that_another_function_just_made_is_known_here(desk: FrontDesk):
    desk.world.catalog.fresh()
    elsewhere = world_on(desk.floor, clock=desk.clock, seed=1)
    staffing.register(elsewhere, "ben", "Ben", Profile.parse({"language": ["eo"]}), max_pools=5)

    assert desk.ask("GET", "/agents/ben").json["profile"] == {"language": ["eo"]}
    assert [one["id"] for one in desk.ask("GET", "/agents").json["agents"]] == ["ben"]
