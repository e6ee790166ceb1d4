"""Worlds to run use cases in."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from collections.abc import Callable, Iterable

from switchboard.catalog_reader import CatalogReader
from switchboard.ports import Floor
from switchboard.world import Event, World

EPOCH = 1_700_000_000_000_000


class Clock:
    """Virtual time: each look at it is a microsecond later."""

    def __init__(self, at: int = EPOCH) -> None:
        self._ticks = itertools.count(at)
        self._skipped = 0

    def __call__(self) -> int:
        return next(self._ticks) + self._skipped

    def skip(self, seconds: float) -> None:
        self._skipped += int(seconds * 1_000_000)


def one_by_one[T, R](function: Callable[[T], R], items: Iterable[T], /) -> list[R]:
    return [function(item) for item in items]


def world_on(
    floor: Floor,
    *,
    clock: Callable[[], int] | None = None,
    seed: int = 0,
    tally: Counter[Event] | None = None,
    pause: Callable[[float], None] = lambda _: None,
    together: Callable[..., list[object]] = one_by_one,
    join_grace: float = 60,
) -> World:
    """A world that does one thing after the other and draws the same chances each time."""
    clock = clock or Clock()
    counts = Counter[Event]() if tally is None else tally

    def count(event: Event) -> None:
        counts[event] += 1

    return World(
        floor=floor,
        catalog=CatalogReader(floor, clock),
        clock=clock,
        chance=random.Random(seed),
        pause=pause,
        together=together,  # pyright: ignore[reportArgumentType] - one signature for any item
        tally=count,
        join_grace=int(join_grace * 1_000_000),
    )
