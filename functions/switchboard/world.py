"""What a use case is given: the floor, and all else that is not a value."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from switchboard.catalog_reader import CatalogReader
from switchboard.ports import Floor


class Event(StrEnum):
    """What the use cases count; each is a metric of this name."""

    MATCHED = "CallsMatched"
    PARKED = "CallsParked"
    CLAIM_LOST = "ClaimsLost"
    CONTENDED = "Contended"
    DEAD_ENTRY = "DeadEntriesDeleted"
    SWEEP_FOUND = "SweepFound"


class Together(Protocol):
    """Calls a function with each item, side by side where it can; answers in the items' order."""

    def __call__[T, R](self, function: Callable[[T], R], items: Iterable[T], /) -> list[R]: ...


@dataclass(frozen=True, slots=True)
class World:
    """The floor and its catalog; time (microseconds UTC), chance, a pause (seconds), hands, and a tally."""

    floor: Floor
    catalog: CatalogReader
    clock: Callable[[], int]
    chance: random.Random
    pause: Callable[[float], None]
    together: Together
    tally: Callable[[Event], None]
    join_grace: int
    """Microseconds after which a join that has not finished never will: twice the longest function timeout."""

    def attempt(self) -> str:
        """What tells one try to join a line from every other: 40 random bits."""
        return f"{self.chance.getrandbits(40):010x}"
