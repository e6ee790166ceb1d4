"""What matching costs, counted from the requests themselves: a cycle costs the same however many skills are in play.

Write units are 1 for a plain write and 2 for each item of a transaction, all items being below 1 KB; read units are
as the engine reports them (1 for a strongly consistent read of up to 4 KB, half for another).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import boto3
import pytest
from botocore.stub import ANY, Stubber

from switchboard import calling, staffing
from switchboard.adapters.dynamo_floor import DynamoFloor
from switchboard.adapters.sqs_queues import SqsCallQueues
from switchboard.claiming import Match
from switchboard.domain.agents import AgentStatus
from switchboard.domain.calls import Call
from switchboard.domain.skills import CHANNEL, Profile
from switchboard.matching import Nobody, look_for_call, sweep
from switchboard.settings import CallQueueAddress
from switchboard.world import World
from tests.contract.wire import Request, Wire
from tests.support.tables import new_table
from tests.unit.usecases.scene import MAX, Data, Scene, place_of, request_of

if TYPE_CHECKING:
    from types_boto3_dynamodb import DynamoDBClient

SKILLS = (1, 3, 10)
AVAILABLE, AWAY, OFFLINE = AgentStatus.AVAILABLE, AgentStatus.AWAY, AgentStatus.OFFLINE


@dataclass
class Meter:
    """A scene on AWS's own engine, and what it costs."""

    scene: Scene
    wire: Wire

    def cost(self, work: Callable[[World], object], world: World | None = None) -> tuple[int, float]:
        """Write and read units of a work in an environment that has the catalog at hand."""
        world = world or self.scene.another_world(self.scene.floor)
        world.catalog.fresh()
        self.wire.clear()
        work(world)
        return self.wire.write_units, self.wire.read_units

    @property
    def requests(self) -> list[str]:
        return self.wire.operations


@pytest.fixture
def meter(dynamodb_local: DynamoDBClient) -> Iterator[Meter]:
    with Wire(dynamodb_local) as wire:
        floor = DynamoFloor(dynamodb_local, new_table(dynamodb_local), ended_call_days=21)
        yield Meter(Scene(floor), wire)


def skilled(many: int) -> Data:
    """A profile of that many values, for one channel."""
    return {"language": [f"l{number}" for number in range(many)], CHANNEL: ["voice"]}


def asking(many: int) -> Data:
    return {"language": [f"l{many - 1}"], CHANNEL: ["voice"]}


def request(scene: Scene, many: int, **changes: object) -> Callable[[World], Call]:
    asked = request_of(asking(many), **changes)
    return lambda world: calling.request_call(world, scene.outbox, asked, max_queues=MAX).call


def takes_message(scene: Scene, many: int) -> Callable[[World], list[Match]]:
    return lambda world: scene.match(scene.outbox.sent[-1][0], requirement=asking(many), world=world)


def becomes(status: AgentStatus, agent_id: str = "ann") -> Callable[[World], object]:
    return lambda world: staffing.set_status(world, agent_id, status)


def prepared(meter: Meter, many: int) -> Scene:
    """One pool, one queue, an agent who takes a break."""
    meter.scene.away("ann", skilled(many))
    meter.scene.knows_queues(asking(many))
    return meter.scene


@pytest.mark.parametrize("many", SKILLS)
def test_a_direct_cycle_costs_8_write_units(meter: Meter, many: int) -> None:
    scene = prepared(meter, many)
    joins, _ = meter.cost(becomes(AVAILABLE))
    looks, _ = meter.cost(lambda world: scene.look("ann", world))
    scene.later()
    comes, _ = meter.cost(request(scene, many))
    matched, _ = meter.cost(takes_message(scene, many))
    assert (joins, looks, comes, matched) == (2, 0, 1, 5)
    assert joins + looks + comes + matched == 8
    assert scene.agent("ann").status is AgentStatus.ATTENDING


@pytest.mark.parametrize("many", SKILLS)
def test_a_cycle_in_which_the_call_waited_costs_11_write_units(meter: Meter, many: int) -> None:
    scene = prepared(meter, many)
    comes, _ = meter.cost(request(scene, many))
    parks, _ = meter.cost(takes_message(scene, many))
    joins, _ = meter.cost(becomes(AVAILABLE))
    looks, _ = meter.cost(lambda world: scene.look("ann", world))
    assert (comes, parks, joins, looks) == (1, 2, 2, 6)
    assert comes + parks + joins + looks == 11
    assert scene.agent("ann").status is AgentStatus.ATTENDING


