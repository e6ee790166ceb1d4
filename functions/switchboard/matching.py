"""The looks: whoever came into a line looks across for a partner.

`match` is a queue's: a first look for calls that just came in, and for those who found nobody a join and a second
look, which drains. `look_for_call` is an agent's. Both end only when there is nobody left to pair, so whoever
comes later finds them in line: no wake-up is lost. `sweep` is the net below.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum, auto

from switchboard.claiming import Match, claim, was_quicker
from switchboard.domain.calls import Call, CallStatus
from switchboard.domain.catalog import Catalog, Queue
from switchboard.domain.lines import Entry, Line
from switchboard.domain.refusals import Moved
from switchboard.joining import join
from switchboard.lines_ahead import Candidates, EarliestCalls, by_place, merged
from switchboard.patience import patiently
from switchboard.ports import Outcome
from switchboard.world import Event, World

FRESH = 2_000_000
"""Microseconds for which an agent who came into line may still be before its own look."""
SETTLED = 10_000_000
"""Microseconds after which whoever stands in line has long been looked for."""
PAGE = 10
"""How many heads of a line are read at once, where the number of calls does not say."""


class Nobody(Enum):
    """Why a look for a call ended without one."""

    NO_CALL = auto()
    AGENT_GONE = auto()


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
    catalog = world.catalog.fresh()
    queue = catalog.queues.get(queue.key, queue)
    look_started_at = world.clock()
    waiting = merged(world, [queue.line], rank=by_place, page=PAGE)
    call = next(waiting, None)
    if call is None:
        return []
    candidates = _candidates(world, queue, catalog, PAGE)
    matches: list[Match] = []
    while call and (candidate := candidates.next()):
        if look_started_at - candidate.joined_at < FRESH:
            found = look_for_call(world, candidate)
            if found is Nobody.NO_CALL:
                break
            if isinstance(found, Match):
                matches.append(found)
            continue
        outcome = Outcome(call_gone=True)
        while call and outcome.call_gone and not outcome.agent_gone:
            outcome = claim(world, candidate, call, look_started_at=look_started_at)
            if outcome.won:
                matches.append(Match(candidate.owner, call.owner))
            if outcome.won or outcome.call_gone:
                call = next(waiting, None)
        if was_quicker(candidate, outcome):
            candidates.lost_one()
    return matches


def look_for_call(world: World, agent: Entry) -> Match | Nobody:
    """The look of an agent who stands in line: the earliest call of all the queues its pool serves."""
    catalog = world.catalog.fresh()
    look_started_at = world.clock()
    lines = [queue.line for queue in catalog.queues_served_by(agent.line.key)]
    for waiting in merged(world, lines, rank=by_place, page=PAGE):
        outcome = claim(world, agent, waiting, look_started_at=look_started_at)
        if outcome.won:
            return Match(agent.owner, waiting.owner)
        if outcome.agent_gone:
            return Nobody.AGENT_GONE
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
    for queue in queues:
        if queue.key in waits and any(pool.key in idle for pool in catalog.pools_serving(queue.requirement)):
            found += drain(world, queue)
    for _ in found:
        world.tally(Event.SWEEP_FOUND)
    return found


def _first_look(world: World, queue: Queue, calls: Sequence[Call]) -> tuple[list[Match], list[Call]]:
    """Pair calls that stand in no line yet, where nobody waits before them; answers the pairs and the others."""
    if not calls:
        return [], []
    catalog = world.catalog.at_hand()
    queue = catalog.queues.get(queue.key, queue)
    look_started_at = world.clock()
    head = next(merged(world, [queue.line], rank=by_place, page=1), None)
    first = [call for call in calls if head is None or call.place < head.place]
    if not first:
        return [], list(calls)
    candidates = _candidates(world, queue, catalog, len(first))
    elsewhere = EarliestCalls(world)

    def candidate_for(call: Call) -> Entry | None:
        """The next candidate but those who came just now and have an earlier call to take elsewhere."""
        while candidate := candidates.next():
            fresh = look_started_at - candidate.joined_at < FRESH
            if not (fresh and elsewhere.any_before(call.place, candidate.line.key)):
                return candidate
        return None

    matches, unmatched = _pair_in_rounds(world, first, candidates, candidate_for, look_started_at)
    return matches, unmatched + list(calls[len(first) :])


def _pair_in_rounds(
    world: World,
    calls: Sequence[Call],
    candidates: Candidates,
    candidate_for: Callable[[Call], Entry | None],
    look_started_at: int,
) -> tuple[list[Match], list[Call]]:
    """Claim a candidate for each call, side by side; who lost the candidate tries the next; answers as a first look."""
    matches: list[Match] = []
    unmatched: list[Call] = []
    pending = list(calls)
    while pending:
        pairs = [(call, candidate) for call in pending if (candidate := candidate_for(call))]
        unmatched += pending[len(pairs) :]
        outcomes = world.together(
            lambda pair: claim(world, pair[1], pair[0], look_started_at=look_started_at), pairs
        )
        tried = list(zip(pairs, outcomes, strict=True))
        matches += [Match(candidate.owner, call.id) for (call, candidate), outcome in tried if outcome.won]
        pending = [call for (call, _), outcome in tried if not (outcome.won or outcome.call_gone)]
        for (_, candidate), outcome in tried:
            if was_quicker(candidate, outcome):
                candidates.lost_one()
    return matches, unmatched


def _park(world: World, call: Call) -> bool:
    """Bring the call into the line of its queue; False if it has ended or found an agent meanwhile."""
    try:
        join(world, call, call.waiting(now=world.clock(), attempt=world.attempt()))
    except Moved as refusal:
        return isinstance(refusal.found, Call) and refusal.found.status is CallStatus.WAITING
    world.tally(Event.PARKED)
    return True


def _candidates(world: World, queue: Queue, catalog: Catalog, page: int) -> Candidates:
    lines = [pool.line for pool in catalog.pools_serving(queue.requirement)]
    order = queue.order
    return Candidates(
        world, merged(world, lines, rank=order.rank, page=page, newest_first=order.newest_first)
    )
