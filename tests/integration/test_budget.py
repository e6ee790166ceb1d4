"""What a call costs, counted from the requests themselves: a change that costs more is a visible difference here."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import pytest

from switchboard import calling, staffing
from switchboard.adapters.dynamo_floor import DynamoFloor
from switchboard.bootstrap import now
from switchboard.calling import CallRequest
from switchboard.domain.agents import AgentStatus
from switchboard.domain.calls import Call
from switchboard.domain.catalog import Queue
from switchboard.domain.skills import Profile, Requirement
from switchboard.matching import Incoming, look_for_call, match
from switchboard.world import World
from tests.conftest import ENDED_CALL_DAYS
from tests.contract.wire import Wire
from tests.support.tables import new_table
from tests.support.worlds import Clock, world_on

if TYPE_CHECKING:
    from types_boto3_dynamodb import DynamoDBClient

SPANISH = Requirement.parse({"language": "es", "channel": "voice"})


class Sent:
    """A call queue that only counts."""

    def __init__(self) -> None:
        self.calls: list[Call] = []

    def send(self, call: Call, requirement_text: str) -> None:
        assert requirement_text == SPANISH.text
        self.calls.append(call)


class Floor:
    """One pool, one queue, both known to everybody; each function has a warm copy of the catalog."""

    def __init__(self, client: DynamoDBClient, skills: int) -> None:
        self.clock = Clock(now())
        self._floor = DynamoFloor(client, new_table(client), ended_call_days=ENDED_CALL_DAYS)
        self.world: World = world_on(self._floor, clock=self.clock)
        self.sent = Sent()
        languages = ["es", *(f"language-{number}" for number in range(skills - 1))]
        profile = Profile.parse({"language": languages, "channel": ["voice"]})
        staffing.register(self.world, "ana", "Ana", profile, max_pools=200)
        staffing.set_status(self.world, "ana", AgentStatus.AWAY)
        self.world.catalog.ensure(Queue(SPANISH), at_most=200)

    def comes(self) -> None:
        staffing.set_status(self.world, "ana", AgentStatus.AVAILABLE)

    def calls(self, key: str | None = None) -> None:
        request = CallRequest(
            client="app", channel="voice", requirement=SPANISH, body="body", idempotency_key=key
        )
        calling.request_call(self.world, self.sent, request, max_queues=200)

    def matcher(self) -> None:
        match(self.world, Queue(SPANISH), [Incoming(self.sent.calls[-1])], max_queues=200)

    def look(self) -> None:
        agent = staffing.find(self.world, "ana")
        assert agent.entry is not None
        look_for_call(self.world, agent.entry)

    def attends(self) -> bool:
        return staffing.find(self.world, "ana").status is AgentStatus.ATTENDING


@pytest.fixture(params=[1, 3, 10], ids=lambda skills: f"{skills} skills")
def floor(dynamodb_local: DynamoDBClient, request: pytest.FixtureRequest) -> Floor:
    return Floor(dynamodb_local, request.param)


@pytest.fixture
def wire(dynamodb_local: DynamoDBClient, floor: Floor) -> Iterator[Wire]:
    """Opened when the floor stands: what made it does not count."""
    assert not floor.sent.calls
    with Wire(dynamodb_local) as wire:
        yield wire


def spent(wire: Wire, step: Callable[[], None]) -> tuple[int, Counter[str]]:
    """Write units and requests of one step."""
    wire.clear()
    step()
    return wire.write_units, Counter(wire.operations)


def test_a_call_that_is_matched_at_once_costs_eight_write_units(floor: Floor, wire: Wire) -> None:
    steps = [floor.comes, floor.calls, floor.matcher]

    assert [spent(wire, step)[0] for step in steps] == [2, 1, 5]
    assert floor.attends()


def test_a_call_that_waited_costs_eleven_write_units(floor: Floor, wire: Wire) -> None:
    steps = [floor.calls, floor.matcher, floor.comes, floor.look]

    assert [spent(wire, step)[0] for step in steps] == [1, 2, 2, 6]
    assert floor.attends()


def test_the_requests_of_a_call_that_is_matched_at_once(floor: Floor, wire: Wire) -> None:
    assert spent(wire, floor.comes)[1] == {"GetItem": 1, "PutItem": 1, "UpdateItem": 1}
    floor.clock.skip(3)
    # The query is for the hint whether anybody who could serve the call is signed in.
    assert spent(wire, floor.calls)[1] == {"Query": 1, "UpdateItem": 1}
    assert len(floor.sent.calls) == 1
    assert spent(wire, floor.matcher)[1] == {"Query": 2, "TransactWriteItems": 1, "BatchWriteItem": 1}


def test_an_idempotency_key_costs_one_read(floor: Floor, wire: Wire) -> None:
    floor.comes()

    assert spent(wire, lambda: floor.calls("key"))[1] == {"GetItem": 1, "Query": 1, "UpdateItem": 1}


def test_matching_at_once_reads_at_most_four_read_units(floor: Floor, wire: Wire) -> None:
    floor.comes()
    floor.calls()
    wire.clear()
    floor.matcher()

    assert 0 < wire.read_units <= 4


def test_signing_in_costs_one_more_and_signing_out_three(floor: Floor, wire: Wire) -> None:
    def offline() -> None:
        staffing.set_status(floor.world, "ana", AgentStatus.OFFLINE)

    assert spent(wire, offline)[0] == 2
    assert spent(wire, floor.comes)[0] == 3
    assert spent(wire, offline)[0] == 3


def test_every_query_of_a_cycle_has_a_limit(floor: Floor, wire: Wire) -> None:
    for step in (floor.calls, floor.matcher, floor.comes, floor.look):
        step()

    queries = [request for request in wire.requests if request.operation == "Query"]
    assert queries
    assert all("Limit" in request.parameters for request in queries)


def test_a_claim_writes_exactly_two_items(floor: Floor, wire: Wire) -> None:
    for step in (floor.comes, floor.calls, floor.matcher):
        step()

    transactions = [request for request in wire.requests if request.operation == "TransactWriteItems"]
    assert [request.writes for request in transactions] == [2]
