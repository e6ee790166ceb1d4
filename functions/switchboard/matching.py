"""The looks: whoever came into a line looks across for a partner.

`match` is a queue's: a first look for calls that just came in, and for those who found nobody a join and a second
look, which drains. `look_for_call` is an agent's. Both end only when there is nobody left to pair, so whoever
comes later finds them in line: no wake-up is lost. `sweep` is the net below.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum, auto

from switchboard.claiming import Match, claim, was_quicker
from switchboard.domain.calls import Call, CallStatus
from switchboard.domain.catalog import Catalog, Queue
from switchboard.domain.lines import Entry, Line
from switchboard.domain.refusals import Contention, Moved
from switchboard.joining import join
from switchboard.lines_ahead import Candidates, LinesRead, by_place
from switchboard.patience import patiently
from switchboard.ports import Unavailable
from switchboard.world import Event, World

FRESH = 2_000_000
"""Microseconds for which an agent who came into line may still be before its own look."""
SETTLED = 10_000_000
"""Microseconds after which whoever stands in line has long been looked for."""


class Nobody(Enum):
    """Why a look for a call or an agent ended without one."""

    NO_CALL = auto()
    NO_AGENT = auto()
    CALL_GONE = auto()
    AGENT_GONE = auto()
    TAKEN = auto()
    """Gone because another look was quicker."""


@dataclass(frozen=True, slots=True)
class Look:
    """One look across the lines: when it began, and what it has read since."""

    world: World
    catalog: Catalog
    started_at: int
    lines: LinesRead

    @classmethod
    def begin(cls, world: World, catalog: Catalog) -> Look:
        return cls(world, catalog, world.clock(), LinesRead(world))

    def waiting(self, queues: Iterable[Queue]) -> Iterator[Entry]:
        """Who stands in the lines of these queues, by effective arrival."""
        return self.lines.merged([queue.line for queue in queues], rank=by_place)

    def waiting_for(self, agent: Entry) -> Iterator[Entry]:
        """Who stands in the lines that this agent's pool serves."""
        return self.waiting(self.catalog.queues_served_by(agent.line.key))

    def candidates(self, queue: Queue) -> Candidates:
        """Who may take the calls of this queue, in the queue's order."""
        order = self.catalog.queues.get(queue.key, queue).order
        pools = [pool.line for pool in self.catalog.pools_serving(queue.requirement)]
        idle = self.lines.merged(pools, rank=order.rank, newest_first=order.newest_first)
        return Candidates(self.world, idle)

    def finds_fresh(self, agent: Entry) -> bool:
        """Whether the agent came into line just now, and may be before its own look."""
        return self.started_at - agent.joined_at < FRESH

    def knows_earlier(self, agent: Entry, call: Call) -> bool:
        """Whether an earlier call than this one waits anywhere for the agent, by the catalog as it is now."""
        queues = self.world.catalog.fresh().queues_served_by(agent.line.key)
        earliest = next(self.waiting(queues), None)
        return earliest is not None and earliest.place < call.place


@dataclass(frozen=True, slots=True)
class Incoming:
    """A call as its message has it. `seen_before`: the message was delivered before, some steps may be done."""

    call: Call
    seen_before: bool = False


def match(world: World, queue: Queue, incoming: Sequence[Incoming], *, max_queues: int) -> list[Match]:
    """Do for these calls of one queue what is left to do: each is matched at once, or stands in line.

    Returns the pairs made, which may be of other calls of the queue, who waited longer. Raises CatalogFull,
    Contention: then calls that are not matched may be sent here again.
    """
    patiently(world, lambda: world.catalog.ensure(queue, at_most=max_queues))
    known = world.together(lambda one: world.floor.call(one.call.id) if one.seen_before else None, incoming)
    new = [
        one.call
        for one, found in zip(incoming, known, strict=True)
        if found is None or found.status is CallStatus.REQUESTED
    ]
    parked = any(found is not None and found.status is CallStatus.WAITING for found in known)
    matches, unmatched = _first_look(world, queue, sorted(new, key=lambda call: call.place))
    if unmatched:
        parked |= any(world.together(lambda call: _park(world, call), unmatched))
    return matches + (drain(world, queue) if parked else [])


