"""The floor in memory: the fake of the tests, held to the same contract as DynamoDB."""

from __future__ import annotations

from bisect import insort
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from threading import RLock
from typing import cast

from switchboard.domain.agents import Agent
from switchboard.domain.calls import Call, CallStatus
from switchboard.domain.catalog import Catalog, Pool, Queue
from switchboard.domain.lines import Entry, Line
from switchboard.domain.refusals import CatalogFull, Moved, NotFound
from switchboard.ports import Outcome, Pairing


class MemoryFloor:
    """Implements ports.Floor; each method happens as a whole, as a request to DynamoDB does."""

    def __init__(self) -> None:
        self._lock = RLock()
        self._owners: dict[tuple[type, str], Agent | Call] = {}
        self._lines: dict[Line, list[tuple[str, Entry]]] = defaultdict(list)
        self._catalog = Catalog()
        self._roster: set[str] = set()
        self._staff: dict[str, dict[str, int]] = defaultdict(dict)

    def agent(self, agent_id: str) -> Agent | None:
        with self._lock:
            return cast(Agent | None, self._owners.get((Agent, agent_id)))

    def call(self, call_id: str) -> Call | None:
        with self._lock:
            return cast(Call | None, self._owners.get((Call, call_id)))

    def commit[T: (Agent, Call)](self, seen: T | None, new: T) -> None:
        with self._lock:
            found = self._owners.get((type(new), new.id))
            if not _as_seen(found, seen):
                raise Moved(found)
            self._owners[type(new), new.id] = new

    def remove(self, agent: Agent) -> None:
        with self._lock:
            found = self.agent(agent.id)
            if not _as_seen(found, agent):
                raise Moved(found)
            del self._owners[Agent, agent.id]

    def enter(self, entry: Entry) -> None:
        with self._lock:
            self.clear([entry])
            insort(self._lines[entry.line], (entry.key, entry), key=lambda keyed: keyed[0])

    def clear(self, entries: Sequence[Entry]) -> None:
        with self._lock:
            for entry in entries:
                line = self._lines[entry.line]
                line[:] = [keyed for keyed in line if keyed[0] != entry.key]

    def heads(
        self, line: Line, limit: int, *, newest_first: bool = False, after: Entry | None = None
    ) -> list[Entry]:
        with self._lock:
            entries = self._lines[line][::-1] if newest_first else self._lines[line]
            if after:
                last = after.key
                entries = [
                    keyed for keyed in entries if (keyed[0] < last if newest_first else keyed[0] > last)
                ]
            return [entry for _, entry in entries[:limit]]

    def ahead_of(self, entry: Entry, limit: int) -> int:
        with self._lock:
            return min(limit, sum(key < entry.key for key, _ in self._lines[entry.line]))

    def claim(self, pairing: Pairing, *, at: int) -> Outcome:
        with self._lock:
            agent = self.agent(pairing.agent.owner)
            waiting = pairing.call
            call = self.call(waiting.owner if isinstance(waiting, Entry) else waiting.id)
            agent_gone = agent is None or agent.entry != pairing.agent
            if isinstance(waiting, Entry):
                call_gone = call is None or call.entry != waiting
            else:
                call_gone = not _as_seen(call, waiting)
                call = call if call_gone else waiting
            if agent_gone or call_gone or agent is None or call is None:
                return Outcome(
                    agent_gone=agent_gone,
                    agent=agent if agent_gone else None,
                    call_gone=call_gone,
                    call=call if call_gone else None,
                )
            self._owners[Agent, agent.id] = agent.claimed(call.id, now=at)
            self._owners[Call, call.id] = call.connected(
                agent.id, look_started_at=pairing.look_started_at, now=at
            )
            return Outcome(won=True)

    def part(self, agent: tuple[Agent, Agent], call: tuple[Call, Call]) -> None:
        with self._lock:
            for seen, new in (call, agent):
                found = self._owners.get((type(new), new.id))
                if not _as_seen(found, seen):
                    raise Moved(found)
            for _, new in (call, agent):
                self._owners[type(new), new.id] = new

    def catalog_version(self) -> int:
        with self._lock:
            return self._catalog.version

    def load_catalog(self, version: int) -> Catalog:
        with self._lock:
            return replace(self._catalog, version=version)

    def add_to_catalog(self, item: Pool | Queue, *, at_most: int) -> None:
        with self._lock:
            known = self._known(item)
            if item.key in known:
                return
            if len(known) >= at_most:
                kind = "pools" if isinstance(item, Pool) else "queues"
                raise CatalogFull(f"this floor has {at_most} distinct {kind} already, and may not have more")
            self._keep(item)

    def change_in_catalog(self, item: Pool | Queue) -> None:
        with self._lock:
            if item.key not in self._known(item):
                raise NotFound(f"there is no {type(item).__name__.lower()} {item.key}")
            self._keep(item)

    def _known(self, item: Pool | Queue) -> set[str]:
        return set(self._catalog.pools if isinstance(item, Pool) else self._catalog.queues)

    def _keep(self, item: Pool | Queue) -> None:
        pools, queues = dict(self._catalog.pools), dict(self._catalog.queues)
        if isinstance(item, Pool):
            pools[item.key] = item
        else:
            queues[item.key] = item
        self._catalog = Catalog(self._catalog.version + 1, pools, queues)

    def list_on_roster(self, agent_id: str) -> None:
        with self._lock:
            self._roster.add(agent_id)

    def strike_from_roster(self, agent_id: str) -> None:
        with self._lock:
            self._roster.discard(agent_id)

    def roster(self, limit: int, *, after: str | None = None) -> list[str]:
        with self._lock:
            return sorted(agent_id for agent_id in self._roster if after is None or agent_id > after)[:limit]

    def agents(self, agent_ids: Sequence[str]) -> list[Agent]:
        with self._lock:
            found = (self.agent(agent_id) for agent_id in sorted(agent_ids))
            return [agent for agent in found if agent]

    def sign_in(self, pool: str, agent_id: str, *, epoch: int) -> None:
        with self._lock:
            self._staff[pool][agent_id] = epoch

    def sign_out(self, pool: str, agent_id: str, *, epoch: int) -> None:
        with self._lock:
            if self._staff[pool].get(agent_id, epoch) < epoch:
                del self._staff[pool][agent_id]

    def anyone_signed_in(self, pool: str) -> bool:
        with self._lock:
            return bool(self._staff[pool])


def _as_seen(found: Agent | Call | None, seen: Agent | Call | None) -> bool:
    if seen is None:
        return found is None
    if seen.status is CallStatus.REQUESTED:
        return found is None or (
            isinstance(found, Call)
            and isinstance(seen, Call)
            and (found.status, found.body) == (seen.status, seen.body)
        )
    return found is not None and (found.epoch, found.status) == (seen.epoch, seen.status)
