"""Trying again: when others are at the same items, and when they changed what a decision rests on."""

from __future__ import annotations

from collections.abc import Callable

from switchboard.domain.refusals import Contention, Moved
from switchboard.world import Event, World

TRIES = 5
FIRST_PAUSE = 0.01
"""Seconds; doubled with each try, and each pause taken at random up to that."""
DECISIONS = 4


def patiently[T](world: World, step: Callable[[], T]) -> T:
    """Do the same again, after a jittered pause, while others are at the same items. Raises the last Contention."""
    for attempt in range(TRIES - 1):
        try:
            return step()
        except Contention:
            world.tally(Event.CONTENDED)
            world.pause(world.chance.uniform(0, FIRST_PAUSE * 2**attempt))
    return step()


def settled[T](world: World, decide: Callable[[], T]) -> T:
    """Decide on what is there, and anew when somebody changed it in between. Raises the last Moved or Contention."""
    for _ in range(DECISIONS - 1):
        try:
            return patiently(world, decide)
        except Moved:
            continue
    return patiently(world, decide)
