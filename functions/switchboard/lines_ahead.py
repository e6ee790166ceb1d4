"""Reading lines from their heads: several at once, merged, and only as far as somebody asks."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator, Sequence

from switchboard.domain.catalog import Catalog
from switchboard.domain.lines import Entry, Line
from switchboard.world import World

type Rank = Callable[[Entry], tuple[int, str]]


def merged(
    world: World, lines: Sequence[Line], *, rank: Rank, page: int, newest_first: bool = False
) -> Iterator[Entry]:
    """The entries of all the lines by rank, dead ones included.

    The first page of every line is read at once, now; further pages when the iteration comes to them.
    """

    def read(line: Line, after: Entry | None = None) -> list[Entry]:
        return world.floor.heads(line, page, newest_first=newest_first, after=after)

    def rest_of(line: Line, entries: list[Entry]) -> Iterator[Entry]:
        yield from entries
        while len(entries) == page:
            entries = read(line, entries[-1])
            yield from entries

    firsts = world.together(read, lines)
    return heapq.merge(*map(rest_of, lines, firsts), key=rank)


def by_place(entry: Entry) -> tuple[int, str]:
    """Calls are ordered by effective arrival, whatever their queue."""
    return entry.place


class EarliestCalls:
    """The heads of the lines that pools serve, each read once, by a catalog that is read once and fresh."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._catalog: Catalog | None = None
        self._heads: dict[str, Entry | None] = {}

    def any_before(self, place: tuple[int, str], pool_key: str) -> bool:
        """Whether an earlier call stands in any of the lines that this pool serves."""
        if pool_key not in self._heads:
            self._catalog = self._catalog or self._world.catalog.fresh()
            lines = [queue.line for queue in self._catalog.queues_served_by(pool_key)]
            self._heads[pool_key] = next(merged(self._world, lines, rank=by_place, page=1), None)
        head = self._heads[pool_key]
        return head is not None and head.place < place


class Candidates:
    """The idle agents whom a queue may take, in its order."""

    MOST_AHEAD = 3

    def __init__(self, world: World, entries: Iterator[Entry]) -> None:
        self._world = world
        self._entries = entries
        self._near: list[Entry] = []
        self._lost = 0

    def lost_one(self) -> None:
        """Another look was quicker: from now on pick at random among a few more, so as not to march in step.

        Each loss is one other matcher at least, so agents are taken out of order by no more than their number.
        """
        self._lost += 1

    def next(self) -> Entry | None:
        wide = min(self._lost, self.MOST_AHEAD - 1) + 1
        while len(self._near) < wide and (entry := next(self._entries, None)):
            self._near.append(entry)
        return self._near.pop(self._world.chance.randrange(len(self._near))) if self._near else None
