"""The net below the protocol: it pairs who stands opposite a partner when no look came."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

from tests.e2e.backstage import Backstage, Item
from tests.e2e.floor import Floor

A_WHILE = 11_000_000
"""Microseconds; after ten seconds in line, whoever came has long been looked for."""


@contextmanager
def no_schedule(backstage: Backstage) -> Generator[None]:
    """Or it might be quicker than the test."""
    schedule = sweep_schedule(backstage)
    whole = {k: schedule[k] for k in ("Name", "ScheduleExpression", "FlexibleTimeWindow", "Target")}
    backstage.schedules.update_schedule(**whole, State="DISABLED")
    try:
        yield
    finally:
        backstage.schedules.update_schedule(**whole, State="ENABLED")


def sweep_schedule(backstage: Backstage) -> dict[str, Any]:
    [name] = [schedule["Name"] for schedule in backstage.schedules.list_schedules()["Schedules"]]
    return backstage.schedules.get_schedule(Name=name)


def in_line(backstage: Backstage, *owners: str) -> list[Item]:
    """Their entries."""
    entries = [i for i in backstage.table(*owners) if str(i["pk"]).startswith(("IDLE#", "WAIT#"))]
    assert len(entries) == len(owners)
    return entries


def test_the_sweep_is_due_once_a_minute(backstage: Backstage) -> None:
    schedule = sweep_schedule(backstage)

    assert (schedule["State"], schedule["ScheduleExpression"]) == ("ENABLED", "rate(1 minute)")
    assert schedule["Target"]["Arn"].endswith(f":function:{backstage.function('sweep')}")


def test_who_was_not_looked_for_is_paired_and_a_metric_says_so(backstage: Backstage, floor: Floor) -> None:
    call, left_over = floor.call(), floor.call()
    floor.waiting(call, left_over)
    with no_schedule(backstage), backstage.paused("look"):
        ana = floor.available("ana")
        backstage.invoke("sweep")
        # Whoever came just now is still on the way to a look of its own.
        assert (floor.read(call)["status"], floor.agent(ana)["status"]) == ("waiting", "available")

        for entry in in_line(backstage, ana, call, left_over):
            backstage.set_number(entry, "joined_at", int(entry["joined_at"]) - A_WHILE)
        assert backstage.invoke("sweep") == {"found": 1}

        assert (floor.read(call)["agent"], floor.agent(ana)["call"]) == (ana, call)
        assert floor.read(left_over)["status"] == "waiting"
        assert backstage.invoke("sweep") == {"found": 0}

    swept = [line for line in backstage.log("sweep", message="swept") if line["found"] == [[call, ana]]]
    assert len(swept) == 1
    metrics = [line for line in backstage.log("sweep") if "_aws" in line and "SweepFound" in line]
    assert [1.0] in [line["SweepFound"] for line in metrics]
    assert metrics[0]["_aws"]["CloudWatchMetrics"][0]["Namespace"] == "Switchboard"
    # The look that comes late finds nothing left to do.
    floor.complete(call)
    assert floor.read(left_over)["status"] == "waiting"
