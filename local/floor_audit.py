"""Holds a run of the floor against the promises, by nothing but the API's own answers.

A call tells when it came into line, when the look began that connected it, and when that was; each of these times is
taken just before the write that makes it true. GRACE allows for writes under way: who passes over somebody by
less than that may have been right.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise
from statistics import quantiles
from typing import Any

GRACE = timedelta(seconds=1)
CONCURRENT_LOOKS = 12
"""A matcher per channel and ten agents' looks: by so many may agents be taken out of their order."""
FRESH = timedelta(seconds=1)
"""An agent connected so soon after it came into line got there by its own look, or in its stead."""

MATCHED = {"connected", "completed"}
ACCOUNTED_FOR = MATCHED | {"waiting", "abandoned"}


@dataclass(frozen=True, slots=True)
class Idle:
    """An agent came into line, and what it can do."""

    agent: str
    since: datetime
    serves: frozenset[str]


@dataclass(frozen=True, slots=True)
class CallRecord:
    """A call as the API told it at the end; `answer` is None where the API does not know it any more."""

    id: str
    answer: Mapping[str, Any] | None

    @property
    def status(self) -> str:
        return str(self.answer["status"]) if self.answer else "unknown"

    @property
    def matched(self) -> bool:
        return self.status in MATCHED

    def at(self, name: str) -> datetime | None:
        value = self.answer.get(name) if self.answer else None
        return datetime.fromisoformat(value) if value else None

    def surely(self, name: str) -> datetime:
        value = self.at(name)
        if value is None:
            raise ValueError(f"call {self.id} is {self.status} and has no {name}")
        return value

    @property
    def queue(self) -> str:
        return str(self.answer["queue"]) if self.answer else ""

    @property
    def agent(self) -> str:
        return str(self.answer["agent"]) if self.answer else ""

    @property
    def left_line_at(self) -> datetime | None:
        return self.at("connected_at") or self.at("ended_at")


@dataclass(frozen=True, slots=True)
class Verdict:
    """The last line of a run, and every broken promise in words."""

    calls: int
    matched: int
    waiting: int
    abandoned: int
    double: Sequence[str]
    lost: Sequence[str]
    order_violations: Sequence[str]
    stranded: Sequence[str]
    wait_p50_ms: int
    wait_p95_ms: int

    @property
    def kept(self) -> bool:
        return not self.broken

    @property
    def broken(self) -> list[str]:
        """Every broken promise, in words."""
        return [*self.double, *self.lost, *self.order_violations, *self.stranded]

    def __str__(self) -> str:
        return (
            f"floor: calls={self.calls} matched={self.matched} waiting={self.waiting} abandoned={self.abandoned}"
            f" double={len(self.double)} lost={len(self.lost)} order_violations={len(self.order_violations)}"
            f" wait_p50_ms={self.wait_p50_ms} wait_p95_ms={self.wait_p95_ms}"
        )


def audit(calls: Sequence[CallRecord], idles: Iterable[Idle]) -> Verdict:
    """`calls`: every accepted call, read at the end; `idles`: every time an agent came into line."""
    matched = [call for call in calls if call.matched]
    waits = [call.surely("connected_at") - call.surely("arrived_at") for call in matched]
    return Verdict(
        calls=len(calls),
        matched=len(matched),
        waiting=sum(call.status == "waiting" for call in calls),
        abandoned=sum(call.status == "abandoned" for call in calls),
        double=list(double_booked(matched)),
        lost=[f"call {call.id} is {call.status}" for call in calls if call.status not in ACCOUNTED_FOR],
        order_violations=[*passed_over(calls, list(idles)), *agents_out_of_order(matched, list(idles))],
        stranded=list(stranded(calls, matched, list(idles))),
        wait_p50_ms=_percentile(waits, 50),
        wait_p95_ms=_percentile(waits, 95),
    )


