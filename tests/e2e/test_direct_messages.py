"""Calls sent straight to the call queue: the same validation, and what is broken holds up nobody."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest

from local.stack import DeployedStack
from tests.e2e.asker import eventually
from tests.e2e.backstage import Backstage, DeadLetter
from tests.e2e.floor import Floor

SECOND = 1_000_000


@pytest.fixture(autouse=True)
def no_dead_letters(backstage: Backstage) -> None:
    """Left by other tests."""
    backstage.dead_letters()


def now() -> int:
    """Milliseconds, as SQS has them."""
    return time.time_ns() // 1_000_000


def test_a_message_is_a_call_that_arrived_when_it_was_sent(
    stack: DeployedStack, backstage: Backstage, floor: Floor
) -> None:
    ana = floor.available("ana", language=["es"])
    message = {"client": stack.caller.client_id, "requirement": floor.needing(language="es")}

    with backstage.paused("match_calls"):
        before = now()
        call_id = backstage.send(message, group=floor.team)
        after = now()
    call = floor.once("connected", call_id)

    assert (call["agent"], call["channel"], call["head_start_seconds"]) == (ana, "voice", 0)
    state = backstage.state("CALL", call_id) or {}
    assert before <= int(state["arrived_at"]) / 1000 <= after
    assert call["arrived_at"] < (call["look_started_at"] or "")


def test_a_message_may_say_id_arrival_head_start_and_channel_by_its_queue(
    stack: DeployedStack, backstage: Backstage, floor: Floor
) -> None:
    ana = floor.available("ana")
    arrived_at = (now() - 90_000) * 1000
    message = {
        "id": f"own-{floor.team}",
        "client": stack.caller.client_id,
        "requirement": floor.needing(),
        "arrived_at": arrived_at,
        "head_start_seconds": 30,
    }

    backstage.send(message, group="any group", channel="chat")
    call = floor.once("connected", f"own-{floor.team}")

    assert (call["agent"], call["channel"], call["head_start_seconds"]) == (ana, "chat", 30)
    assert (backstage.state("CALL", call["id"]) or {})["arrived_at"] == arrived_at


def test_a_message_without_a_client_is_nobodys_over_http_and_served_all_the_same(
    backstage: Backstage, floor: Floor
) -> None:
    ana = floor.available("ana")

    call_id = backstage.send({"requirement": floor.needing()}, group=floor.team)

    attending = eventually(lambda: floor.agent(ana), lambda agent: agent["status"] == "attending")
    assert attending["call"] == call_id
    assert floor.caller.send("GET", f"/calls/{call_id}").status_code == 404
    assert floor.complete(call_id)["status"] == "completed"


def test_calls_from_the_queue_and_over_http_stand_in_one_line(
    stack: DeployedStack, backstage: Backstage, floor: Floor
) -> None:
    message = {"client": stack.caller.client_id, "requirement": floor.needing()}
    first = floor.call()
    floor.waiting(first)
    second = backstage.send(message, group=floor.team)
    floor.once("waiting", second)
    third = floor.call()
    floor.waiting(third)

    calls = floor.read_all((first, second, third))
    assert [call["position"] for call in calls] == [1, 2, 3]
    assert [call["requirement"] for call in calls] == [{"team": [floor.team]}] * 3
    assert len({call["queue"] for call in calls}) == 1


def test_a_poison_message_holds_up_nobody_in_its_group_and_says_what_is_wrong(
    stack: DeployedStack, backstage: Backstage, floor: Floor
) -> None:
    agents = [floor.available(name) for name in ("ana", "ben", "cleo")]
    good = {"client": stack.caller.client_id, "requirement": floor.needing()}
    poison = {**good, "requirement": floor.needing(language=["es", 7])}

    with backstage.paused("match_calls"):
        sent = [backstage.send(one, group=floor.team) for one in (good, poison, good, poison, good)]

    assert floor.connected(sent[0], sent[2], sent[4]) == agents
    reason = "requirement.language[1]: must be text"
    assert backstage.dead_letters(at_least=2) == [DeadLetter(json.dumps(poison), "Invalid", reason)] * 2
    backstage.all_taken()
    for poisoned in (sent[1], sent[3]):
        assert backstage.state("CALL", poisoned) is None
        # It was moved at once: nobody tried it again.
        assert len(backstage.log("match_calls", call=poisoned, message="dead letter")) == 1


def asking(**others: object) -> dict[str, object]:
    return {"requirement": {"team": "x"}, **others}


POISONS: list[tuple[Any, str]] = [
    ("hello", "message: is not JSON"),
    ('{"requirement": ', "message: is not JSON"),
    ("[]", "message: must be a JSON object"),
    ("null", "message: must be a JSON object"),
    ("[" * 9_000, "message: is not JSON"),
    ({}, "requirement: must be an object"),
    ({"requirement": "es"}, "requirement: must be an object"),
    ({"requirement": {"channel": ["chat"]}}, "requirement.channel: is not part of the requirement"),
    ({"requirement": {"language": []}}, "requirement.language: must have 1 to 50 values"),
    ({"requirement": {"language": ["v"] * 3_000}}, "requirement.language: must have 1 to 50 values"),
    ({"requirement": {"language": ["es\u0085"]}}, "requirement.language[0]: must not hold control"),
    ({"requirement": {"billing": {"min": -1}}}, "requirement.billing.min: must be a whole number"),
    ({"requirement": {"a b": ["x"]}}, "requirement.a b: must be 1 to 64 of the characters"),
    (asking(priority=1), "priority: is not a field of a call"),
    (asking(id="a#b"), "id: must be 1 to 64 of the characters"),
    (asking(id=5), "id: must be 1 to 64 of the characters"),
    (asking(client=5), "client: must be"),
    (asking(arrived_at="yesterday"), "arrived_at: must be a whole number"),
    (asking(arrived_at=4_000_000_000 * SECOND), "arrived_at: must be a whole number"),
    (asking(head_start_seconds=-1), "head_start_seconds: must be a whole number from 0 to 3600"),
    (asking(head_start_seconds=3601), "head_start_seconds: must be a whole number from 0 to 3600"),
    (asking(head_start_seconds=True), "head_start_seconds: must be a whole number from 0 to 3600"),
    (asking(client="x" * 17_000), "message: must have at most 16384 bytes"),
]


def test_every_kind_of_poison_lies_in_the_dead_letter_queue_with_its_reason(backstage: Backstage) -> None:
    before = backstage.quiet_table()
    bodies = [poison if isinstance(poison, str) else json.dumps(poison) for poison, _ in POISONS]

    for body in bodies:
        backstage.send(body, group="poison")
    letters = {letter.body: letter for letter in backstage.dead_letters(at_least=len(bodies))}

    assert set(letters) == set(bodies)
    for body, (_, reason) in zip(bodies, POISONS, strict=True):
        assert letters[body].error_class == "Invalid"
        assert letters[body].reason.startswith(reason)
    assert backstage.quiet_table() == before


def test_a_call_that_would_need_one_queue_too_many_is_a_dead_letter_and_others_are_served(
    stack: DeployedStack, backstage: Backstage, floor: Floor
) -> None:
    known = floor.call()
    floor.waiting(known)
    good = {"client": stack.caller.client_id, "requirement": floor.needing()}
    new = {"id": f"new-{floor.team}", "requirement": floor.needing(language="es")}

    with backstage.full_catalog():
        served = backstage.send(good, group=floor.team)
        backstage.send(new, group=floor.team)
        served_too = backstage.send(good, group=floor.team)
        floor.waiting(served, served_too)
        [letter] = backstage.dead_letters(at_least=1)

    assert (json.loads(letter.body), letter.error_class) == (new, "CatalogFull")
    assert letter.reason == "this floor has 200 distinct queues already, and may not have more"
    assert backstage.state("CALL", f"new-{floor.team}") is None
