"""Calls: requested and followed by caller apps, completed by agents."""

from __future__ import annotations

from dataclasses import dataclass

from switchboard.domain.agents import AgentStatus
from switchboard.domain.calls import Call, CallStatus, keyed_id
from switchboard.domain.catalog import Catalog, Queue
from switchboard.domain.refusals import Invalid, Moved, NoAgentOnline, NotFound
from switchboard.domain.skills import Requirement
from switchboard.joining import leave
from switchboard.patience import patiently, settled
from switchboard.ports import CallQueues
from switchboard.world import World

MOST_COUNTED = 100
"""Positions are exact up to here."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CallRequest:
    """What a caller app asks for. `requirement` holds the channel too; `body` is the fingerprint of the request."""

    client: str
    channel: str
    requirement: Requirement
    body: str
    head_start: int = 0
    idempotency_key: str | None = None
    refuse_if_no_agent: bool = False


@dataclass(frozen=True, slots=True)
class Requested:
    """An accepted call, and whether nobody who could serve it is signed in."""

    call: Call
    no_agent_online: bool


def request_call(world: World, queues: CallQueues, request: CallRequest, *, max_queues: int) -> Requested:
    """Accept a call: once this returns it is kept, and the matcher takes it from its queue.

    A repeat under the same key meets its own call, and sends it again while nobody has looked at it.
    Raises NoAgentOnline, CatalogFull, Invalid (the key was used for another request).
    """
    queue = Queue(request.requirement)
    call, seen = _new_or_known(world, request, queue.key)
    no_agent_online = not _anyone_could_serve(world, request.requirement)
    if seen is None and no_agent_online and request.refuse_if_no_agent:
        raise NoAgentOnline("no agent who could serve this call is signed in")
    if seen is None or seen.status is CallStatus.REQUESTED:
        patiently(world, lambda: world.catalog.ensure(queue, at_most=max_queues))
        queues.send(call, request.requirement.text)
    if seen is None:
        try:
            patiently(world, lambda: world.floor.commit(None, call))
        except Moved as refusal:  # the matcher, or the same request sent twice at once, was here before
            call = _same(request, refusal.found) or call
    return Requested(call, no_agent_online)


def _new_or_known(world: World, request: CallRequest, queue: str) -> tuple[Call, Call | None]:
    if request.idempotency_key is None:
        call_id, seen = f"{world.chance.getrandbits(128):032x}", None
    else:
        call_id = keyed_id(request.client, request.idempotency_key)
        seen = _same(request, world.floor.call(call_id))
    new = Call.request(
        call_id,
        request.client,
        request.channel,
        queue,
        arrived_at=world.clock(),
        head_start=request.head_start,
        body=request.body,
    )
    return seen or new, seen


def _same(request: CallRequest, found: object) -> Call | None:
    if not isinstance(found, Call):
        return None
    if found.body != request.body:
        raise Invalid("Idempotency-Key", "was used before, for another request")
    return found


def _anyone_could_serve(world: World, requirement: Requirement) -> bool:
    def anyone(catalog: Catalog) -> bool:
        pools = catalog.pools_serving(requirement)
        # The first pool answers most of the time; at night all have to be asked.
        return any(
            any(world.together(lambda pool: world.floor.anyone_signed_in(pool.key), some))
            for some in (pools[:1], pools[1:])
        )

    known = world.catalog.at_hand()
    # The copy at hand lacks a pool that came seconds ago: its agents are there all the same.
    return anyone(known) or ((fresh := world.catalog.fresh()) is not known and anyone(fresh))


def find(world: World, client: str, call_id: str) -> Call:
    """A call for the app that made it; to others it does not exist. Raises NotFound."""
    call = world.floor.call(call_id)
    if call is None or call.client != client:
        raise NotFound(f"there is no call {call_id}")
    return call


def position(world: World, call: Call) -> int | None:
    """1 for the head of the line; at most MOST_COUNTED + 1, which means more than MOST_COUNTED. None: not in line."""
    return world.floor.ahead_of(call.entry, MOST_COUNTED) + 1 if call.entry else None


def hang_up(world: World, client: str, call_id: str) -> Call:
    """The caller leaves: a call not yet served is abandoned, a connected one completed, an ended one stays as it is.

    Raises NotFound, Moved.
    """

    def decide() -> Call:
        seen = find(world, client, call_id)
        if seen.ended:
            return seen
        if seen.status is CallStatus.CONNECTED:
            return _part(world, seen)
        return leave(world, seen, seen.abandoned(now=world.clock()))

    return settled(world, decide)


def complete(world: World, call_id: str, *, agent_id: str | None) -> Call:
    """The agent (None: a supervisor) ends the call and goes to wrap-up. Completing twice is completing once.

    Raises NotFound (unknown, or not this agent's), IllegalMove (not connected), Moved.
    """

    def decide() -> Call:
        seen = world.floor.call(call_id)
        if seen is None or agent_id not in (None, seen.agent):
            raise NotFound(f"there is no call {call_id}" + (f" of agent {agent_id}" if agent_id else ""))
        return seen if seen.status is CallStatus.COMPLETED else _part(world, seen)

    return settled(world, decide)


def _part(world: World, seen: Call) -> Call:
    now = world.clock()
    ended = seen.completed(now=now)
    agent = world.floor.agent(seen.agent or "")
    if agent is None or (agent.status, agent.call) != (AgentStatus.ATTENDING, seen.id):
        raise Moved(agent)
    world.floor.part((agent, agent.freed(now=now)), (seen, ended))
    return ended