def double_booked(matched: Sequence[CallRecord]) -> Iterable[str]:
    """No agent on two calls at once."""
    by_agent: dict[str, list[CallRecord]] = defaultdict(list)
    for call in matched:
        by_agent[call.agent].append(call)
    for agent, served in by_agent.items():
        served.sort(key=lambda call: call.surely("connected_at"))
        for one, next_one in pairwise(served):
            ended_at = one.at("ended_at")
            if ended_at is None or ended_at > next_one.surely("connected_at"):
                yield f"agent {agent} was on {one.id} and {next_one.id} at once"


def passed_over(calls: Sequence[CallRecord], idles: Sequence[Idle]) -> Iterable[str]:
    """No claim passes over an earlier call of the same queue that stood in line during the whole of its look; and
    an agent who came into line just now goes to the earliest of all the queues it serves."""
    for taken in calls:
        if not taken.matched:
            continue
        began, done = taken.surely("look_started_at"), taken.surely("connected_at")
        queues = {taken.queue} | _served_when_fresh(taken, idles)
        for other in calls:
            waiting_since = other.at("waiting_since")
            if (
                waiting_since is not None
                and other.queue in queues
                and other.surely("effective_arrival_at") < taken.surely("effective_arrival_at")
                and waiting_since + GRACE < began
                and (other.left_line_at is None or other.left_line_at > done + GRACE)
            ):
                yield f"call {other.id} was passed over when agent {taken.agent} took {taken.id}"


def _served_when_fresh(taken: CallRecord, idles: Sequence[Idle]) -> frozenset[str]:
    began = taken.surely("look_started_at")
    came = [
        idle for idle in idles if idle.agent == taken.agent and idle.since <= taken.surely("connected_at")
    ]
    last = max(came, key=lambda idle: idle.since, default=None)
    return last.serves if last and began - last.since < FRESH else frozenset()


def agents_out_of_order(matched: Sequence[CallRecord], idles: Sequence[Idle]) -> Iterable[str]:
    """Agents are taken longest idle first, but for as many as there are looks at once."""
    stints = _stints(matched, idles)
    for call in matched:
        began, done = call.surely("look_started_at"), call.surely("connected_at")
        taken = next((idle for idle, until in stints if idle.agent == call.agent and until == done), None)
        if taken is None:
            continue
        skipped = {
            idle.agent
            for idle, until in stints
            if call.queue in idle.serves
            and idle.since < taken.since
            and idle.since + GRACE < began
            and (until is None or until > done + GRACE)
        }
        if len(skipped) > CONCURRENT_LOOKS:
            yield f"call {call.id} got agent {call.agent} before {len(skipped)} who were idle for longer"


def stranded(
    calls: Sequence[CallRecord], matched: Sequence[CallRecord], idles: Sequence[Idle]
) -> Iterable[str]:
    """Nobody waits to the end while an agent who serves them is idle to the end: a wake-up was lost."""
    idle = [one for one, until in _stints(matched, idles) if until is None]
    for call in calls:
        if call.status == "waiting":
            yield from (
                f"call {call.id} waits while agent {one.agent} is idle"
                for one in idle
                if call.queue in one.serves
            )


def _stints(matched: Sequence[CallRecord], idles: Sequence[Idle]) -> list[tuple[Idle, datetime | None]]:
    """Each time an agent was idle, and until when: the next call it got."""
    connected: dict[str, list[datetime]] = defaultdict(list)
    for call in matched:
        connected[call.agent].append(call.surely("connected_at"))
    return [
        (idle, min((at for at in connected[idle.agent] if at >= idle.since), default=None)) for idle in idles
    ]


def _percentile(waits: Sequence[timedelta], percent: int) -> int:
    milliseconds = [wait / timedelta(milliseconds=1) for wait in waits]
    if len(milliseconds) < 2:
        return round(sum(milliseconds))
    return round(quantiles(milliseconds, n=100, method="inclusive")[percent - 1])
