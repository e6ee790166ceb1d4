"""A call's life cycle.

requested → waiting, connected, abandoned · waiting → connected, abandoned · connected → completed
Completed and abandoned are for good.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from switchboard.domain.lines import Entry, Line
from switchboard.domain.refusals import IllegalMove
from switchboard.domain.texts import fingerprint

FIRST_EPOCH = 1
"""A call is never registered twice under one id, so its epoch needs no start in time; and whoever creates the
STATE, API or matcher, starts it alike."""


class CallStatus(StrEnum):
    """Where a call is in its life cycle."""

    REQUESTED = "requested"
    WAITING = "waiting"
    CONNECTED = "connected"
    COMPLETED = "completed"
    ABANDONED = "abandoned"


_MOVES: dict[CallStatus, frozenset[CallStatus]] = {
    CallStatus.REQUESTED: frozenset({CallStatus.WAITING, CallStatus.CONNECTED, CallStatus.ABANDONED}),
    CallStatus.WAITING: frozenset({CallStatus.CONNECTED, CallStatus.ABANDONED}),
    CallStatus.CONNECTED: frozenset({CallStatus.COMPLETED}),
    CallStatus.COMPLETED: frozenset(),
    CallStatus.ABANDONED: frozenset(),
}
ENDED = frozenset(status for status, onwards in _MOVES.items() if not onwards)


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A call as its STATE item has it. Times in microseconds UTC, `head_start` in seconds.

    `client` made it; `queue` is the key of its requirement (channel included); `body` is the fingerprint of the
    request, by which a repeat under the same Idempotency-Key is told from another request. `look_started_at` is
    when the look began whose claim connected it.
    """

    id: str
    client: str
    channel: str
    queue: str
    status: CallStatus
    epoch: int
    arrived_at: int
    head_start: int = 0
    body: str = ""
    entry: Entry | None = None
    agent: str | None = None
    waiting_since: int | None = None
    look_started_at: int | None = None
    connected_at: int | None = None
    ended_at: int | None = None

    @classmethod
    def request(
        cls,
        call_id: str,
        client: str,
        channel: str,
        queue: str,
        *,
        arrived_at: int,
        head_start: int = 0,
        body: str = "",
    ) -> Call:
        """A call that was accepted and has not been looked at yet."""
        return cls(
            id=call_id,
            client=client,
            channel=channel,
            queue=queue,
            status=CallStatus.REQUESTED,
            epoch=FIRST_EPOCH,
            arrived_at=arrived_at,
            head_start=head_start,
            body=body,
        )

    @property
    def effective_arrival(self) -> int:
        """The time that orders calls: arrival less the head start."""
        return self.arrived_at - self.head_start * 1_000_000

    @property
    def place(self) -> tuple[int, str]:
        """Where the call stands or would stand among entries."""
        return (self.effective_arrival, self.id)

    @property
    def ended(self) -> bool:
        return self.status in ENDED

    def waiting(self, *, now: int, attempt: str) -> Call:
        """Parked in the line of its queue, by effective arrival."""
        line = Line.of_queue(self.queue)
        entry = Entry(line, self.effective_arrival, self.id, self.epoch + 1, attempt, joined_at=now)
        return self._move(CallStatus.WAITING, entry=entry, waiting_since=now)

    def connected(self, agent_id: str, *, look_started_at: int, now: int) -> Call:
        """Paired with an agent who accepts at once."""
        return self._move(
            CallStatus.CONNECTED, agent=agent_id, look_started_at=look_started_at, connected_at=now
        )

    def completed(self, *, now: int) -> Call:
        return self._move(CallStatus.COMPLETED, ended_at=now)

    def abandoned(self, *, now: int) -> Call:
        """The caller left before an agent had the call."""
        return self._move(CallStatus.ABANDONED, ended_at=now)

    def _move(self, to: CallStatus, **changes: Any) -> Call:
        if to not in _MOVES[self.status]:
            raise IllegalMove(f"call {self.id} is {self.status} and cannot become {to}", self.status)
        return replace(self, status=to, epoch=self.epoch + 1, **({"entry": None} | changes))


def keyed_id(client: str, idempotency_key: str) -> str:
    """The id of the call that this client asks for under this key: the same each time it asks."""
    return fingerprint(f"{len(client)}:{client}{idempotency_key}")
