"""From a request to wrap-up, as a caller app, an agent and a supervisor see it."""

from __future__ import annotations

import httpx

from local.stack import DeployedStack
from tests.e2e.asker import Asker, eventually
from tests.e2e.backstage import Backstage
from tests.e2e.floor import Floor


def test_an_agent_comes_serves_a_call_and_is_there_for_the_next(
    stack: DeployedStack, http: httpx.Client, supervisor: Asker, caller: Asker, floor: Floor
) -> None:
    ana = f"{floor.team}-ana"
    herself = Asker(http, stack.people.bearer(ana, "agents"))
    registration = {"name": "Ana Torres", "profile": {"team": floor.team, "language": ["en", "es"]}}

    registered = supervisor.told("PUT", f"/agents/{ana}", registration, status=201)
    assert (registered["status"], registered["name"]) == ("offline", "Ana Torres")
    assert registered["profile"] == {
        "team": [floor.team],
        "language": ["en", "es"],
        "channel": ["chat", "voice"],
    }
    in_line = herself.told("PUT", f"/agents/{ana}/status", {"status": "available"})
    assert (in_line["status"], in_line["idle_since"]) == ("available", in_line["status_since"])

    request = {"channel": "voice", "requirement": {"team": floor.team, "language": "es"}}
    accepted = caller.send("POST", "/calls", request)
    assert (accepted.status_code, accepted.json()["no_agent_online"]) == (202, False)
    path = accepted.headers["Location"]
    assert path == f"/calls/{accepted.json()['id']}"

    call = floor.once("connected", accepted.json()["id"])
    assert (call["agent"], call["position"], call["channel"]) == (ana, None, "voice")
    assert call["requirement"] == {"team": [floor.team], "language": ["es"]}
    assert call["arrived_at"] <= (call["look_started_at"] or "") <= (call["connected_at"] or "")
    attending = herself.told("GET", f"/agents/{ana}")
    assert (attending["status"], attending["call"]) == ("attending", call["id"])

    completed = herself.told("POST", f"{path}/complete")
    assert (completed["status"], completed["agent"]) == ("completed", ana)
    assert herself.told("POST", f"{path}/complete") == completed
    assert caller.told("GET", path) == completed
    wrapping_up = herself.told("GET", f"/agents/{ana}")
    assert (wrapping_up["status"], wrapping_up["call"], wrapping_up["last_call"]) == (
        "wrap_up",
        None,
        call["id"],
    )

    herself.told("PUT", f"/agents/{ana}/status", {"status": "available"})
    assert floor.connected(floor.call(language="en")) == [ana]


def test_a_call_that_finds_nobody_waits_and_is_taken_by_who_comes(floor: Floor) -> None:
    call = floor.call(language="es")
    waiting = floor.once("waiting", call)
    assert (waiting["position"], waiting["agent"], waiting["connected_at"]) == (1, None, None)
    assert (waiting["waiting_since"] or "") > waiting["arrived_at"]

    floor.available("fred", language=["fr"])
    ana = floor.available("ana", language=["es"])

    assert floor.connected(call) == [ana]


def test_an_agent_who_becomes_able_to_serve_a_waiting_call_gets_it(floor: Floor) -> None:
    call = floor.call(language="es")
    floor.waiting(call)
    ana = floor.available("ana", language=["fr"])

    assert floor.register("ana", language=["fr", "es"]) == ana

    assert floor.connected(call) == [ana]


def test_the_position_in_line_moves_up_as_others_leave(floor: Floor) -> None:
    calls = [floor.call() for _ in range(4)]
    floor.waiting(*calls)
    assert [call["position"] for call in floor.read_all(calls)] == [1, 2, 3, 4]

    floor.hang_up(calls[1])
    assert [call["position"] for call in floor.read_all(calls)] == [1, None, 2, 3]

    ana = floor.available("ana")
    assert floor.connected(calls[0]) == [ana]
    assert [call["position"] for call in floor.read_all(calls)] == [None, None, 1, 2]


