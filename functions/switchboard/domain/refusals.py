"""The expected ways to say no. Each carries a reason that a person can act on.

Refusal
├── Invalid          the input is wrong; `where` names the field
├── NotFound         nothing by that name (for this asker)
├── Conflict         the input is right, the state of things is not
│   ├── IllegalMove  the life cycle has no such step
│   ├── Moved        somebody else changed the item first; `found` is what stands there now
│   ├── CatalogFull  one more pool or queue than the floor may have
│   └── NoAgentOnline  nobody signed in could serve the call, and the caller would not wait
└── Contention       too many at the same items at the same moment; the same request may be sent again
"""

from __future__ import annotations

from switchboard.domain.lines import Owner


class Refusal(Exception):
    """An expected refusal; `reason` says why in one sentence."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Invalid(Refusal):
    """Input that is wrong; `where` is the path of the field, such as `requirement.language[2]`."""

    def __init__(self, where: str, reason: str) -> None:
        super().__init__(reason)
        self.where = where

    def __str__(self) -> str:
        return f"{self.where}: {self.reason}"


class NotFound(Refusal):
    """Nothing by that name."""


class Conflict(Refusal):
    """The request is well formed but does not fit the state of things."""


class IllegalMove(Conflict):
    """The life cycle has no step from `status` to what was asked."""

    def __init__(self, reason: str, status: str) -> None:
        super().__init__(reason)
        self.status = status


class Moved(Conflict):
    """A conditional write was refused: `found` is the item that stands there now, None where there is none."""

    def __init__(self, found: Owner | None) -> None:
        self.found = found
        super().__init__(f"it is {found.status} by now" if found else "it is not there any more")


class CatalogFull(Conflict):
    """The floor has as many distinct pools or queues as it may."""


class NoAgentOnline(Conflict):
    """No agent who could serve the call is signed in."""


class Contention(Refusal):
    """Others kept changing the same items; nothing was written."""
