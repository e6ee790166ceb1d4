"""A message that is delivered twice has the effect of once, whatever has become of the call meanwhile."""

from __future__ import annotations

from typing import Any

import pytest

from local.stack import DeployedStack
from tests.e2e.backstage import Backstage
from tests.e2e.floor import Floor
from tests.e2e.promises import broken_promises


@pytest.fixture
def message(stack: DeployedStack, floor: Floor) -> dict[str, Any]:
    """A whole call, as the API sends it; every sending of it is a message of its own to SQS."""
    return {
        "id": f"twice-{floor.team}",
        "client": stack.caller.client_id,
        "requirement": floor.needing(),
    }


def send_again(backstage: Backstage, message: dict[str, Any]) -> None:
    """And returns when the matcher has taken it."""
    backstage.send(message, group="again")
    backstage.all_taken()


def test_two_deliveries_in_one_batch_take_one_agent(
    backstage: Backstage, floor: Floor, message: dict[str, Any]
) -> None:
    agents = [floor.available(name) for name in ("ana", "ben", "cleo")]
    with backstage.paused("match_calls"):
        for group in ("one", "one", "other"):
            backstage.send(message, group=group)
    floor.connected(message["id"])
    backstage.all_taken()

    statuses = sorted(floor.agent(agent)["status"] for agent in agents)
    assert statuses == ["attending", "available", "available"]
    assert broken_promises(backstage.quiet_table()) == []


def test_two_deliveries_in_one_batch_stand_in_line_once(
    backstage: Backstage, floor: Floor, message: dict[str, Any]
) -> None:
    with backstage.paused("match_calls"):
        for group in ("one", "one", "other"):
            backstage.send(message, group=group)
    floor.waiting(message["id"])
    backstage.all_taken()

    assert floor.read(message["id"])["position"] == 1
    assert len([item for item in backstage.table(message["id"]) if "WAIT#" in str(item["pk"])]) == 1


def test_a_second_delivery_changes_nothing_in_any_state_of_the_call(
    backstage: Backstage, floor: Floor, message: dict[str, Any]
) -> None:
    call_id = message["id"]
    send_again(backstage, message)

    def unchanged_by_another_delivery(status: str) -> None:
        before = floor.once(status, call_id)
        send_again(backstage, message)
        assert floor.read(call_id) == before

    unchanged_by_another_delivery("waiting")
    assert floor.read(call_id)["position"] == 1
    ana = floor.available("ana")
    floor.connected(call_id)
    ben = floor.available("ben")
    unchanged_by_another_delivery("connected")
    floor.complete(call_id)
    unchanged_by_another_delivery("completed")

    assert (floor.agent(ana)["status"], floor.agent(ben)["status"]) == ("wrap_up", "available")
    assert broken_promises(backstage.quiet_table()) == []


def test_a_call_that_was_abandoned_is_not_revived_by_its_message(
    backstage: Backstage, floor: Floor, message: dict[str, Any]
) -> None:
    send_again(backstage, message)
    floor.waiting(message["id"])
    gone = floor.hang_up(message["id"])
    ana = floor.available("ana")

    send_again(backstage, message)

    assert floor.read(message["id"]) == gone
    assert floor.agent(ana)["status"] == "available"