def test_a_caller_who_hangs_up_before_anyone_looked_is_never_connected(
    floor: Floor, backstage: Backstage
) -> None:
    ana = floor.available("ana")
    with backstage.paused("match_calls"):
        call = floor.call()
        assert (floor.read(call)["status"], floor.read(call)["position"]) == ("requested", None)
        gone = floor.hang_up(call)
        assert gone["status"] == "abandoned"
    backstage.all_taken()

    assert floor.read(call) == gone
    assert floor.agent(ana)["status"] == "available"


def test_a_caller_who_hangs_up_while_waiting_is_passed_over(floor: Floor) -> None:
    first, second = floor.call(), floor.call()
    floor.waiting(first, second)

    gone = floor.hang_up(first)
    assert (gone["status"], gone["position"]) == ("abandoned", None)
    ana = floor.available("ana")

    assert floor.connected(second) == [ana]
    assert floor.hang_up(first) == floor.read(first) == gone


def test_a_caller_who_hangs_up_while_connected_sends_the_agent_to_wrap_up(floor: Floor) -> None:
    ana = floor.available("ana")
    call = floor.call()
    floor.connected(call)

    gone = floor.hang_up(call)

    assert (gone["status"], gone["agent"]) == ("completed", ana)
    assert (floor.agent(ana)["status"], floor.agent(ana)["last_call"]) == ("wrap_up", call)
    assert floor.hang_up(call) == gone


def test_who_leaves_the_line_gets_no_call_and_comes_back_at_its_end(floor: Floor) -> None:
    ana, ben, cleo = (floor.available(name) for name in ("ana", "ben", "cleo"))

    floor.become("away", ana)
    floor.become("offline", ben)
    assert floor.connected(floor.call()) == [cleo]
    second = floor.call()
    floor.waiting(second)

    floor.become("available", ben)
    assert floor.connected(second) == [ben]
    floor.become("available", ana)
    assert floor.connected(floor.call()) == [ana]


def test_an_agent_cannot_leave_a_call_but_by_completing_it(floor: Floor, supervisor: Asker) -> None:
    ana = floor.available("ana")
    floor.connected(floor.call())

    for status in ("available", "away", "offline"):
        refused = supervisor.send("PUT", f"/agents/{ana}/status", {"status": status})
        assert (refused.status_code, refused.json()["current_status"]) == (409, "attending")
    assert supervisor.send("DELETE", f"/agents/{ana}").status_code == 409


def test_an_agent_is_removed_when_it_is_offline_and_may_come_back_as_new(
    floor: Floor, supervisor: Asker
) -> None:
    ana = floor.available("ana")
    floor.become("offline", ana)

    assert supervisor.send("DELETE", f"/agents/{ana}").status_code == 204
    assert supervisor.send("GET", f"/agents/{ana}").status_code == 404
    assert supervisor.send("DELETE", f"/agents/{ana}").status_code == 404

    floor.available("ana")
    assert floor.connected(floor.call()) == [ana]


def test_agents_are_listed_a_page_at_a_time(floor: Floor, supervisor: Asker) -> None:
    expected = sorted(floor.register(name) for name in ("ana", "ben", "cleo", "dan", "eve"))

    listed: list[str] = []
    after = floor.team
    while after.startswith(floor.team):
        page = supervisor.told("GET", f"/agents?limit=2&after={after}")
        listed += [agent["id"] for agent in page["agents"]]
        after = page["next"] or ""

    assert listed == sorted(set(listed))
    assert listed[:5] == expected


def test_a_caller_who_will_not_wait_hears_that_nobody_is_online(floor: Floor, caller: Asker) -> None:
    request = {"requirement": floor.needing(), "if_no_agent": "refuse"}

    refused = caller.send("POST", "/calls", request)
    assert (refused.status_code, refused.json()["type"]) == (409, "/problems/no-agent-online")
    assert caller.told("POST", "/calls", {"requirement": floor.needing()}, status=202)["no_agent_online"]

    # Who is there and busy is online: then the call waits.
    ana = floor.available("ana")
    eventually(lambda: floor.agent(ana), lambda agent: agent["status"] == "attending")
    accepted = caller.told("POST", "/calls", request, status=202)
    assert accepted["no_agent_online"] is False
    floor.waiting(accepted["id"])
