"""Lines, as supervisors see and arrange them."""

from __future__ import annotations

from dataclasses import replace

from switchboard.domain.catalog import Order, Pool, Queue
from switchboard.domain.refusals import NotFound
from switchboard.patience import patiently
from switchboard.world import World


def queue(world: World, key: str) -> Queue:
    """Raises NotFound."""
    found = world.catalog.fresh().queues.get(key)
    if found is None:
        raise NotFound(f"there is no queue {key}")
    return found


def pool(world: World, key: str) -> Pool:
    """Raises NotFound."""
    found = world.catalog.fresh().pools.get(key)
    if found is None:
        raise NotFound(f"there is no pool {key}")
    return found


def arrange(world: World, key: str, *, label: str | None, order: Order) -> Queue:
    """Give a queue its label and the order in which it takes agents. Raises NotFound."""
    seen = queue(world, key)
    return _changed(world, seen, replace(seen, label=label, order=order))


def label(world: World, key: str, *, label: str | None) -> Pool:
    """Give a pool its label. Raises NotFound."""
    seen = pool(world, key)
    return _changed(world, seen, replace(seen, label=label))


def _changed[T: (Pool, Queue)](world: World, seen: T, new: T) -> T:
    if new != seen:
        patiently(world, lambda: world.floor.change_in_catalog(new))
        world.catalog.fresh()
    return new
