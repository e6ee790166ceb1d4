"""One run of a floor: callers call, agents talk, finish and come back, until everybody has been served or given up."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from datetime import datetime
from typing import Any

import httpx

from local.floor_audit import CallRecord, Idle, Verdict, audit
from local.floor_client import FloorClient
from local.floor_crowd import Caller, Crowd

LOOK_EVERY = 0.5
"""Seconds between two looks at the list of agents: that is how the simulated desks hear of their calls."""
NO_PROGRESS = 20
"""Seconds without any change after which a run ends, whoever still waits."""
HANDS = 8


class FloorRun:
    """`state` is what a view shows: how many calls are in which state, and agents likewise."""

    def __init__(self, client: FloorClient, crowd: Crowd) -> None:
        self._client = client
        self._crowd = crowd
        self._hands = ThreadPoolExecutor(HANDS)
        self._work: list[Future[None]] = []
        self._lock = threading.Lock()
        self._due: list[tuple[float, Callable[[], None]]] = []
        self._taken: set[str] = set()
        self._idles: list[tuple[str, str]] = []
        self._changed_at = time.monotonic()
        self.calls: list[str] = []
        self.ended: set[str] = set()
        self.agents: Counter[str] = Counter()
        self.latest: list[str] = []
        self.calling = True

    def register(self) -> Iterator[str]:
        """Every agent registers and comes into line; yields them one by one."""
        for person in self._crowd.people:
            self._client.register(person.id, person.name, person.profile)
            self._come(person.id)
            yield person.id

    def run(self) -> None:
        """Until every call has ended, or nothing changes any more."""
        callers = threading.Thread(target=self._all_callers, daemon=True)
        callers.start()
        while not self._over():
            self._do_what_is_due()
            self._look()
            time.sleep(LOOK_EVERY)
        callers.join()
        self._settle()

    def audit(self, track: Callable[[list[str]], Iterable[str]]) -> Verdict:
        """Reads every call again and holds the run against the promises. `track`: shows how far it has come."""
        calls = [CallRecord(call_id, self._told(call_id)) for call_id in track(self.calls)]
        serves = self._who_serves_what()
        idles = [
            Idle(agent, datetime.fromisoformat(since), serves.get(agent, frozenset()))
            for agent, since in self._idles
        ]
        return audit(calls, idles)

    def go_home(self) -> None:
        """Callers who still wait hang up, agents sign out: the next run starts on an empty floor."""
        list(self._hands.map(self._client.hang_up, [call for call in self.calls if call not in self.ended]))
        for person in self._crowd.people:
            self._client.set_status(person.id, "offline")
        self._hands.shutdown()

    # --- callers

    def _all_callers(self) -> None:
        for caller in self._crowd.callers():
            time.sleep(caller.pause)
            self._soon(0, lambda caller=caller: self._call(caller))
        self.calling = False

    def _call(self, caller: Caller) -> None:
        call_id = self._client.request_call(caller.key, caller.channel, caller.requirement)["id"]
        with self._lock:
            self.calls.append(call_id)
        if caller.patience is not None:
            self._soon(caller.patience, lambda: self._end(call_id, self._client.hang_up))

    def _end(self, call_id: str, end: Callable[[str], dict[str, Any]]) -> None:
        end(call_id)
        self.ended.add(call_id)
        self._changed_at = time.monotonic()

    # --- agents

    def _come(self, agent_id: str) -> None:
        agent = self._client.set_status(agent_id, "available")
        if agent["idle_since"]:
            self._idles.append((agent_id, agent["idle_since"]))
        self._changed_at = time.monotonic()

    def _look(self) -> None:
        """Every desk at once: who has a new call talks for a while, who is in wrap-up comes back."""
        agents = [agent for agent in self._client.agents() if agent["id"].startswith("floor-")]
        self.agents = Counter(agent["status"] for agent in agents)
        for agent in agents:
            call_id = agent["call"] or agent["last_call"]
            step = f"{agent['status']} {call_id} {agent['status_since']}"
            if step in self._taken or agent["status"] not in ("attending", "wrap_up"):
                continue
            self._taken.add(step)
            self._changed_at = time.monotonic()
            if agent["status"] == "attending":
                self.latest = [f"{agent['name']} has {call_id[:8]}", *self.latest[:7]]
                finish = self._crowd.handle_time()
                self._soon(finish, lambda call_id=call_id: self._end(call_id, self._client.complete))
            else:
                self.ended.add(call_id)
                self._soon(0, lambda agent_id=agent["id"]: self._come(agent_id))

    # --- work

    def _soon(self, seconds: float, step: Callable[[], None]) -> None:
        with self._lock:
            self._due.append((time.monotonic() + seconds, step))

    def _do_what_is_due(self) -> None:
        now = time.monotonic()
        with self._lock:
            due = [step for at, step in self._due if at <= now]
            self._due = [(at, step) for at, step in self._due if at > now]
            self._work = [one for one in self._work if not one.done() or one.exception()]
            self._work += [self._hands.submit(step) for step in due]
        for one in self._work:
            if one.done() and (error := one.exception()):
                raise error

    def _over(self) -> bool:
        if self.calling or self._due or any(not one.done() for one in self._work):
            return False
        everybody = len(self.ended) == len(self.calls)
        return everybody or time.monotonic() - self._changed_at > NO_PROGRESS

    def _settle(self) -> None:
        for one in self._work:
            one.result()

    # --- what the audit asks

    def _told(self, call_id: str) -> dict[str, Any] | None:
        try:
            return self._client.call(call_id)
        except httpx.HTTPStatusError as refusal:
            if refusal.response.status_code == 404:
                return None
            raise

    def _who_serves_what(self) -> dict[str, frozenset[str]]:
        """Queue keys by agent, as the API says."""
        queues = self._client.queues()
        return {
            agent["id"]: frozenset(queue["key"] for queue in queues if agent["pool"] in queue["pools"])
            for agent in self._client.agents()
        }
