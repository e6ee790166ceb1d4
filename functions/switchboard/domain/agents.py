"""An agent's life cycle.

offline → away, available · away → available, offline · available → attending (a claim), away, offline ·
attending → wrap_up (the call ended) · wrap_up → available, away, offline
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum

from switchboard.domain.lines import Entry, Line
from switchboard.domain.refusals import IllegalMove


class AgentStatus(StrEnum):
    """Where an agent is in the life cycle; signed in is any but offline."""

    OFFLINE = "offline"
    AWAY = "away"
    AVAILABLE = "available"
    ATTENDING = "attending"
    WRAP_UP = "wrap_up"


_MOVES: dict[AgentStatus, frozenset[AgentStatus]] = {
    AgentStatus.OFFLINE: frozenset({AgentStatus.AWAY, AgentStatus.AVAILABLE}),
    AgentStatus.AWAY: frozenset({AgentStatus.AVAILABLE, AgentStatus.OFFLINE}),
    AgentStatus.AVAILABLE: frozenset({AgentStatus.ATTENDING, AgentStatus.AWAY, AgentStatus.OFFLINE}),
    AgentStatus.ATTENDING: frozenset({AgentStatus.WRAP_UP}),
    AgentStatus.WRAP_UP: frozenset({AgentStatus.AVAILABLE, AgentStatus.AWAY, AgentStatus.OFFLINE}),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Agent:
    """An agent as its STATE item has it. Times in microseconds UTC.

    `pool` is the key of the profile; `entry` is the place in line while available; `call` is the one it attends,
    or attended until wrap-up. `status_since`: when the status was entered; while available, idle since is the
    entry's time.
    """

    id: str
    name: str
    pool: str
    status: AgentStatus
    epoch: int
    registered_at: int
    status_since: int
    entry: Entry | None = None
    call: str | None = None

    @classmethod
    def register(cls, agent_id: str, name: str, pool: str, *, now: int) -> Agent:
        """A new agent, offline. The epoch starts at the time in milliseconds, so that an agent who was removed
        and registered again never repeats one."""
        return cls(
            id=agent_id,
            name=name,
            pool=pool,
            status=AgentStatus.OFFLINE,
            epoch=now // 1000,
            registered_at=now,
            status_since=now,
        )

    @property
    def signed_in(self) -> bool:
        return self.status is not AgentStatus.OFFLINE

    def available(self, *, now: int, attempt: str) -> Agent:
        """In line, at its end."""
        return self._move(AgentStatus.AVAILABLE, now, entry=self._place(self.pool, now, now, attempt))

    def away(self, *, now: int) -> Agent:
        return self._move(AgentStatus.AWAY, now)

    def offline(self, *, now: int) -> Agent:
        return self._move(AgentStatus.OFFLINE, now)

    def claimed(self, call_id: str, *, now: int) -> Agent:
        """Taken out of line for a call, which is accepted at once."""
        return self._move(AgentStatus.ATTENDING, now, call=call_id)

    def freed(self, *, now: int) -> Agent:
        """The call has ended; the agent finishes its notes."""
        return self._move(AgentStatus.WRAP_UP, now, call=self.call)

    def changed(self, name: str, pool: str, *, now: int, attempt: str) -> Agent:
        """Another name or profile. Who stands in line moves to the new pool's line and keeps idle since."""
        if pool == self.pool:
            return replace(self, name=name, epoch=self.epoch + 1)
        entry = self.entry and self._place(pool, self.entry.time, now, attempt)
        return replace(self, name=name, pool=pool, epoch=self.epoch + 1, entry=entry)

    def _place(self, pool: str, since: int, now: int, attempt: str) -> Entry:
        return Entry(Line.of_pool(pool), since, self.id, self.epoch + 1, attempt, joined_at=now)

    def _move(
        self, to: AgentStatus, now: int, *, entry: Entry | None = None, call: str | None = None
    ) -> Agent:
        if to not in _MOVES[self.status]:
            raise IllegalMove(f"agent {self.id} is {self.status} and cannot become {to}", self.status)
        return replace(self, status=to, status_since=now, epoch=self.epoch + 1, entry=entry, call=call)
