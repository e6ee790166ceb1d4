"""More that can happen between a use case and its floor, to be hooked in before or after its requests."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, cast

from switchboard.domain.calls import Call
from switchboard.domain.refusals import Contention
from switchboard.ports import Floor, Outcome, Pairing
from tests.support.faults import Crash


class Contended:
    """A hook: the first so many requests of this name meet others at their items."""

    def __init__(self, name: str, times: int) -> None:
        self._name = name
        self.left = times

    def __call__(self, name: str) -> None:
        if name == self._name and self.left:
            self.left -= 1
            raise Contention("others are at the same items")


class Meanwhile:
    """A hook: just before the nth request of this name, counted from 1, somebody else does something."""

    def __init__(self, name: str, happens: Callable[[], object], nth: int = 1) -> None:
        self._name = name
        self._happens = happens
        self._left = nth

    def __call__(self, name: str) -> None:
        if name == self._name:
            self._left -= 1
            if self._left == 0:
                self._happens()

    @property
    def happened(self) -> bool:
        return self._left <= 0


class CrashBefore:
    """A hook: the process ends just before a request of this name."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __call__(self, name: str) -> None:
        if name == self._name:
            raise Crash


class Quicker:
    """Another look takes the very agent whom each of the first so many claims is about, just before it."""

    def __init__(self, floor: Floor, others: Sequence[Call]) -> None:
        self._floor = floor
        self._others = list(others)
        self.tried: list[str] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._floor, name)

    def claim(self, pairing: Pairing, *, at: int) -> Outcome:
        self.tried.append(pairing.agent.owner)
        if self._others:
            other = Pairing(pairing.agent, self._others.pop(0), pairing.look_started_at - 1)
            assert self._floor.claim(other, at=at).won
        return self._floor.claim(pairing, at=at)


class SentTwice:
    """The first answer to each such write is lost on the way, and the client sends the same again."""

    def __init__(self, floor: Floor, *names: str) -> None:
        self._floor = floor
        self._names = names

    def __getattr__(self, name: str) -> Any:
        request = getattr(self._floor, name)
        if name not in self._names:
            return request

        def twice(*arguments: Any, **named: Any) -> Any:
            request(*arguments, **named)
            return request(*arguments, **named)

        return twice


def sent_twice(floor: Floor, *names: str) -> Floor:
    return cast(Floor, SentTwice(floor, *names))
