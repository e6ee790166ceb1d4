"""Switchboard over HTTP, under one token, with the patience that a client must have."""

from __future__ import annotations

import random
import time
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import httpx

AGAIN = {429, 503}
"""Too many at the same moment, or not available right now. (The embedded AWS says 429 where AWS says 503.)"""
PATIENCE = 60.0
"""Seconds; no test takes that long unless something is wrong, or the machine very busy."""


@dataclass(frozen=True, slots=True)
class Asker:
    """Sends requests in the name of whoever has the token."""

    http: httpx.Client
    bearer: Mapping[str, str]

    def send(
        self,
        verb: str,
        path: str,
        body: object = None,
        *,
        content: bytes | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> httpx.Response:
        """Whatever comes back, asking again where a client has to. `content` is sent as it is, `body` as JSON."""
        sent = {**self.bearer, **({"Content-Type": "application/json"} if content else {}), **(headers or {})}
        deadline = time.monotonic() + PATIENCE
        while True:
            answer = self.http.request(verb, path, json=body, content=content, headers=sent)
            if answer.status_code not in AGAIN or time.monotonic() > deadline:
                return answer
            time.sleep(random.uniform(0.05, 0.3))

    def told(self, verb: str, path: str, body: object = None, *, status: int = 200) -> Any:
        """The JSON of the answer, which has to have this status."""
        # A POST without it, asked again, could be two calls.
        key = {"Idempotency-Key": uuid.uuid4().hex} if verb == "POST" else {}
        answer = self.send(verb, path, body, headers=key)
        assert answer.status_code == status, f"{verb} {path}: {answer.status_code} {answer.text}"
        return answer.json() if answer.content else None


def eventually[T](look: Callable[[], T], met: Callable[[T], bool], *, within: float = PATIENCE) -> T:
    """What `look` sees as soon as that is as it should be; fails with what it saw last."""
    deadline = time.monotonic() + within
    while not met(seen := look()):
        assert time.monotonic() < deadline, f"after {within} s still {seen}"
        time.sleep(0.05)
    return seen
