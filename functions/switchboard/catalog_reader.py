"""Reading the catalog no more often than needed."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock

from switchboard.domain.catalog import Catalog, Pool, Queue
from switchboard.ports import Floor

OLD_ENOUGH = 5_000_000
"""Microseconds for which a first look trusts the copy at hand."""


class CatalogReader:
    """The catalog, loaded again only when its version changed. May be shared by threads."""

    def __init__(self, floor: Floor, clock: Callable[[], int]) -> None:
        self._floor = floor
        self._clock = clock
        self._catalog = Catalog()
        self._checked_at = -OLD_ENOUGH
        self._lock = Lock()

    def at_hand(self) -> Catalog:
        """A copy some seconds old: good enough for a first look, which a second one follows if it finds nobody."""
        return self._catalog if self._clock() - self._checked_at < OLD_ENOUGH else self.fresh()

    def fresh(self) -> Catalog:
        """The catalog as it is now. Costs one small read unless it changed."""
        now = self._clock()
        version = self._floor.catalog_version()
        catalog = self._catalog
        if catalog.version != version:
            catalog = self._floor.load_catalog(version)
        with self._lock:
            # Another thread may have read a newer one meanwhile: that one stays, and this look has its own.
            if catalog.version >= self._catalog.version:
                self._catalog, self._checked_at = catalog, now
        return catalog

    def ensure(self, item: Pool | Queue, *, at_most: int) -> None:
        """Have the pool or queue in the catalog before anyone stands in its line. Raises CatalogFull."""
        known = self.at_hand()
        if item.key not in (known.pools if isinstance(item, Pool) else known.queues):
            self._floor.add_to_catalog(item, at_most=at_most)
            self.fresh()