def drain(world: World, queue: Queue) -> list[Match]:
    """Pair the line of the queue from its head until calls or candidates run out.

    One claim after the other: two at once could let a call pass over an earlier one that lost its candidate.
    Candidates who came into line just now get the earliest call of all queues they serve, as in their own look;
    leaving them to it instead could leave this call and another agent without anybody on the way to pair them.
    """
    look = Look.begin(world, world.catalog.fresh())
    if next(look.waiting([queue]), None) is None:
        return []
    candidates = look.candidates(queue)
    matches: list[Match] = []
    while candidate := candidates.next():
        calls = look.waiting_for(candidate) if look.finds_fresh(candidate) else look.waiting([queue])
        found = _pair_with_first(look, candidate, calls)
        if found is Nobody.NO_CALL:
            break
        if isinstance(found, Match):
            matches.append(found)
        elif found is Nobody.TAKEN:
            candidates.lost_one()
    return matches


def look_for_call(world: World, agent: Entry) -> Match | Nobody:
    """The look of an agent who stands in line: the earliest call of all the queues its pool serves."""
    look = Look.begin(world, world.catalog.fresh())
    return _pair_with_first(look, agent, look.waiting_for(agent))


def _pair_with_first(look: Look, agent: Entry, calls: Iterable[Entry]) -> Match | Nobody:
    """Claim the first of these calls that can be had."""
    for call in calls:
        outcome = claim(look.world, agent, call, look_started_at=look.started_at)
        if outcome.won or outcome.call_gone:
            look.lines.use_up(call)
        if outcome.won:
            return Match(agent.owner, call.owner)
        if outcome.agent_gone:
            return Nobody.TAKEN if was_quicker(agent, outcome) else Nobody.AGENT_GONE
    return Nobody.NO_CALL


def sweep(world: World) -> list[Match]:
    """Pair whoever has stood opposite a partner for a while. In good order there is nobody."""
    catalog = world.catalog.fresh()
    settled = world.clock() - SETTLED

    def stands(line: Line) -> bool:
        return any(entry.joined_at < settled for entry in world.floor.heads(line, 1))

    pools = list(catalog.pools.values())
    queues = list(catalog.queues.values())
    idle = {
        pool.key
        for pool, some in zip(pools, world.together(stands, [p.line for p in pools]), strict=True)
        if some
    }
    waits = {
        queue.key
        for queue, some in zip(queues, world.together(stands, [q.line for q in queues]), strict=True)
        if some
    }
    found: list[Match] = []
    failures: list[Exception] = []
    for queue in queues:
        if queue.key in waits and any(pool.key in idle for pool in catalog.pools_serving(queue.requirement)):
            try:
                pairs = drain(world, queue)
            except (Contention, Unavailable) as failure:  # the other queues are swept all the same
                failures.append(failure)
                continue
            found += pairs
            for _ in pairs:
                world.tally(Event.SWEEP_FOUND)
    if failures:
        raise failures[0]
    return found


def _first_look(world: World, queue: Queue, calls: Sequence[Call]) -> tuple[list[Match], list[Call]]:
    """Pair calls that stand in no line yet, where nobody waits before them; answers the pairs and the others.

    One after the other, as `drain` does: an earlier call must not lose its candidate while a later one wins.
    """
    if not calls:
        return [], []
    look = Look.begin(world, world.catalog.at_hand())
    head = next(look.waiting([queue]), None)
    first = [call for call in calls if head is None or call.place < head.place]
    if not first:
        return [], list(calls)
    candidates = look.candidates(queue)
    matches: list[Match] = []
    unmatched: list[Call] = []
    for call in first:
        found = _candidate_won(look, candidates, call)
        if isinstance(found, Match):
            matches.append(found)
        elif found is Nobody.NO_AGENT:
            unmatched.append(call)
    return matches, unmatched + list(calls[len(first) :])


def _candidate_won(look: Look, candidates: Candidates, call: Call) -> Match | Nobody:
    """Claim the first candidate that can be had, but none who came just now and has an earlier call to take elsewhere."""
    while candidate := candidates.next():
        if look.finds_fresh(candidate) and look.knows_earlier(candidate, call):
            continue
        outcome = claim(look.world, candidate, call, look_started_at=look.started_at)
        if outcome.won:
            return Match(candidate.owner, call.id)
        if outcome.call_gone:
            if not outcome.agent_gone:
                candidates.give_back(candidate)
            return Nobody.CALL_GONE
        if was_quicker(candidate, outcome):
            candidates.lost_one()
    return Nobody.NO_AGENT


def _park(world: World, call: Call) -> bool:
    """Bring the call into the line of its queue; False if it has ended or found an agent meanwhile."""
    try:
        join(world, call, call.waiting(now=world.clock(), attempt=world.attempt()))
    except Moved as refusal:
        return isinstance(refusal.found, Call) and refusal.found.status is CallStatus.WAITING
    world.tally(Event.PARKED)
    return True
