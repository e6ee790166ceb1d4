"""Coming into a line and leaving it.

A join is two plain writes: the entry first, then the owner's STATE, which makes it count. Whatever happens
between them, the entry alone means nothing: an entry is live if and only if its owner names it. See
docs/decisions.md.
"""

from __future__ import annotations

from switchboard.domain.agents import Agent
from switchboard.domain.calls import Call
from switchboard.domain.refusals import Moved
from switchboard.patience import patiently
from switchboard.world import World


def join[T: (Agent, Call)](world: World, seen: T, new: T) -> T:
    """Bring the owner into the line that `new.entry` names. The only way into any line.

    Raises Moved, with no entry left behind, if the owner is not as seen any more.
    """
    if new.entry is None:
        raise ValueError("who joins a line needs an entry")
    world.floor.enter(new.entry)
    try:
        patiently(world, lambda: world.floor.commit(seen, new))
    except Moved as refusal:
        # Ours if it names our entry: the first answer was lost and the client sent the write again.
        if refusal.found is None or refusal.found.entry != new.entry:
            world.floor.clear([new.entry])
            raise
    if seen.entry is not None:
        world.floor.clear([seen.entry])
    return new


def leave[T: (Agent, Call)](world: World, seen: T, new: T) -> T:
    """Write a state that stands in no line, then delete the entry that was left. Raises Moved."""
    try:
        patiently(world, lambda: world.floor.commit(seen, new))
    except Moved as refusal:
        if refusal.found != new:
            raise
    if seen.entry is not None:
        world.floor.clear([seen.entry])
    return new
