"""What the simulator asks of the API, as caller apps, agents and supervisors would."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx
from tenacity import retry, retry_if_exception_type, stop_after_attempt, wait_random_exponential

PASSING = {429, 502, 503, 504}
"""Answers after which the same request may be sent again: each of the API's requests has the effect of once."""
PAGE = 100


class Passing(Exception):
    """An answer that says: later."""


class FloorClient:
    """One base URL and two tokens; may be shared by threads. Raises httpx.HTTPStatusError on a refusal."""

    def __init__(self, url: str, *, caller_token: str, supervisor_token: str) -> None:
        self._http = httpx.Client(base_url=url, timeout=30, trust_env=False)
        self._caller = {"Authorization": f"Bearer {caller_token}"}
        self._supervisor = {"Authorization": f"Bearer {supervisor_token}"}

    def register(self, agent_id: str, name: str, profile: dict[str, Any]) -> dict[str, Any]:
        return self._ask("PUT", f"/agents/{agent_id}", json={"name": name, "profile": profile})

    def remove(self, agent_id: str) -> None:
        self._ask("DELETE", f"/agents/{agent_id}")

    def set_status(self, agent_id: str, status: str) -> dict[str, Any]:
        return self._ask("PUT", f"/agents/{agent_id}/status", json={"status": status})

    def agent(self, agent_id: str) -> dict[str, Any]:
        return self._ask("GET", f"/agents/{agent_id}")

    def agents(self) -> Iterator[dict[str, Any]]:
        after: dict[str, str] = {}
        while True:
            page = self._ask("GET", "/agents", params={"limit": PAGE, **after})
            yield from page["agents"]
            if page["next"] is None:
                return
            after = {"after": page["next"]}

    def queues(self) -> list[dict[str, Any]]:
        return self._ask("GET", "/queues")["queues"]

    def request_call(self, key: str, channel: str, requirement: dict[str, Any]) -> dict[str, Any]:
        body = {"channel": channel, "requirement": requirement}
        return self._ask("POST", "/calls", caller=True, json=body, headers={"Idempotency-Key": key})

    def call(self, call_id: str) -> dict[str, Any]:
        return self._ask("GET", f"/calls/{call_id}", caller=True)

    def hang_up(self, call_id: str) -> dict[str, Any]:
        return self._ask("DELETE", f"/calls/{call_id}", caller=True)

    def complete(self, call_id: str) -> dict[str, Any]:
        return self._ask("POST", f"/calls/{call_id}/complete")

    @retry(
        retry=retry_if_exception_type((Passing, httpx.TransportError)),
        wait=wait_random_exponential(multiplier=0.05, max=2),
        stop=stop_after_attempt(12),
        reraise=True,
    )
    def _ask(
        self,
        method: str,
        path: str,
        *,
        caller: bool = False,
        headers: dict[str, str] | None = None,
        **rest: Any,
    ) -> Any:
        who = self._caller if caller else self._supervisor
        answer = self._http.request(method, path, headers={**who, **(headers or {})}, **rest)
        if answer.status_code in PASSING:
            raise Passing(f"{method} {path}: {answer.status_code} {answer.text[:200]}")
        answer.raise_for_status()
        return answer.json() if answer.content else None
