"""A matcher killed in the middle of a batch: its messages come back, and the next one does only what is left."""

from __future__ import annotations

from pathlib import Path

import pytest

from local.stack import DeployedStack
from tests.e2e.accident import Moment, kill_all, relay
from tests.e2e.backstage import Backstage
from tests.e2e.floor import Floor
from tests.e2e.promises import broken_promises

BEFORE, AFTER = Moment.BEFORE_THE_TABLE_SEES_IT, Moment.AFTER_THE_TABLE_DID_IT


@pytest.mark.parametrize(
    ("operation", "moment"),
    [
        pytest.param("Query", BEFORE, id="before it has looked at anything"),
        pytest.param("TransactWriteItems", BEFORE, id="before the first claim"),
        pytest.param("TransactWriteItems", AFTER, id="after the first claim, before the second"),
        pytest.param("BatchWriteItem", BEFORE, id="after a claim, before it has cleaned up"),
        pytest.param("PutItem", AFTER, id="in line, and the call does not know it"),
        pytest.param("UpdateItem", AFTER, id="in line, before the second look"),
    ],
)
def test_every_call_of_the_batch_is_matched_or_waits_and_nobody_twice(
    stack: DeployedStack,
    backstage: Backstage,
    floor: Floor,
    run_dir: Path,
    operation: str,
    moment: Moment,
) -> None:
    matcher = backstage.function("match_calls")
    agents = {floor.available(name) for name in ("ana", "ben")}
    with (
        backstage.visibility(2),
        relay(stack.aws["endpoint_url"], operation, moment, lambda: kill_all(matcher, run_dir)) as table,
        backstage.environment("match_calls", AWS_ENDPOINT_URL_DYNAMODB=table.url),
    ):
        with backstage.paused("match_calls"):
            calls = [floor.call() for _ in range(4)]
        assert table.happened.wait(60)
        backstage.all_taken()

    seen = floor.read_all(calls)
    served = [call for call in seen if call["status"] == "connected"]
    in_line = [call for call in seen if call["status"] == "waiting"]
    assert ([call["id"] for call in served], [call["id"] for call in in_line]) == (calls[:2], calls[2:])
    assert {call["agent"] for call in served} == agents
    # An entry that the dead matcher left in line counts until somebody meets it.
    head, second = (call["position"] or 0 for call in in_line)
    assert 1 <= head < second
    assert broken_promises(backstage.quiet_table()) == []
    assert backstage.dead_letters() == []

    # And the floor works on: those who waited are served in the order of their arrival, by those who were there.
    for done, longest_waiting in zip(served, in_line, strict=True):
        floor.complete(done["id"])
        floor.become("available", done["agent"] or "")
        assert floor.connected(longest_waiting["id"]) == [done["agent"]]
    assert broken_promises(backstage.quiet_table()) == []


def test_an_agents_entry_that_a_dead_matcher_left_behind_makes_no_call_overtake_another(
    backstage: Backstage, floor: Floor
) -> None:
    ana = floor.available("ana")
    [used_up] = [item for item in backstage.table(ana) if str(item["pk"]).startswith("IDLE#")]
    floor.become("away", ana)
    backstage.put_back(used_up)
    ben = floor.available("ben")

    with backstage.paused("match_calls"):
        first, second = floor.call(), floor.call()

    backstage.all_taken()

    assert [(call["status"], call["agent"]) for call in floor.read_all((first, second))] == [
        ("connected", ben),
        ("waiting", None),
    ]
