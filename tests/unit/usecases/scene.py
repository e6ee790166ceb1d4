"""A floor and who is on it, to play scenes on: agents come and go, calls come in, looks happen when they are told to.

What runs by itself on AWS is called by name here: `match` is the matcher with a message, `look` the stream's look.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from switchboard import calling, staffing
from switchboard.adapters.memory_floor import MemoryFloor
from switchboard.claiming import Match
from switchboard.domain.agents import Agent, AgentStatus
from switchboard.domain.calls import Call, CallStatus
from switchboard.domain.catalog import Pool, Queue
from switchboard.domain.lines import Entry, Standing, standing
from switchboard.domain.skills import Profile, Requirement
from switchboard.joining import join
from switchboard.matching import Incoming, Nobody, look_for_call, match
from switchboard.ports import Floor
from switchboard.world import Event, World
from tests.support.faults import between
from tests.support.worlds import Clock, world_on

MAX = 200
APP = "app"
LONG = 30
"""Seconds after which nobody is fresh any more and no copy of the catalog, but a join may still be in progress."""

type Data = Mapping[str, Any]

SPANISH: Data = {"language": ["es"]}
FRENCH: Data = {"language": ["fr"]}
BOTH: Data = {"language": ["es", "fr"]}
ANYBODY: Data = {}


@dataclass
class Outbox:
    """Call queues that keep what was sent until somebody takes it."""

    sent: list[tuple[Call, str]] = field(default_factory=list[tuple[Call, str]])

    def send(self, call: Call, requirement_text: str) -> None:
        self.sent.append((call, requirement_text))


@dataclass
class Scene:
    """`world` is undisturbed; `disturbed` makes others on the same floor, with the same clock and catalog copy."""

    floor: Floor = field(default_factory=MemoryFloor)
    clock: Clock = field(default_factory=Clock)
    tally: Counter[Event] = field(default_factory=Counter[Event])
    outbox: Outbox = field(default_factory=Outbox)
    pauses: list[float] = field(default_factory=list[float])
    world: World = field(init=False)

    def __post_init__(self) -> None:
        self._attempts = itertools.count()
        self.world = self.another_world(self.floor)

    def another_world(self, floor: Floor, seed: int = 0) -> World:
        """A Lambda environment of its own: another copy of the catalog, other chances."""
        return world_on(floor, clock=self.clock, tally=self.tally, pause=self.pauses.append, seed=seed)

    def disturbed(self, seed: int = 0, **hooks: Callable[[str], None]) -> World:
        """A world with something between it and the floor; see `faults.between`."""
        return self.another_world(between(self.floor, **hooks), seed)

    def counted(self) -> tuple[World, list[str]]:
        """A world, and the names of its requests as they come."""
        requests: list[str] = []
        return self.disturbed(before=requests.append), requests

    def later(self, seconds: float = LONG) -> None:
        self.clock.skip(seconds)

    # --- agents

    def registered(self, agent_id: str, profile: Data = SPANISH) -> Agent:
        agent, _ = staffing.register(
            self.world, agent_id, agent_id.title(), Profile.parse(profile), max_pools=MAX
        )
        return agent

    def idle(self, agent_id: str, profile: Data = SPANISH) -> Entry:
        """Registered and in line, not looked for yet."""
        self.registered(agent_id, profile)
        return place_of(staffing.set_status(self.world, agent_id, AgentStatus.AVAILABLE))

    def away(self, agent_id: str, profile: Data = SPANISH) -> Agent:
        self.registered(agent_id, profile)
        return staffing.set_status(self.world, agent_id, AgentStatus.AWAY)

    def look(self, agent_id: str, world: World | None = None) -> Match | Nobody:
        """What the stream's consumer does for an agent who stands in line."""
        return look_for_call(world or self.world, place_of(self.agent(agent_id)))

    def agent(self, agent_id: str) -> Agent:
        return staffing.find(self.world, agent_id)

    # --- calls

    def call_of(
        self, call_id: str, requirement: Data = SPANISH, *, head_start: int = 0, arrived_at: int | None = None
    ) -> Call:
        """As its message has it; nothing is written."""
        return Call.request(
            call_id,
            APP,
            "voice",
            Requirement.parse(requirement).key,
            arrived_at=self.clock() if arrived_at is None else arrived_at,
            head_start=head_start,
        )

    def match(
        self,
        *calls: Call | str,
        requirement: Data = SPANISH,
        world: World | None = None,
        seen_before: bool = False,
    ) -> list[Match]:
        """The matcher with a batch of one queue."""
        batch = [call if isinstance(call, Call) else self.call_of(call, requirement) for call in calls]
        queue = queue_of(requirement)
        assert {call.queue for call in batch} == {queue.key}
        incoming = [Incoming(call, seen_before) for call in batch]
        return match(world or self.world, queue, incoming, max_queues=MAX)

    def waits(
        self, call_id: str, requirement: Data = SPANISH, *, head_start: int = 0, arrived_at: int | None = None
    ) -> Entry:
        """A call in line, whoever is idle: its matcher has not come to its second look."""
        call = self.call_of(call_id, requirement, head_start=head_start, arrived_at=arrived_at)
        self.knows_queues(requirement)
        return place_of(join(self.world, call, call.waiting(now=self.clock(), attempt=self.world.attempt())))

    def knows_queues(self, *requirements: Data) -> None:
        """They are in the catalog."""
        for requirement in requirements:
            self.world.catalog.ensure(queue_of(requirement), at_most=MAX)

    def call(self, call_id: str) -> Call:
        call = self.floor.call(call_id)
        assert call is not None
        return call

    def served_by(self, call_id: str) -> str | None:
        return self.call(call_id).agent

    def connected(self, call_id: str = "call", agent_id: str = "ann") -> Call:
        """A call with an agent, both new."""
        self.idle(agent_id)
        self.match(call_id)
        assert self.served_by(call_id) == agent_id
        return self.call(call_id)

    # --- what a crash leaves behind

    def dead_agent_entry(self, agent_id: str, profile: Data = SPANISH) -> Entry:
        """Of an agent who has gone away since."""
        entry = self.idle(agent_id, profile)
        seen = self.agent(agent_id)
        self.floor.commit(seen, seen.away(now=self.clock()))
        return entry

    def dead_call_entry(self, call_id: str, requirement: Data = SPANISH) -> Entry:
        """Of a call that was abandoned since."""
        entry = self.waits(call_id, requirement)
        seen = self.call(call_id)
        self.floor.commit(seen, seen.abandoned(now=self.clock()))
        return entry

    def joining_agent_entry(self, agent_id: str, profile: Data = SPANISH) -> Entry:
        """Of an agent who is between the two writes of a join."""
        seen = self.registered(agent_id, profile)
        entry = place_of(seen.available(now=self.clock(), attempt="joining"))
        self.floor.enter(entry)
        return entry

    def joining_call_entry(self, call_id: str, requirement: Data = SPANISH) -> Entry:
        call = self.call_of(call_id, requirement)
        entry = place_of(call.waiting(now=self.clock(), attempt="joining"))
        self.knows_queues(requirement)
        self.floor.enter(entry)
        return entry

    # --- what stands where

    def idle_line(self, profile: Data = SPANISH) -> list[str]:
        """Owners of all entries of the pool's line, whatever they are worth."""
        return [entry.owner for entry in self.floor.heads(Pool(Profile.parse(profile)).line, MAX)]

    def waiting_line(self, requirement: Data = SPANISH) -> list[str]:
        return [entry.owner for entry in self.floor.heads(queue_of(requirement).line, MAX)]

    def broken_promises(self, agent_ids: list[str], call_ids: list[str]) -> list[str]:
        """What is not as it always has to be once everything that is on its way has arrived."""
        agents = [agent for one in agent_ids if (agent := self.floor.agent(one))]
        calls = {one: self.floor.call(one) for one in call_ids}
        attending = {agent.id: agent.call for agent in agents if agent.status is AgentStatus.ATTENDING}
        connected = {
            call.agent: call.id for call in calls.values() if call and call.status is CallStatus.CONNECTED
        }
        return [
            *(f"{one} is lost" for one, call in calls.items() if call is None),
            *(
                f"{one} was never looked at"
                for one, call in calls.items()
                if call and call.status is CallStatus.REQUESTED
            ),
            *([f"not mutual: {attending}, {connected}"] if attending != connected else []),
            *(f"{pair} are stranded" for pair in self._stranded(agents, calls)),
        ]

    def _stranded(self, agents: list[Agent], calls: Mapping[str, Call | None]) -> list[tuple[str, str]]:
        catalog = self.world.catalog.fresh()
        return [
            (agent.id, call.id)
            for agent in agents
            for call in calls.values()
            if agent.status is AgentStatus.AVAILABLE
            and call
            and call.status is CallStatus.WAITING
            and catalog.queues[call.queue] in catalog.queues_served_by(agent.pool)
        ]

    def standing_of(self, entry: Entry) -> Standing | None:
        """What an entry is worth; None if it is not there."""
        stands = entry in self.floor.heads(entry.line, MAX)
        owner = self.floor.agent(entry.owner) or self.floor.call(entry.owner)
        return standing(entry, owner) if stands else None


def place_of(owner: Agent | Call) -> Entry:
    assert owner.entry is not None
    return owner.entry


def queue_of(requirement: Data) -> Queue:
    return Queue(Requirement.parse(requirement))


def request_of(requirement: Data = SPANISH, **changes: Any) -> calling.CallRequest:
    """What a caller app asks for."""
    asked: dict[str, Any] = {
        "client": APP,
        "channel": "voice",
        "requirement": Requirement.parse(requirement),
        "body": "fingerprint",
        **changes,
    }
    return calling.CallRequest(**asked)
