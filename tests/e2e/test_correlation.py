"""One id leads from the API request to the match."""

from __future__ import annotations

from typing import Any

from tests.e2e.asker import eventually
from tests.e2e.backstage import Backstage
from tests.e2e.floor import Floor


def lines_of(backstage: Backstage, call: str) -> list[dict[str, Any]]:
    """The matcher's, once they are there."""
    return eventually(lambda: backstage.log("match_calls", call=call), lambda lines: bool(lines))


def test_the_matchers_lines_carry_the_id_of_the_api_request(backstage: Backstage, floor: Floor) -> None:
    ana = floor.available("ana")
    matched, in_line = floor.call(), floor.call()
    floor.connected(matched)
    floor.waiting(in_line)

    [found] = lines_of(backstage, matched)
    [parked] = lines_of(backstage, in_line)

    assert (found.get("agent"), parked.get("agent")) == (ana, None)
    assert found["correlation_id"] != parked["correlation_id"]
    for line in (found, parked):
        [request] = backstage.log("calls_api", correlation_id=line["correlation_id"], message="answered")
        assert (request["route"], request["status"]) == ("POST /calls", 202)


def test_a_refusal_names_the_id_under_which_the_log_has_it(backstage: Backstage, floor: Floor) -> None:
    refused = floor.caller.send("POST", "/calls", {"requirement": {"a b": "c"}}).json()

    lines = eventually(
        lambda: backstage.log("calls_api", correlation_id=refused["request_id"]),
        lambda lines: any(line["message"] == "answered" for line in lines),
    )

    assert {line["message"]: line.get("problem") for line in lines}["refused"] == "/problems/invalid"


def test_a_call_sent_straight_to_the_queue_is_found_by_the_id_of_its_message(
    backstage: Backstage, floor: Floor
) -> None:
    call = f"own-{floor.team}"

    sent = backstage.send({"id": call, "requirement": floor.needing()}, group=floor.team)

    [line] = lines_of(backstage, call)
    assert line["correlation_id"] == sent


def test_an_agents_look_says_for_whom_and_what_it_found(backstage: Backstage, floor: Floor) -> None:
    call = floor.call()
    floor.waiting(call)
    ana = floor.available("ana")
    floor.connected(call)

    lines = eventually(lambda: backstage.log("look", agent=ana), lambda lines: bool(lines))

    assert [line["call"] for line in lines] == [call]
