"""Times as the API writes them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import overload

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@overload
def written(microseconds: int) -> str: ...
@overload
def written(microseconds: int | None) -> str | None: ...
def written(microseconds: int | None) -> str | None:
    """Microseconds UTC as RFC 3339: `2026-11-21T13:00:00.123456Z`, always with six digits."""
    if microseconds is None:
        return None
    at = _EPOCH + timedelta(microseconds=microseconds)
    return at.isoformat(timespec="microseconds").replace("+00:00", "Z")
