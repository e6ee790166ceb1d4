"""Agents: registered by supervisors, available when they say so."""

from __future__ import annotations

from switchboard.domain.agents import Agent, AgentStatus
from switchboard.domain.catalog import Pool
from switchboard.domain.refusals import Conflict, IllegalMove, Moved, NotFound
from switchboard.domain.skills import Profile
from switchboard.joining import join, leave
from switchboard.patience import settled
from switchboard.world import World


def register(
    world: World, agent_id: str, name: str, profile: Profile, *, max_pools: int
) -> tuple[Agent, bool]:
    """Have this agent with this name and profile; answers whether it is new.

    Who is in line moves to the line of the new profile and keeps idle since. Raises CatalogFull, Moved.
    """
    pool = Pool(profile)

    def decide() -> tuple[Agent, bool]:
        world.catalog.ensure(pool, at_most=max_pools)
        world.floor.list_on_roster(agent_id)
        seen = world.floor.agent(agent_id)
        if seen is None:
            new = Agent.register(agent_id, name, pool.key, now=world.clock())
            world.floor.commit(None, new)
            return new, True
        if (seen.name, seen.pool) == (name, pool.key):
            return seen, False
        return _change(world, seen, name, pool.key), False

    return settled(world, decide)


def _change(world: World, seen: Agent, name: str, pool: str) -> Agent:
    new = seen.changed(name, pool, now=world.clock(), attempt=world.attempt())
    moves = seen.signed_in and seen.pool != pool
    if moves:
        world.floor.sign_in(pool, seen.id, epoch=new.epoch)
    if new.entry != seen.entry:
        join(world, seen, new)
    else:
        world.floor.commit(seen, new)
    if moves:
        world.floor.sign_out(seen.pool, seen.id, epoch=new.epoch)
    return new


def set_status(world: World, agent_id: str, wanted: AgentStatus) -> Agent:
    """Make the agent available (at the end of its line), away or offline. Asking twice is asking once.

    Raises NotFound, IllegalMove, Moved.
    """

    def decide() -> Agent:
        seen = find(world, agent_id)
        if seen.status is wanted:
            _sign_out_if_offline(world, seen)
            return seen
        now = world.clock()
        match wanted:
            case AgentStatus.AVAILABLE:
                new, enter_or_leave = seen.available(now=now, attempt=world.attempt()), join
            case AgentStatus.AWAY:
                new, enter_or_leave = seen.away(now=now), leave
            case AgentStatus.OFFLINE:
                new, enter_or_leave = seen.offline(now=now), leave
            case _:
                raise Conflict(f"nobody can choose to be {wanted}")
        # The hint of who is signed in may say too much after a crash, never too little.
        if not seen.signed_in:
            world.floor.sign_in(seen.pool, seen.id, epoch=new.epoch)
        enter_or_leave(world, seen, new)
        _sign_out_if_offline(world, new)
        return new

    return settled(world, decide)


def _sign_out_if_offline(world: World, agent: Agent) -> None:
    """Done again by a repeated request: a crash may have come between the two writes."""
    if not agent.signed_in:
        world.floor.sign_out(agent.pool, agent.id, epoch=agent.epoch)


def find(world: World, agent_id: str) -> Agent:
    """Raises NotFound."""
    agent = world.floor.agent(agent_id)
    if agent is None:
        raise NotFound(f"there is no agent {agent_id}")
    return agent


def remove(world: World, agent_id: str) -> None:
    """Forget an agent who is offline. Raises NotFound, IllegalMove, Moved."""
    agent = find(world, agent_id)
    if agent.signed_in:
        raise IllegalMove(
            f"agent {agent_id} is {agent.status}; only who is offline can be removed", agent.status
        )
    try:
        world.floor.remove(agent)
    except Moved as refusal:
        # Gone already: the first answer was lost and the client sent the write again, or another removed the agent.
        if refusal.found is not None:
            raise
    _sign_out_if_offline(world, agent)
    world.floor.strike_from_roster(agent_id)


def listed(world: World, limit: int, *, after: str | None) -> tuple[list[Agent], str | None]:
    """A page of registered agents by id, and the id behind which the next page begins (None: there is none)."""
    ids = world.floor.roster(limit, after=after)
    return world.floor.agents(ids) if ids else [], ids[-1] if len(ids) == limit else None
