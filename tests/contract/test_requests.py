"""What the floor on DynamoDB asks of the table: one method, one request, and items small enough for one unit."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given

from switchboard.adapters import items
from switchboard.adapters.dynamo_floor import DynamoFloor
from switchboard.domain.agents import Agent, AgentStatus
from switchboard.domain.calls import Call, CallStatus
from switchboard.domain.catalog import Pool
from switchboard.domain.lines import Line
from switchboard.domain.skills import Profile
from switchboard.ports import Floor, Pairing
from tests.contract.lives import (
    ENDED_CALL_DAYS,
    NOW,
    OTHER_POOL,
    POOL,
    agent,
    agent_in,
    agent_lives,
    call,
    call_in,
    call_lives,
    idle,
    place_of,
    waiting,
)
from tests.contract.wire import KILOBYTE, Wire, size

if TYPE_CHECKING:
    from types_boto3_dynamodb import DynamoDBClient

SKILLS = (1, 3, 10, 49)
TIME = 9_999_999_999_999_999
"""The latest that has 16 digits."""


def kept(client: DynamoDBClient, table: str, key: items.Item) -> Mapping[str, Any]:
    """The item as the table has it."""
    return client.get_item(TableName=table, Key=items.marshal(key), ConsistentRead=True).get("Item", {})


def skilled(many: int) -> Pool:
    return Pool(Profile.parse({"language": [f"l{number}" for number in range(many)]}))


# --- one method, one request

ANN, HER_CALL = idle("ann"), waiting("her-call")
ONE_REQUEST: dict[str, Callable[[Floor], object]] = {
    "GetItem": lambda floor: (floor.agent("ann"), floor.call("her-call"), floor.catalog_version()),
    "UpdateItem": lambda floor: floor.commit(None, agent("bea")),
    "DeleteItem": lambda floor: (floor.strike_from_roster("ann"), floor.sign_out(POOL, "ann", epoch=6)),
    "PutItem": lambda floor: (
        floor.enter(place_of(ANN)),
        floor.list_on_roster("ann"),
        floor.sign_in(POOL, "ann", epoch=5),
    ),
    "BatchWriteItem": lambda floor: floor.clear([place_of(ANN), place_of(HER_CALL)]),
    "BatchGetItem": lambda floor: floor.agents(["ann", "bea"]),
    "Query": lambda floor: (
        floor.heads(Line.of_pool(POOL), 2),
        floor.ahead_of(place_of(ANN), 2),
        floor.roster(2),
        floor.anyone_signed_in(POOL),
        floor.load_catalog(0),
    ),
    "TransactWriteItems": lambda floor: (
        floor.claim(Pairing(place_of(ANN), place_of(HER_CALL), NOW), at=NOW),
        floor.add_to_catalog(skilled(1), at_most=5),
        floor.change_in_catalog(skilled(1)),
    ),
}


@pytest.mark.parametrize("operation", ONE_REQUEST)
def test_a_method_is_one_request(wire: Wire, floor_on_table: DynamoFloor, operation: str) -> None:
    wire.clear()
    answers = ONE_REQUEST[operation](floor_on_table)
    methods = len(answers) if isinstance(answers, tuple) else 1  # pyright: ignore[reportUnknownArgumentType]
    assert wire.operations == [operation] * methods


def test_only_whole_batches_and_pages_take_a_request_more(wire: Wire, floor_on_table: DynamoFloor) -> None:
    wire.clear()
    floor_on_table.clear([replace(place_of(ANN), time=NOW + number) for number in range(51)])
    assert [request.writes for request in wire.requests] == [25, 25, 1]


def test_nothing_is_ever_scanned_and_truths_and_lines_are_read_strongly(
    wire: Wire, floor_on_table: DynamoFloor
) -> None:
    wire.clear()
    for ask in ONE_REQUEST.values():
        ask(floor_on_table)
    assert "Scan" not in wire.operations
    reads = [request for request in wire.requests if request.operation in ("GetItem", "Query")]
    hints = [r for r in reads if not r.parameters.get("ConsistentRead")]
    assert len(reads) - len(hints) == 6
    assert {r.parameters.get("Select", "roster") for r in hints} == {"COUNT", "roster"}


@pytest.mark.parametrize("skills", SKILLS)
@pytest.mark.parametrize("stands_in_line", [False, True])
def test_a_claim_is_a_transaction_of_exactly_two_items_whatever_the_number_of_skills(
    wire: Wire, floor_on_table: DynamoFloor, skills: int, stands_in_line: bool
) -> None:
    ann, her_call = idle(pool=skilled(skills).key), waiting() if stands_in_line else call()
    floor_on_table.commit(None, ann)
    floor_on_table.commit(None, her_call)
    wire.clear()
    assert floor_on_table.claim(Pairing(place_of(ann), her_call.entry or her_call, NOW), at=NOW).won
    assert [(request.operation, request.writes) for request in wire.requests] == [("TransactWriteItems", 2)]


def test_the_end_of_a_pair_is_a_transaction_of_exactly_two_items(
    wire: Wire, floor_on_table: DynamoFloor
) -> None:
    ann, her_call = agent_in(AgentStatus.ATTENDING), call_in(CallStatus.CONNECTED)
    floor_on_table.commit(None, ann)
    floor_on_table.commit(None, her_call)
    wire.clear()
    floor_on_table.part((ann, ann.freed(now=NOW)), (her_call, her_call.completed(now=NOW)))
    assert [(request.operation, request.writes) for request in wire.requests] == [("TransactWriteItems", 2)]


# --- what the stream and TTL see


@given(life=agent_lives())
def test_an_agent_carries_wake_if_and_only_if_it_stands_in_line(
    dynamodb_local: DynamoDBClient, table: str, floor_on_table: DynamoFloor, life: list[Agent]
) -> None:
    before = None
    for state in life:
        floor_on_table.commit(before, state)
        item = kept(dynamodb_local, table, items.agent_key(state.id))
        assert item.get("wake") == ({"S": items.WAKE} if state.entry else None)
        assert ("entry" in item) == (state.status is AgentStatus.AVAILABLE)
        before = state


@pytest.mark.parametrize("stands_in_line", [False, True])
def test_a_claim_takes_wake_and_entry_away(
    dynamodb_local: DynamoDBClient, table: str, floor_on_table: DynamoFloor, stands_in_line: bool
) -> None:
    ann, her_call = idle(), waiting() if stands_in_line else call()
    floor_on_table.commit(None, ann)
    floor_on_table.commit(None, her_call)
    assert floor_on_table.claim(Pairing(place_of(ann), her_call.entry or her_call, NOW), at=NOW).won
    agent_item = kept(dynamodb_local, table, items.agent_key(ann.id))
    call_item = kept(dynamodb_local, table, items.call_key(her_call.id))
    assert agent_item["status"] == {"S": "attending"}
    assert {"wake", "entry"}.isdisjoint(agent_item)
    assert call_item["status"] == {"S": "connected"}
    assert {"wake", "entry"}.isdisjoint(call_item)


@given(life=call_lives())
def test_a_call_expires_some_days_after_its_end_and_not_before(
    dynamodb_local: DynamoDBClient, table: str, floor_on_table: DynamoFloor, life: list[Call]
) -> None:
    before = None
    for state in life:
        floor_on_table.commit(before, state)
        item = kept(dynamodb_local, table, items.call_key(state.id))
        expected = (
            {"N": str(state.ended_at // 1_000_000 + ENDED_CALL_DAYS * 86_400)} if state.ended_at else None
        )
        assert item.get("expires_at") == expected
        assert (expected is not None) == state.ended
        before = state


def test_a_call_that_completes_a_pair_expires(
    dynamodb_local: DynamoDBClient, table: str, floor_on_table: DynamoFloor
) -> None:
    ann, her_call = agent_in(AgentStatus.ATTENDING), call_in(CallStatus.CONNECTED)
    floor_on_table.commit(None, ann)
    floor_on_table.commit(None, her_call)
    floor_on_table.part((ann, ann.freed(now=NOW)), (her_call, her_call.completed(now=NOW)))
    assert "expires_at" in kept(dynamodb_local, table, items.call_key(her_call.id))
    assert "expires_at" not in kept(dynamodb_local, table, items.agent_key(ann.id))


# --- sizes


def longest_agents() -> list[Agent]:
    """With the longest name, id, and call that are legal."""
    registered = Agent.register("a" * 64, "🎧" * 128, POOL, now=TIME)
    in_line = registered.available(now=TIME, attempt="f" * 10)
    attending = in_line.claimed("c" * 64, now=TIME)
    return [
        registered,
        in_line,
        in_line.changed("🎧" * 128, OTHER_POOL, now=TIME, attempt="f" * 10),
        attending,
    ]


def longest_calls() -> list[Call]:
    requested = Call.request(
        "c" * 64,
        "~" * 255,
        "v" * 64,
        POOL,
        arrived_at=TIME,
        head_start=31_536_000,
        body="b" * 64,
    )
    parked = requested.waiting(now=TIME, attempt="f" * 10)
    connected = parked.connected("a" * 64, look_started_at=TIME, now=TIME)
    return [requested, parked, connected, connected.completed(now=TIME), parked.abandoned(now=TIME)]


@pytest.mark.parametrize("state", longest_agents(), ids=lambda state: state.status)
def test_an_agent_of_the_longest_legal_values_stays_under_a_kilobyte(
    wire: Wire, floor_on_table: DynamoFloor, state: Agent
) -> None:
    wire.clear()
    floor_on_table.commit(None, state)
    assert wire.requests[0].reported == 1
    assert size(items.agent_item(state)) < KILOBYTE


@pytest.mark.parametrize("state", longest_calls(), ids=lambda state: state.status)
def test_a_call_of_the_longest_legal_values_stays_under_a_kilobyte(
    wire: Wire, floor_on_table: DynamoFloor, state: Call
) -> None:
    wire.clear()
    floor_on_table.commit(None, state)
    assert wire.requests[0].reported == 1
    assert size(items.call_item(state, ended_call_days=ENDED_CALL_DAYS)) < KILOBYTE


def test_the_engine_counts_items_over_a_kilobyte_twice(wire: Wire, floor_on_table: DynamoFloor) -> None:
    wire.clear()
    too_long = replace(longest_agents()[0], name="x" * KILOBYTE)
    floor_on_table.commit(None, too_long)
    assert wire.requests[0].reported == 2
    assert size(items.agent_item(too_long)) > KILOBYTE
