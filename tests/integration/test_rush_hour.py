"""Promises 1 to 5 while everybody comes at once: 16 threads, 200 agents in overlapping pools, 200 calls of several
queues, agents joining and leaving meanwhile, on AWS's own engine; without faults, and with a fault after each
request of join, look, claim and clean-up in turn, followed by redelivery."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from switchboard.adapters.dynamo_floor import DynamoFloor
from tests.support.faults import AnswerLost, Crash
from tests.support.rush import Rush

pytestmark = pytest.mark.timeout(1200)
"""Seconds: a busy machine needs many times what a quiet one does."""

REQUESTS_CUT_SHORT = {
    ("request", "commit"),
    ("match", "heads"),
    ("match", "enter"),
    ("match", "commit"),
    ("match", "claim"),
    ("match", "clear"),
    ("look", "heads"),
    ("look", "claim"),
    ("look", "clear"),
    ("staff", "enter"),
    ("staff", "commit"),
    ("staff", "clear"),
    ("staff", "part"),
}


def rush_hour(floor: DynamoFloor, seed: int, fault: type[BaseException] | None) -> Rush:
    rush = Rush(floor, agents=200, calls=200, seed=seed, fault=fault, pace=0.02)
    rush.open()
    rush.run()
    rush.settle()
    return rush


@pytest.mark.parametrize("seed", range(20))
def test_no_promise_breaks_in_a_rush(dynamo_floor: Callable[[], DynamoFloor], seed: int) -> None:
    rush = rush_hour(dynamo_floor(), seed, None)
    assert rush.problems() == []
    assert len(rush.record.claims) > 20
    assert len(rush.record.in_line_from) > 20


@pytest.mark.parametrize("fault", [Crash, AnswerLost])
@pytest.mark.parametrize("group", range(2))
def test_no_promise_breaks_in_a_rush_where_work_is_cut_short_after_any_request(
    dynamo_floor: Callable[[], DynamoFloor], fault: type[BaseException], group: int
) -> None:
    cut_short: set[tuple[str, str]] = set()
    for seed in range(group * 5, group * 5 + 5):
        rush = rush_hour(dynamo_floor(), seed, fault)
        assert rush.problems() == []
        cut_short |= set(rush.record.faults)
    assert cut_short >= REQUESTS_CUT_SHORT
