"""Faults on purpose: something between a use case and its floor that lets nothing pass unseen."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from switchboard.ports import Floor, Unavailable


class Crash(BaseException):
    """The process is gone: nothing catches it, nothing is cleaned up."""


class AnswerLost(Unavailable):
    """The write was applied; its answer never came."""


class Between:
    """Calls `before(name)` and `after(name)` around each request; what they raise is what the use case meets."""

    def __init__(
        self,
        floor: Floor,
        *,
        before: Callable[[str], None] = lambda _: None,
        after: Callable[[str], None] = lambda _: None,
    ) -> None:
        self._floor = floor
        self._before = before
        self._after = after

    def __getattr__(self, name: str) -> Any:
        request = getattr(self._floor, name)

        def guarded(*arguments: Any, **named: Any) -> Any:
            self._before(name)
            answer = request(*arguments, **named)
            self._after(name)
            return answer

        return guarded


def between(floor: Floor, **hooks: Callable[[str], None]) -> Floor:
    return cast(Floor, Between(floor, **hooks))


class CrashAfter:
    """A hook that crashes at the request of this number, counted from 0; `fired` says whether it came to that."""

    def __init__(self, number: int, error: type[BaseException] = Crash) -> None:
        self._left = number
        self._error = error
        self.fired = False

    def __call__(self, _: str) -> None:
        if self.fired:
            return
        if self._left == 0:
            self.fired = True
            raise self._error()
        self._left -= 1
