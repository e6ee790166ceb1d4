"""The known defects of the published reference (a FIFO agent queue with filtering on DynamoDB), each as a test that
ours does not have it. Numbers as in the list of what the reference does not handle; 14, IAM, is for tests/infra."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import pytest

from switchboard import bootstrap, calling, staffing
from switchboard.adapters.dynamo_floor import DynamoFloor
from switchboard.claiming import Match, claim
from switchboard.domain.agents import AgentStatus
from switchboard.domain.calls import CallStatus
from switchboard.domain.lines import Line, Standing
from switchboard.domain.refusals import Contention
from switchboard.domain.skills import Profile
from switchboard.patience import TRIES
from switchboard.world import Event
from tests.contract.wire import Wire
from tests.support.worlds import Clock, world_on
from tests.unit.usecases.faulty import Contended, Meanwhile
from tests.unit.usecases.scene import APP, BOTH, FRENCH, SPANISH, Data, Scene, place_of

if TYPE_CHECKING:
    from types_boto3_dynamodb import DynamoDBClient

BERLIN, NEW_YORK, KOLKATA = "CET-1CEST,M3.5.0,M10.5.0/3", "EST5EDT,M3.2.0,M11.1.0", "IST-5:30"
TRUTHS_AND_ENTRIES = {"AGENT", "CALL", "IDLE", "WAIT"}


@pytest.fixture
def scene(dynamo_floor: Callable[[], DynamoFloor]) -> Scene:
    """On AWS's own engine."""
    return Scene(dynamo_floor())


@pytest.fixture
def wire(dynamodb_local: DynamoDBClient) -> Iterator[Wire]:
    with Wire(dynamodb_local) as wire:
        yield wire


def languages(many: int) -> Data:
    return {"language": [f"l{number}" for number in range(many)]}


def keys_written(wire: Wire) -> list[str]:
    """The partition keys of all items that were written, in order."""

    def keys(request: Any) -> Iterator[dict[str, Any]]:
        match request.operation:
            case "PutItem":
                yield request.parameters["Item"]
            case "UpdateItem" | "DeleteItem":
                yield request.parameters["Key"]
            case "TransactWriteItems":
                yield from (write["Update"]["Key"] for write in request.parameters["TransactItems"])
            case "BatchWriteItem":
                for writes in request.parameters["RequestItems"].values():
                    yield from (write["DeleteRequest"]["Key"] for write in writes)
            case _:
                pass

    return [key["pk"]["S"] for request in wire.requests for key in keys(request)]


# --- 1


def test_an_agent_who_joins_the_tail_between_read_and_claim_is_no_conflict(scene: Scene) -> None:
    scene.idle("ann")
    scene.later()
    tail = Meanwhile("claim", lambda: scene.idle("bea"))
    assert scene.match("call", world=scene.disturbed(before=tail)) == [Match("ann", "call")]
    assert tail.happened
    assert scene.tally == {Event.MATCHED: 1}
    assert scene.idle_line() == ["bea"]


# --- 2


def test_who_is_marked_available_again_is_not_twice_in_line(scene: Scene) -> None:
    scene.idle("ann")
    scene.idle("bea")
    at_once = scene.disturbed(
        before=Meanwhile("agent", lambda: staffing.set_status(scene.world, "ann", AgentStatus.AVAILABLE))
    )
    staffing.set_status(at_once, "ann", AgentStatus.AVAILABLE)
    staffing.set_status(scene.world, "ann", AgentStatus.AVAILABLE)
    assert scene.idle_line() == ["ann", "bea"]


def test_two_who_mark_an_agent_available_at_the_same_moment_put_her_in_line_once(scene: Scene) -> None:
    scene.away("ann")
    both_wrote_entries = Meanwhile(
        "commit", lambda: staffing.set_status(scene.world, "ann", AgentStatus.AVAILABLE)
    )
    staffing.set_status(scene.disturbed(before=both_wrote_entries), "ann", AgentStatus.AVAILABLE)
    assert scene.idle_line() == ["ann"]
    assert scene.standing_of(place_of(scene.agent("ann"))) is Standing.LIVE


# --- 3


def test_an_entry_that_has_gone_is_not_assigned(scene: Scene) -> None:
    entry = scene.idle("ann")
    staffing.set_status(scene.world, "ann", AgentStatus.AWAY)
    assert scene.idle_line() == []
    call = scene.call_of("call")
    outcome = claim(scene.world, entry, call, look_started_at=scene.clock())
    assert (outcome.won, outcome.agent_gone) == (False, True)
    assert scene.agent("ann").status is AgentStatus.AWAY
    assert scene.floor.call("call") is None


