"""The published example of a FIFO agent queue with filtering: who is idle longest and can serve."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from switchboard.domain.agents import Agent
from switchboard.domain.catalog import Catalog, Order, Pool
from switchboard.domain.lines import Entry
from switchboard.domain.skills import Profile, Requirement

EXAMPLE: dict[str, Any] = json.loads(
    (Path(__file__).parents[3] / "local" / "published_example.json").read_text()
)
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
POOLS = {
    agent["name"]: Pool(Profile.parse({"language": agent["languages"], "gender": agent["gender"]}))
    for agent in EXAMPLE["agents"]
}
CATALOG = Catalog(1, {pool.key: pool for pool in POOLS.values()})
NAMES: dict[str, str] = {agent["id"]: agent["name"] for agent in EXAMPLE["agents"]}


def idle_entry(agent: dict[str, Any]) -> Entry:
    since = datetime.fromisoformat(agent["available_since"]) - EPOCH
    now = (since.days * 86_400 + since.seconds) * 1_000_000 + since.microseconds
    registered = Agent.register(agent["id"], agent["name"], POOLS[agent["name"]].key, now=now - 1)
    entry = registered.available(now=now, attempt="0a").entry
    assert entry is not None
    return entry


IDLE = [idle_entry(agent) for agent in EXAMPLE["agents"] if agent["status"] == "queued"]


def in_line(call: dict[str, str], *, without: tuple[str, ...] = ()) -> list[str]:
    """The names of the idle who serve such a call, in text order of their entries."""
    serving = {pool.key for pool in CATALOG.pools_serving(Requirement.parse(call))}
    entries = sorted((entry for entry in IDLE if entry.line.key in serving), key=lambda entry: entry.key)
    assert entries == sorted(entries, key=Order.LONGEST_IDLE.rank)
    return [name for entry in entries if (name := NAMES[entry.owner]) not in without]


def asked(line: str) -> dict[str, str]:
    language, gender = line.split("/")
    return {"language": language, "gender": gender}


@pytest.mark.parametrize(("line", "names"), EXAMPLE["lines"].items())
def test_each_published_line_follows_from_the_entries(line: str, names: list[str]) -> None:
    assert in_line(asked(line)) == names


@pytest.mark.parametrize("expected", EXAMPLE["expected"], ids=lambda expected: expected["agent"])
def test_the_expected_agent_is_the_longest_idle_who_serves(expected: dict[str, Any]) -> None:
    assert in_line(expected["call"])[0] == expected["agent"]


def test_taken_one_after_the_other_each_call_gets_the_expected_agent_and_leaves_the_published_lines() -> None:
    taken: tuple[str, ...] = ()
    for expected in EXAMPLE["expected"][:3]:
        assert in_line(expected["call"], without=taken)[0] == expected["agent"]
        taken = (*taken, expected["agent"])
        for line in expected.get("lines_then_empty", []):
            assert in_line(asked(line), without=taken) == []
        for line, head in expected.get("lines_then_head", {}).items():
            assert in_line(asked(line), without=taken)[0] == head


def test_who_attends_a_call_is_not_in_line() -> None:
    assert "Andrew" not in in_line({"language": "English"})


def test_however_many_languages_an_agent_speaks_it_has_one_entry() -> None:
    assert len(IDLE) == len({entry.owner for entry in IDLE}) == 5
