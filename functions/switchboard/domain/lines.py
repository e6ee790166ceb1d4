"""Lines and the entries that stand in them.

An entry's `key` orders it within its line: time first, then owner, so that text order is time order and a tie
has one answer. The random `attempt` at its end makes every try to join a line an entry of its own: a try that
was given up can never be mistaken for a later one.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

TIME_DIGITS = 16
"""Microseconds since 1970 in UTC have 16 digits until the year 2286."""


class Side(StrEnum):
    """Who stands in a line."""

    AGENTS = "agents"
    CALLS = "calls"


@dataclass(frozen=True, slots=True)
class Line:
    """The idle agents of one pool, or the waiting calls of one queue."""

    side: Side
    key: str

    @staticmethod
    def of_pool(pool: str) -> Line:
        return Line(Side.AGENTS, pool)

    @staticmethod
    def of_queue(queue: str) -> Line:
        return Line(Side.CALLS, queue)


@dataclass(frozen=True, slots=True)
class Entry:
    """One place in a line.

    `time`: idle since, or effective arrival, in microseconds UTC. `epoch`: the owner's epoch once it has joined.
    `joined_at`: when the entry was written, in microseconds UTC; it takes no part in comparing entries, because
    the owner's STATE does not repeat it.
    """

    line: Line
    time: int
    owner: str
    epoch: int
    attempt: str
    joined_at: int = field(default=0, compare=False)

    @property
    def key(self) -> str:
        return f"{self.time:0{TIME_DIGITS}d}#{self.owner}#{self.epoch}#{self.attempt}"

    @property
    def place(self) -> tuple[int, str]:
        """What orders entries of several lines: time, then owner."""
        return (self.time, self.owner)

    @staticmethod
    def parse(line: Line, key: str, *, joined_at: int = 0) -> Entry:
        time, owner, epoch, attempt = key.split("#")
        return Entry(line, int(time), owner, int(epoch), attempt, joined_at)


class Owner(Protocol):
    """What an entry points at: the agent or call whose STATE is the truth."""

    @property
    def status(self) -> str: ...
    @property
    def epoch(self) -> int: ...
    @property
    def entry(self) -> Entry | None: ...


class Standing(StrEnum):
    """What an entry is worth."""

    LIVE = "live"
    JOINING = "joining"
    DEAD = "dead"


def standing(entry: Entry, owner: Owner | None) -> Standing:
    """Live if and only if its owner names it.

    An entry whose epoch is ahead of its owner's belongs to a join in progress: the entry is written first, the
    owner's STATE second. So does one whose owner is not there yet.
    """
    if owner is None or (entry.epoch > owner.epoch):
        return Standing.JOINING
    return Standing.LIVE if owner.entry == entry else Standing.DEAD