def test_an_entry_that_an_operator_deleted_assigns_nobody_and_coming_back_heals_it(scene: Scene) -> None:
    scene.floor.clear([scene.idle("ann")])
    assert scene.match("call") == []
    for status in (AgentStatus.AWAY, AgentStatus.AVAILABLE):
        staffing.set_status(scene.world, "ann", status)
    assert scene.look("ann") == Match("ann", "call")
    assert (scene.idle_line(), scene.waiting_line()) == ([], [])


# --- 4


def test_who_went_offline_between_read_and_commit_is_not_assigned(scene: Scene) -> None:
    scene.idle("ann")
    scene.later()
    leaves = Meanwhile("claim", lambda: staffing.set_status(scene.world, "ann", AgentStatus.OFFLINE))
    assert scene.match("call", world=scene.disturbed(before=leaves)) == []
    assert scene.agent("ann").status is AgentStatus.OFFLINE
    assert scene.call("call").status is CallStatus.WAITING


# --- 5


def test_two_agents_of_the_same_microsecond_are_both_in_line(scene: Scene) -> None:
    for agent_id in ("ann", "bea"):
        scene.registered(agent_id)
    standing_still = world_on(scene.floor, clock=lambda: Clock()())
    since = [
        place_of(staffing.set_status(standing_still, agent_id, AgentStatus.AVAILABLE)).time
        for agent_id in ("ann", "bea")
    ]
    assert since[0] == since[1]
    assert scene.idle_line() == ["ann", "bea"]
    scene.later()
    assert scene.match("first", "second") == [Match("ann", "first"), Match("bea", "second")]


# --- 6


def test_a_new_language_just_works(scene: Scene) -> None:
    scene.idle("ann")
    german: Data = {"language": ["de"]}
    assert scene.match("call", requirement=german) == []
    scene.idle("gerd", german)
    assert scene.look("gerd") == Match("gerd", "call")
    scene.idle("greta", german)
    assert scene.match("next", requirement=german) == [Match("greta", "next")]


# --- 7


def test_the_traffic_of_other_queues_does_not_disturb_a_claim(scene: Scene) -> None:
    scene.idle("ann")
    scene.later()

    def traffic() -> None:
        for number in range(5):
            scene.idle(f"fred-{number}", FRENCH)
            scene.match(f"french-{number}", requirement=FRENCH)
        scene.waits("french", FRENCH)
        calling.hang_up(scene.world, APP, "french")

    assert scene.match("call", world=scene.disturbed(before=Meanwhile("claim", traffic))) == [
        Match("ann", "call")
    ]
    assert scene.tally[Event.MATCHED] == 6
    assert scene.tally[Event.CONTENDED] == scene.tally[Event.CLAIM_LOST] == 0


def test_a_claim_touches_the_two_who_are_paired_and_nothing_else(scene: Scene, wire: Wire) -> None:
    agent, call = scene.idle("ann", BOTH), scene.waits("call")
    wire.clear()
    claim(scene.world, agent, call, look_started_at=scene.clock())
    assert wire.operations == ["TransactWriteItems", "BatchWriteItem"]
    truths = ["AGENT#ann", "CALL#call"]
    assert keys_written(wire) == [*truths, f"IDLE#{agent.line.key}", f"WAIT#{call.line.key}"]


# --- 8


@pytest.fixture
def clock_on_the_wall(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str, int], None]]:
    """Sets the zone of this process, and the seconds since 1970."""

    def put(zone: str, seconds: int) -> None:
        monkeypatch.setenv("TZ", zone)
        time.tzset()
        monkeypatch.setattr(time, "time_ns", lambda: seconds * 1_000_000_000)

    yield put
    monkeypatch.undo()
    time.tzset()


def test_order_knows_neither_time_zones_nor_summer_time(
    clock_on_the_wall: Callable[[str, int], None],
) -> None:
    """Half past two of the night in which clocks go back comes twice; the second is an hour later all the same."""
    half_past_two = 1_792_888_200
    moments = [
        (BERLIN, half_past_two),
        (NEW_YORK, half_past_two + 1),
        (KOLKATA, half_past_two + 3599),
        (BERLIN, half_past_two + 3600),
    ]
    keys: list[str] = []
    walls: list[str] = []
    for zone, seconds in moments:
        clock_on_the_wall(zone, seconds)
        walls.append(time.strftime("%H:%M", time.localtime(seconds)))
        idle = staffing.Agent.register("ann", "Ann", "pool", now=0).available(
            now=bootstrap.now(), attempt="0a"
        )
        keys.append(place_of(idle).key)
    assert walls[0] == walls[3] == "02:30"
    assert keys == sorted(keys)
    assert [key.split("#")[0] for key in keys] == [f"{seconds}000000" for _, seconds in moments]