@pytest.mark.parametrize("many", SKILLS)
def test_a_call_that_is_matched_at_once_reads_3_units(meter: Meter, many: int) -> None:
    scene = prepared(meter, many)
    becomes(AVAILABLE)(scene.world)
    scene.later()
    _, to_request = meter.cost(request(scene, many))
    _, to_match = meter.cost(takes_message(scene, many))
    assert (to_request, to_match) == (1, 2)
    assert meter.requests == ["Query", "Query", "TransactWriteItems", "BatchWriteItem"]


@pytest.mark.parametrize("many", SKILLS)
def test_an_agent_who_came_just_now_costs_a_read_of_the_other_queues(meter: Meter, many: int) -> None:
    """The version of the catalog, and the head of each further queue that the agent serves: here there is none."""
    scene = prepared(meter, many)
    becomes(AVAILABLE)(scene.world)
    _, to_request = meter.cost(request(scene, many))
    _, to_match = meter.cost(takes_message(scene, many))
    assert scene.agent("ann").status is AgentStatus.ATTENDING
    assert (to_request, to_match) == (1, 3)


@pytest.mark.parametrize("many", SKILLS)
def test_what_joining_and_looking_reads(meter: Meter, many: int) -> None:
    scene = prepared(meter, many)
    _, to_join = meter.cost(becomes(AVAILABLE))
    entry = place_of(scene.agent("ann"))
    _, to_look = meter.cost(lambda world: look_for_call(world, entry))
    assert (to_join, to_look) == (1, 2)
    request(scene, many)(scene.world)
    becomes(AWAY)(scene.world)
    _, to_park = meter.cost(takes_message(scene, many))
    assert to_park == 2 + 3, "the first look; the catalog's version and both lines again"


def test_a_copy_of_the_catalog_that_is_too_old_costs_its_version(meter: Meter) -> None:
    scene = prepared(meter, 1)
    becomes(AVAILABLE)(scene.world)
    world = scene.another_world(scene.floor)
    world.catalog.fresh()
    scene.later()
    request(scene, 1)(scene.world)
    meter.wire.clear()
    takes_message(scene, 1)(world)
    assert meter.wire.read_units == 3


@pytest.mark.parametrize("many", SKILLS)
def test_leaving_and_ending(meter: Meter, many: int) -> None:
    scene = prepared(meter, many)
    becomes(AVAILABLE)(scene.world)
    assert meter.cost(becomes(AWAY)) == (2, 1)
    becomes(AVAILABLE)(scene.world)
    call = request(scene, many)(scene.world)
    takes_message(scene, many)(scene.world)
    assert meter.cost(lambda world: calling.complete(world, call.id, agent_id="ann")) == (4, 2)
    waits = request(scene, many)(scene.world)
    assert takes_message(scene, many)(scene.world) == []
    assert meter.cost(lambda world: calling.hang_up(world, waits.client, waits.id)) == (2, 1)


def test_the_hint_of_who_is_signed_in_costs_a_write_unit_each_way(meter: Meter) -> None:
    """Apart from the budget of a cycle: an agent signs in and out once a shift."""
    meter.scene.registered("ann", skilled(3))
    assert meter.cost(becomes(AVAILABLE)) == (3, 1)
    assert meter.cost(becomes(OFFLINE)) == (3, 1)
    assert meter.cost(becomes(AWAY)) == (2, 1)
    assert meter.cost(becomes(OFFLINE)) == (2, 1)


def test_registering_costs_two_write_units_and_a_new_profile_four_more(meter: Meter) -> None:
    def registers(agent_id: str) -> Callable[[World], object]:
        return lambda world: staffing.register(
            world, agent_id, "Ann", Profile.parse(skilled(3)), max_pools=MAX
        )

    first, _ = meter.cost(registers("ann"))
    second, _ = meter.cost(registers("bea"))
    again, _ = meter.cost(registers("bea"))
    assert (first, second, again) == (6, 2, 1), "again: the roster may lack what a removal has struck"


def test_a_new_requirement_costs_four_units_once(meter: Meter) -> None:
    scene = meter.scene
    assert meter.cost(request(scene, 1))[0] == 5
    assert meter.cost(request(scene, 1))[0] == 1


