"""One crash at every single request of every step, before it and after it, and the same with its answer lost; then
what AWS does: the message is delivered again, the stream's record is looked at again, the client repeats. Afterwards
the promises hold, and the next look leaves no dead entry in its way."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import pytest

from switchboard import calling, staffing
from switchboard.adapters.dynamo_floor import DynamoFloor
from switchboard.adapters.memory_floor import MemoryFloor
from switchboard.bootstrap import now
from switchboard.calling import CallRequest
from switchboard.domain.agents import Agent, AgentStatus
from switchboard.domain.calls import Call, CallStatus
from switchboard.domain.catalog import Queue
from switchboard.domain.lines import Entry, Line
from switchboard.domain.refusals import IllegalMove
from switchboard.domain.skills import Profile, Requirement
from switchboard.matching import Incoming, drain, look_for_call, match
from switchboard.ports import Floor
from switchboard.world import World
from tests.support.faults import AnswerLost, Crash, CrashAfter, between
from tests.support.worlds import Clock, world_on

NEEDS = Requirement.parse({"language": "es"})
QUEUE = Queue(NEEDS)
PROFILE = Profile.parse({"language": ["es", "fr"]})
AGENTS = ("ana", "bob")
CALLS = ("one", "two")


class Stream:
    """Stands at the floor itself: whatever crash a use case meets, what was written is on record here."""

    def __init__(self, floor: Floor) -> None:
        self._floor = floor
        self.woken: deque[Entry] = deque()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._floor, name)

    def commit(self, seen: Any, new: Any) -> None:
        self._floor.commit(seen, new)
        if isinstance(new, Agent) and new.entry:
            self.woken.append(new.entry)


@dataclass
class Floorful:
    """Two agents, two calls, and all that delivers again."""

    floor: Floor
    clock: Clock = field(default_factory=lambda: Clock(now()))
    messages: deque[tuple[Call, bool]] = field(default_factory=deque[tuple[Call, bool]])
    calls: dict[str, Call] = field(default_factory=dict[str, Call])

    def __post_init__(self) -> None:
        self.stream = Stream(self.floor)
        for agent in AGENTS:
            staffing.register(self.world(), agent, agent, PROFILE, max_pools=9)

    def world(self, **hooks: Callable[[str], None]) -> World:
        return world_on(between(self.stream, **hooks), clock=self.clock)  # pyright: ignore[reportArgumentType]

    def send(self, call: Call, requirement_text: str) -> None:
        assert requirement_text == NEEDS.text
        self.messages.append((call, False))

    # --- steps, each as one invocation

    def request(self, world: World, name: str) -> None:
        request = CallRequest(
            client="app", channel="voice", requirement=NEEDS, body="body", idempotency_key=name
        )
        self.calls[name] = calling.request_call(world, self, request, max_queues=9).call

    def deliver(self, world: World) -> None:
        """Every message there is, in one batch; they come again if that fails."""
        batch = [Incoming(call, seen) for call, seen in self.messages]
        self.messages = deque((call, True) for call, _ in self.messages)
        match(world, QUEUE, batch, max_queues=9)
        self.messages.clear()

    def looks(self, world: World) -> None:
        """Every record of the stream; a record stays until its look has ended well."""
        while self.stream.woken:
            look_for_call(world, self.stream.woken[0])
            self.stream.woken.popleft()

    def comes(self, world: World, agent: str) -> None:
        staffing.set_status(world, agent, AgentStatus.AVAILABLE)

    def goes(self, world: World, agent: str) -> None:
        staffing.set_status(world, agent, AgentStatus.OFFLINE)

    def gives_up(self, world: World, name: str) -> None:
        calling.hang_up(world, "app", self.calls[name].id)

    def completes(self, world: World, name: str) -> None:
        calling.complete(world, self.calls[name].id, agent_id=None)

    # --- afterwards

    def settle(self) -> None:
        world = self.world()
        self.deliver(world)
        self.looks(world)

    def check(self) -> None:
        agents = {agent.id: agent for name in AGENTS if (agent := self.floor.agent(name))}
        calls = {name: self.floor.call(call.id) for name, call in self.calls.items()}
        assert len(agents) == len(AGENTS)
        assert all(call is not None and call.status is not CallStatus.REQUESTED for call in calls.values())
        attending = {a.id: a.call for a in agents.values() if a.status is AgentStatus.ATTENDING}
        connected = {c.agent: c.id for c in calls.values() if c and c.status is CallStatus.CONNECTED}
        assert attending == connected
        waits = any(call and call.status is CallStatus.WAITING for call in calls.values())
        idle = any(agent.status is AgentStatus.AVAILABLE for agent in agents.values())
        assert not (waits and idle), "somebody waits while an agent who serves them is idle"

    def check_lines(self) -> None:
        """A later look meets nothing but who is there: it deletes the dead on its way."""
        self.clock.skip(1000)
        self.request(self.world(), "later")
        self.deliver(self.world())
        drain(self.world(), QUEUE)
        for agent in AGENTS:
            with suppress(IllegalMove):  # who attends a call stays with it
                self.comes(self.world(), agent)
        self.looks(self.world())
        for call in [*self.calls]:
            self.gives_up(self.world(), call)
        owners = {entry.owner for entry in self.floor.heads(Line.of_queue(QUEUE.key), 50)}
        assert owners <= {call.id for call in self.calls.values()}


type Step = Callable[[Floorful, World], None]


@dataclass(frozen=True)
class Scene:
    """What happened before, and the step that is cut short."""

    before: tuple[Step, ...]
    step: Step
    after: tuple[Step, ...] = ()


def requests(name: str) -> Step:
    return lambda floorful, world: floorful.request(world, name)


def comes(agent: str) -> Step:
    return lambda floorful, world: floorful.comes(world, agent)


def goes(agent: str) -> Step:
    return lambda floorful, world: floorful.goes(world, agent)


def gives_up(name: str) -> Step:
    return lambda floorful, world: floorful.gives_up(world, name)


def completes(name: str) -> Step:
    return lambda floorful, world: floorful.completes(world, name)


def delivered(floorful: Floorful, world: World) -> None:
    floorful.deliver(world)


def looked(floorful: Floorful, world: World) -> None:
    floorful.looks(world)


SCENES = {
    "a call is requested": Scene((), requests("one")),
    "a call is matched at once": Scene((comes("ana"), looked, requests("one")), delivered),
    "a call is put in line": Scene((requests("one"),), delivered),
    "two calls, one agent": Scene((comes("ana"), looked, requests("one"), requests("two")), delivered),
    "a call behind one that waits": Scene((requests("one"), delivered, requests("two")), delivered),
    "a look drains for an agent who came just now": Scene(
        (requests("one"), delivered, comes("ana"), requests("two")), delivered
    ),
    "an agent comes into line": Scene((), comes("ana")),
    "an agent comes to a call that waits": Scene((requests("one"), delivered), comes("ana")),
    "an agent's look": Scene((requests("one"), delivered, comes("ana")), looked),
    "two agents' looks for one call": Scene((requests("one"), delivered, comes("ana"), comes("bob")), looked),
    "an agent leaves the line": Scene((comes("ana"), looked), goes("ana"), (requests("one"), delivered)),
    "a caller gives up": Scene((requests("one"), delivered), gives_up("one"), (comes("ana"), looked)),
    "a call is completed": Scene((comes("ana"), looked, requests("one"), delivered), completes("one")),
}


FAULTS = {
    "a crash before": ("before", Crash),
    "a crash after": ("after", Crash),
    "the answer lost of": ("after", AnswerLost),
}


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS.keys())
@pytest.mark.parametrize("scene", SCENES.values(), ids=SCENES.keys())
def test_a_step_that_is_cut_short_at_any_request_breaks_nothing(
    scene: Scene, fault: tuple[str, type[BaseException]]
) -> None:
    cut_short_everywhere(MemoryFloor, scene, *fault)


@pytest.mark.parametrize("scene", SCENES.values(), ids=SCENES.keys())
def test_nor_does_it_on_the_real_engine(dynamo_floor: Callable[[], DynamoFloor], scene: Scene) -> None:
    cut_short_everywhere(dynamo_floor, scene, "after", Crash)


def cut_short_everywhere(
    new_floor: Callable[[], Floor], scene: Scene, when: str, fault: type[BaseException]
) -> None:
    number = 0
    while cut_short(Floorful(new_floor()), scene, CrashAfter(number, fault), when):
        number += 1
    assert number > 1


def cut_short(floorful: Floorful, scene: Scene, hook: CrashAfter, when: str) -> bool:
    """Play the scene with one fault; whether it came to that."""
    for step in scene.before:
        step(floorful, floorful.world())
    with suppress(Crash, AnswerLost):
        scene.step(floorful, floorful.world(**{when: hook}))
    if hook.fired and scene.step not in (delivered, looked):
        scene.step(floorful, floorful.world())  # the client repeats
    floorful.settle()
    for step in scene.after:
        step(floorful, floorful.world())
    floorful.settle()
    floorful.check()
    floorful.check_lines()
    return hook.fired