# --- 9


@pytest.mark.parametrize("throttled", ["sign_in", "enter", "commit"])
def test_throttling_loses_nobody(scene: Scene, throttled: str) -> None:
    agents = [f"agent-{number}" for number in range(4)]
    for agent_id in agents:
        scene.registered(agent_id)
    world = scene.disturbed(before=Contended(throttled, 3 * TRIES))
    refused = 0
    for agent_id in agents:
        while scene.agent(agent_id).status is not AgentStatus.AVAILABLE:
            try:
                staffing.set_status(world, agent_id, AgentStatus.AVAILABLE)
            except Contention:
                refused += 1
    assert refused > 0 or scene.tally[Event.CONTENDED] > 0
    live = [
        entry.owner
        for entry in scene.floor.heads(Line.of_pool(Profile.parse(SPANISH).key), 50)
        if scene.standing_of(entry) is Standing.LIVE
    ]
    assert live == agents


# --- 10


def test_where_nobody_is_free_the_caller_waits_and_it_is_on_record_who_got_whom(scene: Scene) -> None:
    assert scene.match("call") == []
    waiting = scene.call("call")
    assert (waiting.status, waiting.client, waiting.agent) == (CallStatus.WAITING, APP, None)
    assert scene.waiting_line() == ["call"]
    scene.idle("ann")
    assert scene.look("ann") == Match("ann", "call")
    served = scene.call("call")
    assert (served.agent, scene.agent("ann").call) == ("ann", "call")
    assert waiting.arrived_at < (served.connected_at or 0)


# --- 11


def test_agents_finish_and_log_out_one_by_one(scene: Scene) -> None:
    for number in (1, 2):
        scene.idle(f"agent-{number}")
        scene.match(f"call-{number}")
    calling.complete(scene.world, "call-1", agent_id="agent-1")
    assert scene.agent("agent-1").status is AgentStatus.WRAP_UP
    staffing.set_status(scene.world, "agent-1", AgentStatus.AVAILABLE)
    staffing.set_status(scene.world, "agent-1", AgentStatus.OFFLINE)
    assert scene.idle_line() == []
    calling.hang_up(scene.world, APP, "call-2")
    assert scene.agent("agent-2").status is AgentStatus.WRAP_UP
    assert [scene.call(f"call-{number}").status for number in (1, 2)] == [CallStatus.COMPLETED] * 2


def test_finishing_one_call_leaves_everybody_elses_alone(scene: Scene) -> None:
    for number in (1, 2):
        scene.idle(f"agent-{number}")
        scene.match(f"call-{number}")
    other = scene.agent("agent-2"), scene.call("call-2")
    calling.complete(scene.world, "call-1", agent_id="agent-1")
    assert (scene.agent("agent-2"), scene.call("call-2")) == other


# --- 12


def test_no_counter_can_drift_for_none_is_written_on_the_way(scene: Scene, wire: Wire) -> None:
    scene.away("ann", BOTH)
    scene.knows_queues(SPANISH)
    wire.clear()
    staffing.set_status(scene.world, "ann", AgentStatus.AVAILABLE)
    scene.match("call")
    calling.complete(scene.world, "call", agent_id="ann")
    scene.match("waits")
    staffing.set_status(scene.world, "ann", AgentStatus.AVAILABLE)
    scene.look("ann")
    calling.hang_up(scene.world, APP, "waits")
    keys = keys_written(wire)
    assert {key.partition("#")[0] for key in keys} == TRUTHS_AND_ENTRIES
    assert {key for key in keys if key.startswith(("AGENT", "CALL"))} == {
        "AGENT#ann",
        "CALL#call",
        "CALL#waits",
    }
    assert (scene.idle_line(BOTH), scene.waiting_line()) == ([], [])


# --- 13


@pytest.mark.parametrize("many", [1, 2, 3, 10, 49, 50])
def test_there_is_no_limit_to_skills_and_none_costs_a_write(scene: Scene, wire: Wire, many: int) -> None:
    profile, asked = languages(many), {"language": [f"l{many - 1}"]}
    scene.away("ann", profile)
    scene.knows_queues(asked)
    wire.clear()
    staffing.set_status(scene.world, "ann", AgentStatus.AVAILABLE)
    assert [request.writes for request in wire.requests if request.writes] == [1, 1]
    scene.later()
    wire.clear()
    assert scene.match("call", requirement=asked) == [Match("ann", "call")]
    assert [(r.operation, r.writes) for r in wire.requests if r.writes] == [
        ("TransactWriteItems", 2),
        ("BatchWriteItem", 1),
    ]