def test_a_repeated_request_costs_a_read_and_writes_nothing_more_than_a_message(meter: Meter) -> None:
    scene = prepared(meter, 1)
    ask = request(scene, 1, idempotency_key="key")
    assert meter.cost(ask) == (1, 2)
    assert meter.cost(ask) == (0, 2)
    takes_message(scene, 1)(scene.world)
    scene.outbox.sent.clear()
    assert meter.cost(ask) == (0, 2)
    assert scene.outbox.sent == []


def test_a_message_that_comes_again_costs_a_read(meter: Meter) -> None:
    scene = prepared(meter, 1)
    becomes(AVAILABLE)(scene.world)
    call = request(scene, 1)(scene.world)
    takes_message(scene, 1)(scene.world)
    again = meter.cost(lambda world: scene.match(call, requirement=asking(1), world=world, seen_before=True))
    assert again == (0, 1)


def test_a_caller_without_a_key_costs_one_message_and_one_write(meter: Meter) -> None:
    sqs = boto3.client("sqs", region_name="us-east-1", aws_access_key_id="test", aws_secret_access_key="test")
    address = CallQueueAddress(arn="arn:aws:sqs:us-east-1:0:voice.fifo", url="https://voice", dead_letters="")
    queues = SqsCallQueues(sqs, {"voice": address})
    scene = prepared(meter, 1)
    asked = request_of(asking(1))
    with Stubber(sqs) as stub:
        stub.add_response(
            "send_message",
            {"MessageId": "1", "MD5OfMessageBody": "0"},
            {
                "QueueUrl": "https://voice",
                "MessageBody": ANY,
                "MessageGroupId": asked.requirement.key,
                "MessageDeduplicationId": ANY,
                "MessageAttributes": {},
            },
        )
        world = scene.another_world(scene.floor)
        world.catalog.fresh()
        meter.wire.clear()
        calling.request_call(world, queues, asked, max_queues=MAX)
        stub.assert_no_pending_responses()
    assert meter.requests == ["Query", "UpdateItem"]
    assert meter.wire.write_units == 1


def test_a_batch_of_ten_reads_what_a_single_call_reads(meter: Meter) -> None:
    scene = meter.scene
    for number in range(10):
        scene.idle(f"agent-{number}", skilled(3))
    scene.knows_queues(asking(3))
    scene.later()
    calls = [scene.call_of(f"call-{number}", asking(3)) for number in range(10)]
    writes, reads = meter.cost(lambda world: scene.match(*calls, requirement=asking(3), world=world))
    assert (writes, reads) == (50, 2)


def test_a_sweep_in_good_order_reads_the_version_and_a_head_of_each_line(meter: Meter) -> None:
    scene = prepared(meter, 3)
    scene.knows_queues(asking(1), asking(2))
    assert meter.cost(sweep) == (0, 1 + 1 + 3)


def test_a_dead_entry_on_the_way_costs_a_lost_claim_and_its_removal(meter: Meter) -> None:
    """AWS charges a transaction that was refused like one that was not."""
    scene = prepared(meter, 1)
    scene.dead_agent_entry("gone", skilled(1))
    becomes(AVAILABLE)(scene.world)
    scene.later()
    request(scene, 1)(scene.world)
    assert meter.cost(takes_message(scene, 1))[0] == 5 + 5


def test_every_query_is_bounded_but_for_that_of_the_catalog(meter: Meter) -> None:
    scene = prepared(meter, 3)
    meter.wire.clear()
    whole_shift(scene)
    queries = [one for one in meter.wire.requests if one.operation == "Query"]
    unbounded = {partition(one) for one in queries if "Limit" not in one.parameters}
    assert unbounded == {"CATALOG"}
    assert {partition(one).partition("#")[0] for one in queries} == {
        "CATALOG",
        "IDLE",
        "ROSTER",
        "STAFF",
        "WAIT",
    }
    assert "Scan" not in meter.requests


def whole_shift(scene: Scene) -> None:
    """Everything that looks at a line at least once."""
    becomes(AVAILABLE)(scene.world)
    assert scene.look("ann") is Nobody.NO_CALL
    request(scene, 3)(scene.world)
    assert takes_message(scene, 3)(scene.world)
    waits = request(scene, 3)(scene.world)
    assert takes_message(scene, 3)(scene.world) == []
    assert calling.position(scene.world, scene.call(waits.id)) == 1
    scene.later()
    sweep(scene.world)
    assert [agent.id for agent in staffing.listed(scene.world, 9, after=None)[0]] == ["ann"]
    scene.another_world(scene.floor).catalog.fresh()


def partition(query: Request) -> str:
    return query.parameters["ExpressionAttributeValues"][":pk"]["S"]
