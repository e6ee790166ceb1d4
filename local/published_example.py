"""The published example of a queue with filtering, replayed over HTTP: is each expected agent the one who is chosen?"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

from local.floor_client import FloorClient

EXAMPLE = Path(__file__).with_name("published_example.json")
PATIENCE = 30
"""Seconds until a call is taken for not matched."""


@dataclass(frozen=True, slots=True)
class Choice:
    """Who was expected to get a call, and who got it."""

    needs: dict[str, str]
    expected: str
    chosen: str

    @property
    def right(self) -> bool:
        return self.chosen == self.expected


def replay(client: FloorClient) -> Iterator[Choice]:
    """Everybody comes in the order of the example's times; then the calls, the wildcard before the others."""
    example = json.loads(EXAMPLE.read_text())
    names = {agent["id"]: agent["name"] for agent in example["agents"]}
    try:
        for agent in example["agents"]:
            client.register(agent["id"], agent["name"], _profile(agent))
        _occupy(client, [agent for agent in example["agents"] if agent["status"] != "queued"])
        queued = [agent for agent in example["agents"] if agent["status"] == "queued"]
        for agent in sorted(queued, key=lambda agent: agent["available_since"]):
            client.set_status(agent["id"], "available")
        for expected in sorted(example["expected"], key=lambda one: len(one["call"])):
            chosen = _agent_for(client, expected["call"])
            yield Choice(expected["call"], expected["agent"], names.get(chosen or "", chosen or "nobody"))
    finally:
        send_home(client, list(names))


def send_home(client: FloorClient, agent_ids: list[str]) -> None:
    """Whoever attends finishes; all sign out and are removed."""
    for agent_id in agent_ids:
        agent = client.agent(agent_id)
        if agent["call"]:
            client.complete(agent["call"])
        client.set_status(agent_id, "offline")
        client.remove(agent_id)


def _profile(agent: dict[str, Any]) -> dict[str, Any]:
    return {"language": agent["languages"], "gender": [agent["gender"]]}


def _occupy(client: FloorClient, busy: list[dict[str, Any]]) -> None:
    for agent in busy:
        client.set_status(agent["id"], "available")
        _agent_for(client, {"language": agent["languages"][0], "gender": agent["gender"]})


def _agent_for(client: FloorClient, needs: dict[str, str]) -> str | None:
    call_id = client.request_call(uuid4().hex, "voice", dict(needs))["id"]
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        call = client.call(call_id)
        if call["agent"]:
            return call["agent"]
        time.sleep(0.1)
    client.hang_up(call_id)
    return None
