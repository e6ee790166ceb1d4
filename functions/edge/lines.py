"""The routes under /queues and /pools."""

from __future__ import annotations

import json
from typing import Any

from aws_lambda_powertools.event_handler import Response
from pydantic import BaseModel, Field

from edge.fields import Body, Key
from edge.identity import SUPERVISOR
from edge.problems import Kind
from edge.routing import Route, Tag, answered
from switchboard import arranging
from switchboard.domain.catalog import Catalog, Order, Pool, Queue
from switchboard.domain.skills import CHANNEL
from switchboard.domain.texts import MAX_LABEL_LENGTH, clean
from switchboard.world import World


class Label(Body):
    """What people call the line."""

    label: str | None = Field(
        default=None,
        description=f"1 to {MAX_LABEL_LENGTH} characters; null: none",
        examples=["Spanish loans"],
    )

    @property
    def cleaned(self) -> str | None:
        return None if self.label is None else clean(self.label, "label", longest=MAX_LABEL_LENGTH)


class QueueSettings(Label):
    """All that can be set of a queue; what is left out gets its default."""

    order: Order = Field(default=Order.LONGEST_IDLE, description="Which of the idle agents is taken first")


class PoolSettings(Label):
    """All that can be set of a pool."""


class QueueAnswer(BaseModel):
    """The calls that share one requirement, and who serves them."""

    key: str = Field(examples=["MFRGGZDFMZTWQ2LKNNWG23TPOB"])
    label: str | None
    order: Order
    channel: str = Field(examples=["voice"])
    requirement: dict[str, Any] = Field(examples=[{"language": ["es", "fr"]}])
    pools: list[str] = Field(description="The keys of the pools whose agents serve these calls")


class PoolAnswer(BaseModel):
    """The agents who share one profile, and what they serve."""

    key: str = Field(examples=["NBSWY3DPEB3W64TMMQQHG33NMU"])
    label: str | None
    profile: dict[str, Any] = Field(examples=[{"channel": ["chat", "voice"], "language": ["en", "es"]}])
    queues: list[str] = Field(description="The keys of the queues whose calls these agents serve")


class Queues(BaseModel):
    """All queues there are."""

    queues: list[QueueAnswer]


class Pools(BaseModel):
    """All pools there are."""

    pools: list[PoolAnswer]


_READ = (Kind.CONTENTION, Kind.UNAVAILABLE)
_ONE = (Kind.NOT_FOUND, Kind.INVALID, *_READ)


class LineRoutes:
    """Queues and pools: there are as many as there are different requirements and profiles."""

    def __init__(self, world: World) -> None:
        self._world = world

    @Route(
        "GET",
        "/queues",
        tag=Tag.LINES,
        summary="List queues",
        right=SUPERVISOR,
        refusals=_READ,
        answers={200: "All queues"},
    )
    def get_queues(self) -> Response[Queues]:
        """The queues of all requirements that were ever asked for."""
        catalog = self._world.catalog.fresh()
        return answered(Queues(queues=[_queue(catalog, queue) for queue in catalog.queues.values()]))

    @Route("GET", "/queues/{key}", tag=Tag.LINES, summary="Read a queue", right=SUPERVISOR, refusals=_ONE)
    def get_queue(self, key: Key) -> Response[QueueAnswer]:
        """Its requirement, its settings and the pools that serve it."""
        queue = arranging.queue(self._world, key)
        return answered(_queue(self._world.catalog.at_hand(), queue))

    @Route(
        "PUT",
        "/queues/{key}",
        tag=Tag.LINES,
        summary="Set up a queue",
        right=SUPERVISOR,
        refusals=_ONE,
        has_body=True,
    )
    def put_queue(self, key: Key, body: QueueSettings) -> Response[QueueAnswer]:
        """Give it a label, and the order in which it takes agents; looks follow within seconds."""
        queue = arranging.arrange(self._world, key, label=body.cleaned, order=body.order)
        return answered(_queue(self._world.catalog.at_hand(), queue))

    @Route(
        "GET",
        "/pools",
        tag=Tag.LINES,
        summary="List pools",
        right=SUPERVISOR,
        refusals=_READ,
        answers={200: "All pools"},
    )
    def get_pools(self) -> Response[Pools]:
        """The pools of all profiles that agents have had."""
        catalog = self._world.catalog.fresh()
        return answered(Pools(pools=[_pool(catalog, pool) for pool in catalog.pools.values()]))

    @Route("GET", "/pools/{key}", tag=Tag.LINES, summary="Read a pool", right=SUPERVISOR, refusals=_ONE)
    def get_pool(self, key: Key) -> Response[PoolAnswer]:
        """Its profile, its label and the queues it serves."""
        pool = arranging.pool(self._world, key)
        return answered(_pool(self._world.catalog.at_hand(), pool))

    @Route(
        "PUT",
        "/pools/{key}",
        tag=Tag.LINES,
        summary="Label a pool",
        right=SUPERVISOR,
        refusals=_ONE,
        has_body=True,
    )
    def put_pool(self, key: Key, body: PoolSettings) -> Response[PoolAnswer]:
        """Give it a label."""
        pool = arranging.label(self._world, key, label=body.cleaned)
        return answered(_pool(self._world.catalog.at_hand(), pool))


def _queue(catalog: Catalog, queue: Queue) -> QueueAnswer:
    requirement = json.loads(queue.requirement.text)
    channel = requirement.pop(CHANNEL)
    return QueueAnswer(
        key=queue.key,
        label=queue.label,
        order=queue.order,
        channel=channel[0],
        requirement=requirement,
        pools=[pool.key for pool in catalog.pools_serving(queue.requirement)],
    )


def _pool(catalog: Catalog, pool: Pool) -> PoolAnswer:
    return PoolAnswer(
        key=pool.key,
        label=pool.label,
        profile=json.loads(pool.profile.text),
        queues=[queue.key for queue in catalog.queues_served_by(pool.key)],
    )
