"""What has to hold of the whole table at any moment at which nobody is at work on it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

from tests.e2e.backstage import Item
from tests.e2e.floor import CallAnswer

STILL = "9999"
"""Later than any time."""


def broken_promises(items: Sequence[Item]) -> list[str]:
    """By these items of the table; none, if all is well."""
    agents = {_owner(item): item for item in items if str(item["pk"]).startswith("AGENT#")}
    calls = {_owner(item): item for item in items if str(item["pk"]).startswith("CALL#")}
    entries = {str(item["sk"]) for item in items if str(item["pk"]).startswith(("IDLE#", "WAIT#"))}
    attended = {(agent["call"], name) for name, agent in agents.items() if agent["status"] == "attending"}
    connected = {(name, call["agent"]) for name, call in calls.items() if call["status"] == "connected"}
    one_sided = [f"only one side knows of {pair}" for pair in attended ^ connected]
    lost = [
        f"{owner['pk']} is {owner['status']} and in no line"
        for owner in (*agents.values(), *calls.values())
        if owner["status"] in ("available", "waiting") and owner.get("entry") not in entries
    ]
    astray = [
        f"{owner['pk']} is {owner['status']} and in line"
        for owner in (*agents.values(), *calls.values())
        if owner["status"] not in ("available", "waiting") and "entry" in owner
    ]
    return one_sided + lost + astray


def served_twice_at_once(calls: Iterable[CallAnswer]) -> list[str]:
    """Agents whom the API's answers have on two calls at a time."""
    by_agent = sorted(
        (call["agent"], call["connected_at"] or "", call["ended_at"] or STILL, call["id"])
        for call in calls
        if call["agent"]
    )
    return [
        f"{agent} has {one} until {ended} and {other} from {began}"
        for (agent, _, ended, one), (other_agent, began, _, other) in pairwise(by_agent)
        if agent == other_agent and began < ended
    ]


def _owner(item: Item) -> str:
    return str(item["pk"]).partition("#")[2]
