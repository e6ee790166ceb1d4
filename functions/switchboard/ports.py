"""What the use cases need from outside, in their own words.

`Floor` is the shared truth: one method is one access pattern is one request. Whoever implements it promises:
reads of STATE items, lines and the catalog are strongly consistent; a write under a condition happens wholly or
not at all. Any method may raise Contention (try again) or Unavailable (the write may or may not have happened).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from switchboard.domain.agents import Agent
from switchboard.domain.calls import Call
from switchboard.domain.catalog import Catalog, Pool, Queue
from switchboard.domain.lines import Entry, Line


@dataclass(frozen=True, slots=True)
class Pairing:
    """What a claim is about: the idle agent's entry, and the call's entry if it stands in line, else the call.

    `look_started_at`: when the look began, in microseconds UTC.
    """

    agent: Entry
    call: Entry | Call
    look_started_at: int


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a claim: won, or who was gone.

    `agent`, `call`: what was found in place of what the claim expected, None if there is no such item.
    """

    won: bool = False
    agent_gone: bool = False
    agent: Agent | None = None
    call_gone: bool = False
    call: Call | None = None


class Unavailable(Exception):
    """The store or queue did not answer as it should; what was asked may or may not have been done."""


class Floor(Protocol):
    """Agents, calls, lines and the catalog."""

    # the two truths
    def agent(self, agent_id: str) -> Agent | None: ...
    def call(self, call_id: str) -> Call | None: ...

    def commit[T: (Agent, Call)](self, seen: T | None, new: T) -> None:
        """Write STATE if it still is as seen, by epoch and status; None: if there is none.

        A call that was seen as `requested` may also be absent: its message comes before its STATE. If it is there,
        it has to be of the same request (`body`).
        Raises Moved with what was found, Contention.
        """
        ...

    def remove(self, agent: Agent) -> None:
        """Delete the agent if it is as seen. Raises Moved."""
        ...

    # lines
    def enter(self, entry: Entry) -> None: ...
    def clear(self, entries: Sequence[Entry]) -> None:
        """Delete entries; one that is not there is no error."""
        ...

    def heads(
        self, line: Line, limit: int, *, newest_first: bool = False, after: Entry | None = None
    ) -> list[Entry]:
        """The first entries of a line, dead ones included, beginning behind `after`."""
        ...

    def ahead_of(self, entry: Entry, limit: int) -> int:
        """How many entries stand before this one, counted up to `limit`."""
        ...

    # pairs
    def claim(self, pairing: Pairing, *, at: int) -> Outcome:
        """Turn an idle agent and a call into a pair: one transaction of exactly two items.

        Raises Contention when others were at these items: then nothing was written.
        """
        ...

    def part(self, agent: tuple[Agent, Agent], call: tuple[Call, Call]) -> None:
        """End a pair: write both, each (as seen, new), if both are as seen. Raises Moved, Contention."""
        ...

    # catalog
    def catalog_version(self) -> int: ...
    def load_catalog(self, version: int) -> Catalog:
        """All pools and queues, at least as new as `version`, which was read before and labels the answer."""
        ...

    def add_to_catalog(self, item: Pool | Queue, *, at_most: int) -> None:
        """Add unless it is there. Raises CatalogFull where there are `at_most` already, Contention."""
        ...

    def change_in_catalog(self, item: Pool | Queue) -> None:
        """Replace the settings of a pool or queue that is there. Raises NotFound, Contention."""
        ...

    # hints for listing: who is registered, who of a pool is signed in
    def list_on_roster(self, agent_id: str) -> None: ...
    def strike_from_roster(self, agent_id: str) -> None: ...
    def roster(self, limit: int, *, after: str | None = None) -> list[str]:
        """Ids of registered agents in order, beginning behind `after`; some may be gone by now."""
        ...

    def agents(self, agent_ids: Sequence[str]) -> list[Agent]:
        """Those of up to 100 agents who exist, in the order of the ids; may be some milliseconds old."""
        ...

    def sign_in(self, pool: str, agent_id: str, *, epoch: int) -> None: ...
    def sign_out(self, pool: str, agent_id: str, *, epoch: int) -> None:
        """Unless the agent has signed in again since: later sign-ins have a later epoch."""
        ...

    def anyone_signed_in(self, pool: str) -> bool: ...


class CallQueues(Protocol):
    """The SQS queues that carry calls in."""

    def send(self, call: Call, requirement_text: str) -> None:
        """Keep the promise made by 202: once this returns, the call is not lost."""
        ...
