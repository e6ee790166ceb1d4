"""A rush hour: many threads on one floor, with what SQS, the stream and Lambda do around the use cases.

Messages of one group are handled one batch at a time and come again until they succeed; every agent who came into
line is looked for, until that succeeds. All that the floor did is on record as it truly happened, whatever answer
a use case got.
"""

from __future__ import annotations

import random
import threading
import time
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from switchboard import calling, staffing
from switchboard.bootstrap import now, together
from switchboard.catalog_reader import CatalogReader
from switchboard.domain.agents import Agent, AgentStatus
from switchboard.domain.calls import Call, CallStatus
from switchboard.domain.catalog import Queue
from switchboard.domain.lines import Entry
from switchboard.domain.refusals import Refusal
from switchboard.domain.skills import Profile, Requirement
from switchboard.matching import FRESH, Incoming, look_for_call, match
from switchboard.ports import Floor, Outcome, Pairing, Unavailable
from switchboard.world import Event, World
from tests.support.faults import Crash, CrashAfter, between
from tests.support.worlds import one_by_one

LANGUAGES = ("en", "es", "fr")
WORK = ("calm", "request", "hang up", "match", "look", "staff")
CUT_SHORT_AFTER = {"request": 4, "hang up": 5, "match": 16, "look": 8, "staff": 6}
"""Every second piece of work is cut short: after its first request, its second, … up to so many, and again."""


@dataclass(frozen=True, slots=True)
class Claimed:
    """A claim that truly happened, between two times."""

    agent: Entry
    call_id: str
    look_started_at: int
    sent_at: int
    done_at: int


@dataclass(slots=True)
class Record:
    """What truly happened, by the one clock."""

    in_line_from: dict[str, int] = field(default_factory=dict[str, int])
    left_line_at: dict[str, int] = field(default_factory=dict[str, int])
    agent_joined_at: dict[Entry, int] = field(default_factory=dict[Entry, int])
    claims: list[Claimed] = field(default_factory=list[Claimed])
    faults: Counter[tuple[str, str]] = field(default_factory=Counter[tuple[str, str]])


class Witness:
    """Stands next to the floor itself: nothing that happens there escapes it, and the stream starts here."""

    def __init__(self, floor: Floor, record: Record, stream: deque[Entry]) -> None:
        self._floor = floor
        self._record = record
        self._stream = stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self._floor, name)

    def commit(self, seen: Any, new: Any) -> None:
        sent_at = now()
        self._floor.commit(seen, new)
        if isinstance(new, Call):
            if new.status is CallStatus.WAITING:
                self._record.in_line_from[new.id] = now()
            else:
                self._record.left_line_at[new.id] = sent_at
        elif new.entry:
            self._record.agent_joined_at[new.entry] = new.entry.joined_at
            self._stream.append(new.entry)

    def claim(self, pairing: Pairing, *, at: int) -> Outcome:
        sent_at = now()
        outcome = self._floor.claim(pairing, at=at)
        if outcome.won:
            call_id = pairing.call.owner if isinstance(pairing.call, Entry) else pairing.call.id
            self._record.left_line_at[call_id] = sent_at
            self._record.claims.append(
                Claimed(pairing.agent, call_id, pairing.look_started_at, sent_at, now())
            )
        return outcome


class Messages:
    """The call queue: a batch of one group at a time, and again whatever failed."""

    def __init__(self) -> None:
        self._groups: dict[str, deque[tuple[Call, Queue, bool]]] = defaultdict(deque)
        self._busy: set[str] = set()
        self._lock = threading.Lock()

    def send(self, call: Call, requirement_text: str) -> None:
        queue = Queue(Requirement.from_text(requirement_text))
        with self._lock:
            self._groups[queue.key].append((call, queue, False))

    def handle(self, work: Callable[[Queue, Sequence[Incoming]], None]) -> bool:
        """Hand a batch of a free group to `work`; it comes again if that fails. False if there is nothing to do."""
        with self._lock:
            key = next((key for key, some in self._groups.items() if some and key not in self._busy), None)
            if key is None:
                return False
            self._busy.add(key)
            group = self._groups[key]
            batch = [group.popleft() for _ in range(min(10, len(group)))]
        try:
            work(batch[0][1], [Incoming(call, seen) for call, _, seen in batch])
        except (Crash, Refusal, Unavailable):
            with self._lock:
                group.extendleft((call, queue, True) for call, queue, _ in reversed(batch))
        finally:
            with self._lock:
                self._busy.discard(key)
        return True

    @property
    def empty(self) -> bool:
        with self._lock:
            return not self._busy and not any(self._groups.values())


