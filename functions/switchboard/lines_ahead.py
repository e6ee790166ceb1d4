"""Reading lines from their heads: several at once, merged, and only as far as somebody asks."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator, Sequence

from switchboard.domain.lines import Entry, Line
from switchboard.world import World

PAGE = 10
"""How many entries of a line are read at once: well below the 4 KB of one read unit."""

type Rank = Callable[[Entry], tuple[int, str]]


def by_place(entry: Entry) -> tuple[int, str]:
    """Calls are ordered by effective arrival, whatever their queue."""
    return entry.place


class LinesRead:
    """The lines as one look reads them: each once, page by page, dead entries included."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._read: dict[Line, list[Entry]] = {}
        self._all_read: set[Line] = set()
        self._used_up: set[Entry] = set()

    def merged(self, lines: Sequence[Line], *, rank: Rank, newest_first: bool = False) -> Iterator[Entry]:
        """The entries of all the lines by rank, but for those used up meanwhile. A line is read one way only.

        The first pages are read side by side, now; further ones when the iteration comes to them.
        """
        new = [line for line in lines if line not in self._read]
        self._world.together(lambda line: self._read_on(line, newest_first=newest_first), new)
        return heapq.merge(*(self._entries(line, newest_first=newest_first) for line in lines), key=rank)

    def use_up(self, entry: Entry) -> None:
        """Claimed, or found to be somebody's who is gone: not to be shown again."""
        self._used_up.add(entry)

    def _entries(self, line: Line, *, newest_first: bool) -> Iterator[Entry]:
        shown = 0
        while shown < len(self._read[line]) or line not in self._all_read:
            if shown == len(self._read[line]):
                self._read_on(line, newest_first=newest_first)
            for entry in self._read[line][shown:]:
                shown += 1
                if entry not in self._used_up:
                    yield entry

    def _read_on(self, line: Line, *, newest_first: bool) -> None:
        known = self._read.setdefault(line, [])
        last = known[-1] if known else None
        entries = self._world.floor.heads(line, PAGE, newest_first=newest_first, after=last)
        known += entries
        if len(entries) < PAGE:
            self._all_read.add(line)


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

    def give_back(self, candidate: Entry) -> None:
        """The call was gone, the agent is still there: the next to be taken."""
        self._near.insert(0, candidate)

    def next(self) -> Entry | None:
        wide = min(self._lost, self.MOST_AHEAD - 1) + 1
        while len(self._near) < wide and (entry := next(self._entries, None)):
            self._near.append(entry)
        return (
            self._near.pop(self._world.chance.randrange(min(wide, len(self._near)))) if self._near else None
        )
