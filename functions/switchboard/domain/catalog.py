"""The catalog: which pools and queues this floor has, and which pool serves which queue."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from switchboard.domain.lines import Entry, Line
from switchboard.domain.skills import Profile, Requirement, serves


class Order(StrEnum):
    """In which order a queue takes the idle agents who serve it."""

    LONGEST_IDLE = "longest_idle"
    LATEST_IDLE = "latest_idle"

    @property
    def newest_first(self) -> bool:
        """Whether a line is read from its end."""
        return self is Order.LATEST_IDLE

    def rank(self, candidate: Entry) -> tuple[int, str]:
        """The lowest rank is taken first. Of a line that is read from its end, time alone tells."""
        return (-candidate.time, "") if self.newest_first else candidate.place


@dataclass(frozen=True, slots=True)
class Pool:
    """The agents who share one profile."""

    profile: Profile
    label: str | None = None

    @property
    def key(self) -> str:
        return self.profile.key

    @property
    def line(self) -> Line:
        return Line.of_pool(self.key)


@dataclass(frozen=True, slots=True)
class Queue:
    """The calls that share one requirement, and how they are served."""

    requirement: Requirement
    label: str | None = None
    order: Order = Order.LONGEST_IDLE

    @property
    def key(self) -> str:
        return self.requirement.key

    @property
    def line(self) -> Line:
        return Line.of_queue(self.key)


@dataclass(frozen=True)
class Catalog:
    """All pools and queues at one `version`; grows with each change."""

    version: int = 0
    pools: Mapping[str, Pool] = field(default_factory=dict[str, Pool])
    queues: Mapping[str, Queue] = field(default_factory=dict[str, Queue])
    _serving: dict[str, tuple[Pool, ...]] = field(
        default_factory=dict[str, tuple[Pool, ...]], init=False, compare=False, repr=False
    )
    _served: dict[str, tuple[Queue, ...]] = field(
        default_factory=dict[str, tuple[Queue, ...]], init=False, compare=False, repr=False
    )

    def pools_serving(self, requirement: Requirement) -> tuple[Pool, ...]:
        """The pools whose agents can take such calls; worked out once per catalog and requirement."""
        if requirement.key not in self._serving:
            self._serving[requirement.key] = tuple(
                pool for pool in self.pools.values() if serves(pool.profile, requirement)
            )
        return self._serving[requirement.key]

    def queues_served_by(self, pool_key: str) -> tuple[Queue, ...]:
        """The queues whose calls the pool's agents can take; none for a pool that is not in the catalog."""
        if pool_key not in self._served:
            pool = self.pools.get(pool_key)
            self._served[pool_key] = tuple(
                queue for queue in self.queues.values() if pool and serves(pool.profile, queue.requirement)
            )
        return self._served[pool_key]
