"""Every piece of work, cut short after each of its requests in turn, and then delivered again as SQS, the stream and
HTTP clients do: whatever was done or left undone, all promises hold, and what is left behind is harmless."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, cast

import pytest

from switchboard import calling, staffing
from switchboard.adapters.dynamo_floor import DynamoFloor
from switchboard.adapters.memory_floor import MemoryFloor
from switchboard.domain.agents import Agent, AgentStatus
from switchboard.domain.calls import Call, CallStatus
from switchboard.domain.lines import Entry
from switchboard.domain.refusals import Refusal
from switchboard.domain.skills import Profile, Requirement
from switchboard.matching import Nobody, look_for_call, sweep
from switchboard.ports import Floor, Unavailable
from switchboard.world import World
from tests.support.faults import AnswerLost, Crash, CrashAfter
from tests.unit.usecases.scene import ANYBODY, APP, BOTH, FRENCH, SPANISH, Data, Scene, request_of

AVAILABLE, AWAY, OFFLINE = AgentStatus.AVAILABLE, AgentStatus.AWAY, AgentStatus.OFFLINE
SERVED_OR_ENDED = {CallStatus.CONNECTED, CallStatus.COMPLETED, CallStatus.ABANDONED}
SERVES_ALL: Data = {"language": ["es", "fr"], "gender": ["F"]}
AFTER_THE_GRACE = 61
READS = {
    "agent",
    "agents",
    "ahead_of",
    "anyone_signed_in",
    "call",
    "catalog_version",
    "heads",
    "load_catalog",
    "roster",
}


class Stream:
    """Stands next to the floor and takes down every entry of an agent that became true, as the stream does."""

    def __init__(self, floor: Floor) -> None:
        self._floor = floor
        self.wakes: list[Entry] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._floor, name)

    def commit(self, seen: Any, new: Any) -> None:
        self._floor.commit(seen, new)
        if isinstance(new, Agent) and new.entry:
            self.wakes.append(new.entry)


class Stage(Scene):
    """A scene on a floor with a stream, from which everything that is on its way is delivered when told to."""

    def __init__(self, floor: Floor) -> None:
        self.stream = Stream(floor)
        super().__init__(cast(Floor, self.stream))

    def deliver(self) -> None:
        """Each message and each record of the stream, some of them not for the first time."""
        for call, text in [*self.outbox.sent, *self.outbox.sent[:1]]:
            self.match(call, requirement=requirement_of(text), seen_before=True)
        for entry in [*self.stream.wakes, *self.stream.wakes[:1]]:
            look_for_call(self.world, entry)

    def sent(self, call_id: str, requirement: Data = SPANISH) -> Call:
        """A call in the state in which the API leaves it; its message is on the way."""
        call = self.call_of(call_id, requirement)
        self.knows_queues(requirement)
        self.outbox.send(call, Requirement.parse(requirement).text)
        self.floor.commit(None, call)
        return call

    def goes_on(self) -> tuple[list[str], list[str]]:
        """More agents than calls come, then more calls than agents; each line is looked at to its end."""
        self.later(AFTER_THE_GRACE)
        agents, calls = ["late-agent-0"], ["late-call-0"]
        self.idle(agents[-1], SERVES_ALL)
        while self.look(agents[-1]) is not Nobody.NO_CALL:
            agents.append(f"late-agent-{len(agents)}")
            self.idle(agents[-1], SERVES_ALL)
        self.later()
        while self.match(calls[-1], requirement=ANYBODY):
            calls.append(f"late-call-{len(calls)}")
        return agents, calls

    def leftovers(self) -> list[str]:
        """Owners of entries, once everybody who could be served is."""
        catalog = self.world.catalog.fresh()
        lines = [*(pool.line for pool in catalog.pools.values()), *(q.line for q in catalog.queues.values())]
        return [entry.owner for line in lines for entry in self.floor.heads(line, 50)]


def requirement_of(text: str) -> Data:
    return next(one for one in (SPANISH, FRENCH, BOTH, ANYBODY) if Requirement.parse(one).text == text)


@dataclass(frozen=True)
class Story:
    """Who is there before; a work that may be cut short; and who must be there in the end."""

    before: Callable[[Stage], object]
    work: Callable[[Stage, World, bool], object]
    agents: Sequence[str] = ()
    calls: Sequence[str] = ()
    requests: int = 0
    """How many there are at least, undisturbed."""


def becomes(status: AgentStatus, agent_id: str = "ann") -> Callable[[Stage, World, bool], object]:
    return lambda _, world, __: staffing.set_status(world, agent_id, status)


def message_comes(call_id: str, requirement: Data = SPANISH) -> Callable[[Stage, World, bool], object]:
    def work(stage: Stage, world: World, again: bool) -> None:
        call = next(call for call, _ in stage.outbox.sent if call.id == call_id)
        stage.match(call, requirement=requirement, world=world, seen_before=again)

    return work


def waits_and_settled(stage: Stage) -> None:
    stage.dead_call_entry("gone")
    stage.waits("first")
    stage.dead_call_entry("gone-too")
    stage.waits("second")
    stage.dead_agent_entry("left")
    stage.idle("ann")
    stage.idle("bea", BOTH)
    stage.idle("cy")
    stage.stream.wakes.clear()
    stage.later()
    stage.sent("third")


def talk(stage: Stage) -> None:
    stage.idle("ann")
    stage.match("talk")
    stage.waits("next")


def moves_house(stage: Stage) -> None:
    stage.waits("french", FRENCH)
    stage.idle("ann")
    stage.registered("bea", BOTH)


def requests_a_call(stage: Stage, world: World, _: bool) -> object:
    asked = request_of(SPANISH, idempotency_key="key")
    return calling.request_call(world, stage.outbox, asked, max_queues=200)


def change_profile(_: Stage, world: World, __: bool) -> object:
    return staffing.register(world, "ann", "Anna", Profile.parse(BOTH), max_pools=200)


def register_new(_: Stage, world: World, __: bool) -> object:
    staffing.register(world, "ann", "Ann", Profile.parse(SPANISH), max_pools=200)
    return staffing.set_status(world, "ann", AVAILABLE)


STORIES = {
    "an agent joins": Story(lambda stage: stage.away("ann"), becomes(AVAILABLE), ["ann"], requests=3),
    "an agent signs in, and calls wait": Story(
        lambda stage: (stage.waits("first"), stage.waits("second"), stage.registered("ann")),
        becomes(AVAILABLE),
        ["ann"],
        ["first", "second"],
        requests=4,
    ),
    "an agent registers and joins": Story(
        lambda stage: stage.waits("call"), register_new, ["ann"], ["call"], requests=9
    ),
    "a call is requested": Story(lambda stage: stage.idle("ann"), requests_a_call, ["ann"], requests=4),
    "a call comes and is matched at once": Story(
        lambda stage: (stage.idle("ann"), stage.idle("bea"), stage.later(), stage.sent("call")),
        message_comes("call"),
        ["ann", "bea"],
        ["call"],
        requests=4,
    ),
    "a call comes just after an agent": Story(
        lambda stage: (stage.sent("call"), stage.waits("french", FRENCH), stage.idle("ann", BOTH)),
        message_comes("call"),
        ["ann"],
        ["call", "french"],
        requests=6,
    ),
    "a call is left for an earlier one of another queue": Story(
        lambda stage: (stage.waits("french", FRENCH), stage.sent("call"), stage.idle("ann", BOTH)),
        message_comes("call"),
        ["ann"],
        ["french", "call"],
        requests=9,
    ),
    "a call parks": Story(
        lambda stage: (stage.away("ann"), stage.sent("call")),
        message_comes("call"),
        ["ann"],
        ["call"],
        requests=5,
    ),
    "a batch of which one is matched": Story(
        lambda stage: (stage.idle("ann"), stage.later(), stage.sent("first"), stage.sent("second")),
        lambda stage, world, again: stage.match(
            *(call for call, _ in stage.outbox.sent), world=world, seen_before=again
        ),
        ["ann"],
        ["first", "second"],
        requests=8,
    ),
    "an agent looks": Story(
        lambda stage: (
            stage.dead_call_entry("gone"),
            stage.waits("first"),
            stage.waits("second", FRENCH),
            stage.idle("ann", BOTH),
        ),
        lambda stage, world, _: look_for_call(world, stage.stream.wakes[-1]),
        ["ann"],
        ["first", "second"],
        requests=6,
    ),
    "two agents look for one call": Story(
        lambda stage: (stage.waits("call"), stage.idle("ann"), stage.idle("bea"), stage.look("bea")),
        lambda stage, world, _: look_for_call(world, stage.stream.wakes[0]),
        ["ann", "bea"],
        ["call"],
        requests=3,
    ),
    "a line is drained": Story(
        waits_and_settled,
        message_comes("third"),
        ["ann", "bea", "cy"],
        ["first", "second", "third"],
        requests=14,
    ),
    "an agent takes a break": Story(
        lambda stage: (stage.idle("ann"), stage.sent("call")), becomes(AWAY), ["ann"], ["call"], requests=3
    ),
    "an agent goes home": Story(
        lambda stage: (stage.idle("ann"), stage.sent("call")), becomes(OFFLINE), ["ann"], ["call"], requests=4
    ),
    "a waiting caller hangs up": Story(
        lambda stage: (stage.waits("call"), stage.waits("next")),
        lambda _, world, __: calling.hang_up(world, APP, "call"),
        [],
        ["call", "next"],
        requests=3,
    ),
    "a caller hangs up before anybody looked": Story(
        lambda stage: (stage.away("ann"), stage.sent("call")),
        lambda _, world, __: calling.hang_up(world, APP, "call"),
        ["ann"],
        ["call"],
        requests=2,
    ),
    "a call is completed and the agent comes back": Story(
        talk,
        lambda _, world, __: (
            calling.complete(world, "talk", agent_id="ann"),
            staffing.set_status(world, "ann", AVAILABLE),
        ),
        ["ann"],
        ["talk", "next"],
        requests=6,
    ),
    "a connected caller hangs up": Story(
        talk, lambda _, world, __: calling.hang_up(world, APP, "talk"), ["ann"], ["talk", "next"], requests=3
    ),
    "an agent in line gets another profile": Story(
        moves_house, change_profile, ["ann", "bea"], ["french"], requests=7
    ),
    "a sweep finds somebody": Story(
        lambda stage: (stage.waits("call"), stage.idle("ann"), stage.later(), stage.stream.wakes.clear()),
        lambda _, world, __: sweep(world),
        ["ann"],
        ["call"],
        requests=8,
    ),
    "an agent is removed": Story(
        lambda stage: (stage.registered("ann"), stage.waits("call")),
        lambda _, world, __: staffing.remove(world, "ann"),
        [],
        ["call"],
        requests=3,
    ),
}
FAULTS = {
    "crash after": ("after", Crash),
    "answer lost": ("after", AnswerLost),
    "crash before": ("before", Crash),
}


def undisturbed(story: Story, floor: Floor) -> list[str]:
    """The names of the requests of the work."""
    stage = Stage(floor)
    story.before(stage)
    world, requests = stage.counted()
    story.work(stage, world, False)
    return requests


def cut_short(stage: Stage, story: Story, number: int, fault: str) -> str:
    """Do the work, but for what comes after (or with) this request; answers its name."""
    when, error = FAULTS[fault]
    crash = CrashAfter(number, error)
    names: list[str] = []

    def before(name: str) -> None:
        names.append(name)
        if when == "before":
            crash(name)

    world = stage.disturbed(before=before, after=crash if when == "after" else lambda _: None)
    with suppress(Crash, Unavailable):
        story.work(stage, world, False)
    assert crash.fired
    return names[-1]


def deliver_again(stage: Stage, story: Story, *, stream_first: bool) -> None:
    """Whoever did not get an answer asks again; meanwhile, before or after, everything else arrives too."""
    if stream_first:
        stage.deliver()
    with suppress(Refusal):  # what was asked for has happened, and more has happened since
        story.work(stage, stage.world, True)
    stage.deliver()


def check(stage: Stage, story: Story) -> None:
    agents = list(story.agents)
    calls = [*story.calls, *(call.id for call, _ in stage.outbox.sent if call.id not in story.calls)]
    assert stage.broken_promises(agents, calls) == []
    late_agents, late_calls = stage.goes_on()
    assert stage.broken_promises(agents + late_agents, calls + late_calls) == []
    assert {stage.call(call_id).status for call_id in calls} <= SERVED_OR_ENDED
    assert AVAILABLE not in {stage.agent(agent_id).status for agent_id in agents}
    assert stage.leftovers() == late_calls[-1:]


def run_all(
    story: Story,
    new_floor: Callable[[], Floor],
    fault: str,
    *,
    stream_first: bool = False,
    after: Callable[[str], bool] = lambda _: True,
) -> None:
    names = undisturbed(story, new_floor())
    assert len(names) >= story.requests > 0
    for number, name in enumerate(names):
        if after(name):
            stage = Stage(new_floor())
            story.before(stage)
            assert cut_short(stage, story, number, fault) == name
            deliver_again(stage, story, stream_first=stream_first)
            check(stage, story)


@pytest.mark.parametrize("stream_first", [False, True])
@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("name", STORIES)
def test_promises_hold_after_a_fault_at_any_request(name: str, fault: str, stream_first: bool) -> None:
    run_all(STORIES[name], MemoryFloor, fault, stream_first=stream_first)


@pytest.mark.parametrize("name", STORIES)
def test_promises_hold_after_a_fault_at_any_write_on_dynamodb(
    dynamo_floor: Callable[[], DynamoFloor], name: str
) -> None:
    """A fault after a read leaves the table as a fault after the write before that read does."""
    run_all(STORIES[name], dynamo_floor, "answer lost", after=lambda name: name not in READS)


def test_every_write_of_the_floor_is_cut_short_somewhere() -> None:
    """But for those that arrange lines, which nobody waits for."""
    cut = {name for story in STORIES.values() for name in undisturbed(story, MemoryFloor())}
    methods = {name for name in vars(Floor) if not name.startswith("_")}
    assert cut - READS == methods - READS - {"change_in_catalog"}