class Rush:
    """Agents in overlapping pools, calls of several queues, everybody at once.

    `fault`: raised after every single request of join, look, claim and clean-up in turn (None: never).
    """

    def __init__(
        self,
        floor: Floor,
        *,
        agents: int,
        calls: int,
        seed: int,
        fault: type[BaseException] | None = None,
        pace: float = 0.001,
    ) -> None:
        self.record = Record()
        self._stream: deque[Entry] = deque()
        self._truth: Floor = Witness(floor, self.record, self._stream)  # pyright: ignore[reportAttributeAccessIssue]
        self._messages = Messages()
        self._catalogs = {work: CatalogReader(self._truth, now) for work in WORK}
        self._seed = seed
        self._pace = pace
        self._fault = fault
        self._turns: Counter[str] = Counter()
        self._callers_done = threading.Event()
        self.agents = [f"agent-{number}" for number in range(agents)]
        self.calls: list[Call] = []
        self._how_many_calls = calls
        self.profiles = {agent: self._profile(number) for number, agent in enumerate(self.agents)}

    # --- who takes part

    def _profile(self, number: int) -> Profile:
        known = [LANGUAGES[number % 3], *([LANGUAGES[(number + 1) % 3]] if number % 2 else [])]
        return Profile.parse({"language": known, "gender": ["F" if number % 5 else "M"]})

    def _world(self, work: str, seed: int) -> World:
        """A world for one piece of work, which may be cut short by a fault after one of its requests."""
        floor = self._truth
        self._turns[work] += 1
        if self._fault and self._turns[work] % 2:
            hook = CrashAfter(self._turns[work] // 2 % CUT_SHORT_AFTER[work], self._fault)

            def after(name: str) -> None:
                try:
                    hook(name)
                except BaseException:
                    self.record.faults[work, name] += 1
                    raise

            floor = between(floor, after=after)
        return World(
            floor=floor,
            catalog=self._catalogs[work],
            clock=now,
            chance=random.Random(seed),
            pause=time.sleep,
            together=together if self._seed % 2 else one_by_one,
            tally=self._count,
            join_grace=60_000_000,
        )

    def _count(self, event: Event) -> None:
        self._turns[f"tally {event}"] += 1

    # --- what they do

    def open(self) -> None:
        world = self._calm()
        for agent, profile in self.profiles.items():
            staffing.register(world, agent, agent, profile, max_pools=200)

    def run(self, threads: int = 16) -> None:
        """Everybody at once, until all calls are made; then what is on its way gets there."""
        quarter = threads // 4
        share = -(-len(self.agents) // quarter)
        work = [
            *(lambda n=n: self._callers(n, quarter) for n in range(quarter)),
            *(lambda n=n: self._matcher(n) for n in range(quarter)),
            *(lambda n=n: self._looker(n) for n in range(quarter)),
            *(lambda n=n: self._staff(self.agents[n * share : (n + 1) * share], n) for n in range(quarter)),
        ]
        errors: list[BaseException] = []

        def guarded(one: Callable[[], None]) -> None:
            try:
                one()
            except BaseException as error:
                errors.append(error)
                self._callers_done.set()

        running = [threading.Thread(target=guarded, args=(one,)) for one in work]
        for thread in running:
            thread.start()
        for thread in running:
            thread.join()
        if errors:
            raise errors[0]

    def settle(self) -> None:
        """Deliver again what failed, without faults: nothing else repairs anything, the sweep least of all."""
        while not self._messages.empty or self._stream:
            self._messages.handle(lambda queue, batch: self._match(self._calm(), queue, batch))
            self._look_once(self._calm())

    def _callers(self, first: int, step: int) -> None:
        """Every `step`th call, and now and then one that hangs up."""
        chance = random.Random(self._seed * 100 + first)
        for number in range(first, self._how_many_calls, step):
            request = calling.CallRequest(
                client="rush",
                channel="voice",
                requirement=self._requirement(chance),
                body="body",
                idempotency_key=f"{number}",
                head_start=chance.choice([0, 0, 0, 1]),
            )
            call = self._until_done("request", number, lambda world, r=request: self._request(world, r))
            self.calls.append(call)
            if chance.random() < 0.1:
                left = chance.choice(self.calls)
                self._until_done(
                    "hang up", number, lambda world, c=left: calling.hang_up(world, "rush", c.id)
                )
            time.sleep(chance.expovariate(1 / self._pace))
        if len(self.calls) == self._how_many_calls:
            self._callers_done.set()

    def _requirement(self, chance: random.Random) -> Requirement:
        language = [chance.choice(LANGUAGES)]
        asked = [{"language": language}, {"language": language, "gender": ["F"]}, {"gender": ["F", "M"]}]
        return Requirement.parse(chance.choice(asked))

    def _request(self, world: World, request: calling.CallRequest) -> Call:
        return calling.request_call(world, self._messages, request, max_queues=200).call

    def _until_done[T](self, work: str, seed: int, step: Callable[[World], T]) -> T:
        """A client repeats what got no answer, as HTTP clients do."""
        while True:
            try:
                return step(self._world(work, seed))
            except (Crash, Unavailable, Refusal):
                continue

    def _staff(self, agents: Sequence[str], seed: int) -> None:
        chance = random.Random(self._seed * 1000 + seed)
        while not self._callers_done.is_set():
            time.sleep(chance.expovariate(1 / self._pace))
            agent = chance.choice(agents)
            with suppress(Crash, Unavailable, Refusal):
                self._one_thing(agent, self._world("staff", chance.getrandbits(30)), chance)

    def _one_thing(self, agent_id: str, world: World, chance: random.Random) -> None:
        """The next thing an agent does: come, take a break, go, or finish the call."""
        agent = staffing.find(world, agent_id)
        if agent.status is AgentStatus.ATTENDING and agent.call:
            if chance.random() < 0.5:
                calling.complete(world, agent.call, agent_id=agent_id)
        elif agent.status is AgentStatus.AVAILABLE:
            if chance.random() < 0.4:
                staffing.set_status(world, agent_id, chance.choice([AgentStatus.AWAY, AgentStatus.OFFLINE]))
        elif chance.random() < 0.6:
            staffing.set_status(world, agent_id, AgentStatus.AVAILABLE)

    def _matcher(self, seed: int) -> None:
        while not (self._callers_done.is_set() and self._messages.empty):
            if not self._messages.handle(
                lambda queue, batch: self._match(self._world("match", seed), queue, batch)
            ):
                time.sleep(0.002)

    def _match(self, world: World, queue: Queue, batch: Sequence[Incoming]) -> None:
        match(world, queue, batch, max_queues=200)

    def _looker(self, seed: int) -> None:
        while not (self._callers_done.is_set() and not self._stream):
            if not self._look_once(self._world("look", seed)):
                time.sleep(0.002)

    def _look_once(self, world: World) -> bool:
        try:
            entry = self._stream.popleft()
        except IndexError:
            return False
        try:
            look_for_call(world, entry)
        except (Crash, Unavailable, Refusal):
            self._stream.append(entry)
        return True

    def _calm(self) -> World:
        fault, self._fault = self._fault, None
        try:
            return self._world("calm", self._seed)
        finally:
            self._fault = fault

    # --- what must be true afterwards

    def problems(self) -> list[str]:
        """Every broken promise, in words; none if all were kept."""
        world = self._calm()
        agents = {agent.id: agent for name in self.agents if (agent := world.floor.agent(name))}
        calls = {call.id: call for made in self.calls if (call := world.floor.call(made.id))}
        return [
            *(f"lost: {call.id}" for call in self.calls if call.id not in calls),
            *(f"never looked at: {c.id}" for c in calls.values() if c.status is CallStatus.REQUESTED),
            *self._not_mutual(agents, calls),
            *self._claimed_twice(),
            *self._stranded(world, agents, calls),
            *self._passed_over(calls),
        ]

    def _not_mutual(self, agents: dict[str, Agent], calls: dict[str, Call]) -> list[str]:
        attending = {a.id: a.call for a in agents.values() if a.status is AgentStatus.ATTENDING}
        connected = {c.agent: c.id for c in calls.values() if c.status is CallStatus.CONNECTED}
        return [] if attending == connected else [f"not mutual: {attending} but {connected}"]

    def _claimed_twice(self) -> list[str]:
        calls = Counter(claimed.call_id for claimed in self.record.claims)
        agents = Counter(claimed.agent for claimed in self.record.claims)
        return [
            f"claimed {many} times: {what}" for what, many in [*calls.items(), *agents.items()] if many > 1
        ]

    def _stranded(self, world: World, agents: dict[str, Agent], calls: dict[str, Call]) -> list[str]:
        """Nobody waits while an idle agent serves them: no wake-up was lost."""
        catalog = world.catalog.fresh()
        idle = {agent.pool for agent in agents.values() if agent.status is AgentStatus.AVAILABLE}
        return [
            f"stranded: {call.id}"
            for call in calls.values()
            if call.status is CallStatus.WAITING
            and not idle.isdisjoint(
                pool.key for pool in catalog.pools_serving(catalog.queues[call.queue].requirement)
            )
        ]

    def _passed_over(self, calls: dict[str, Call]) -> list[str]:
        """Promise 4, in its own words: waiting and claimable during the whole of the look that took another."""
        catalog = self._calm().catalog.fresh()

        def choice_of(claimed: Claimed) -> set[str]:
            """The queues whose calls went first: the call's own, and all that an agent serves who came just now."""
            fresh = claimed.look_started_at - self.record.agent_joined_at[claimed.agent] < FRESH
            served = catalog.queues_served_by(claimed.agent.line.key) if fresh else ()
            return {calls[claimed.call_id].queue, *(queue.key for queue in served)}

        def stood_by(other: Call, claimed: Claimed) -> bool:
            joined = self.record.in_line_from.get(other.id, claimed.done_at)
            left = self.record.left_line_at.get(other.id, claimed.done_at + 1)
            return joined < claimed.look_started_at and left > claimed.done_at

        return [
            f"passed over: {other.id} of {other.queue} by {claimed}"
            for claimed in self.record.claims
            for other in calls.values()
            if other.place < calls[claimed.call_id].place
            and stood_by(other, claimed)
            and other.queue in choice_of(claimed)
        ]
