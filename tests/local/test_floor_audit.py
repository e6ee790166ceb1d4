"""The audit finds what it is there to find."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from local.floor_audit import CONCURRENT_LOOKS, CallRecord, Idle, audit

START = datetime(2026, 1, 1, tzinfo=UTC)


def at(seconds: float) -> str:
    return (START + timedelta(seconds=seconds)).isoformat()


def call(name: str, *, queue: str = "es", arrived: float = 0, **answer: Any) -> CallRecord:
    """Times are given in seconds: waiting, look, connected, ended."""
    times = {
        "arrived_at": arrived,
        "effective_arrival_at": arrived,
        "waiting_since": answer.get("waiting"),
        "look_started_at": answer.get("look"),
        "connected_at": answer.get("connected"),
        "ended_at": answer.get("ended"),
    }
    told = {key: None if value is None else at(value) for key, value in times.items()}
    status = answer.get("status", "completed")
    return CallRecord(name, {"status": status, "queue": queue, "agent": answer.get("agent"), **told})


def served(name: str, agent: str, connected: float, ended: float, **more: Any) -> CallRecord:
    return call(name, agent=agent, look=connected, connected=connected, ended=ended, **more)


def idle(agent: str, since: float, *queues: str) -> Idle:
    return Idle(agent, START + timedelta(seconds=since), frozenset(queues))


def test_a_floor_in_good_order_keeps_its_promises() -> None:
    verdict = audit(
        [
            served("c1", "ana", 1, 5),
            served("c2", "ana", 6, 9, arrived=2, waiting=2),
            call("c3", status="waiting"),
        ],
        [idle("ana", 0, "es"), idle("ana", 5.5, "es")],
    )

    assert verdict.kept
    assert str(verdict) == (
        "floor: calls=3 matched=2 waiting=1 abandoned=0 double=0 lost=0 order_violations=0"
        " wait_p50_ms=2500 wait_p95_ms=3850"
    )


def test_an_agent_on_two_calls_at_once_is_found() -> None:
    assert len(audit([served("c1", "ana", 1, 5), served("c2", "ana", 4, 6)], []).double) == 1


def test_an_agent_who_got_a_call_before_the_last_one_ended_is_found() -> None:
    still_connected = call("c1", agent="ana", look=1, connected=1, status="connected")

    assert len(audit([still_connected, served("c2", "ana", 4, 6)], []).double) == 1


def test_a_call_that_was_never_looked_at_is_lost() -> None:
    assert len(audit([call("c1", status="requested"), CallRecord("c2", None)], []).lost) == 2


def test_a_call_that_was_passed_over_by_a_later_one_of_its_queue_is_found() -> None:
    early = served("early", "bob", 20, 25, arrived=0, waiting=1)
    late = served("late", "ana", 10, 15, arrived=5)

    assert len(audit([early, late], []).order_violations) == 1


def test_a_call_that_still_waits_while_a_later_one_was_served_is_found() -> None:
    early = call("early", arrived=0, waiting=1, status="waiting")

    assert len(audit([early, served("late", "ana", 10, 15, arrived=5)], []).order_violations) == 1


def test_who_came_into_line_during_the_look_or_left_it_meanwhile_was_not_passed_over() -> None:
    late = call("late", agent="ana", arrived=5, look=8, connected=10, ended=15)
    joining = served("joining", "bob", 20, 25, arrived=0, waiting=7.5)
    leaving = served("leaving", "cy", 10.5, 25, arrived=0, waiting=1)
    gone = call("gone", arrived=0, waiting=1, ended=9, status="abandoned")

    assert audit([late, joining, leaving, gone], []).kept


def test_a_call_of_another_queue_may_be_served_first_unless_the_agent_came_just_now() -> None:
    other = served("other", "bob", 20, 25, queue="fr", arrived=0, waiting=1)
    taken = served("taken", "ana", 10, 15, queue="es", arrived=5)

    assert audit([other, taken], [idle("ana", 2, "es", "fr")]).kept
    assert len(audit([other, taken], [idle("ana", 9.5, "es", "fr")]).order_violations) == 1
    assert audit([other, taken], [idle("ana", 9.5, "es")]).kept


def test_who_waits_to_the_end_while_an_agent_who_serves_them_is_idle_is_found() -> None:
    waits = call("c1", waiting=1, status="waiting")

    assert len(audit([waits], [idle("ana", 2, "es")]).stranded) == 1
    assert audit([waits], [idle("ana", 2, "fr")]).kept
    assert audit([waits, served("c2", "ana", 3, 5, queue="fr")], [idle("ana", 2, "es", "fr")]).kept


def test_an_agent_taken_before_more_than_could_be_by_looks_at_once_is_found() -> None:
    longer_idle = [idle(f"agent-{number}", number, "es") for number in range(CONCURRENT_LOOKS + 1)]
    late = idle("ana", 50, "es")

    assert len(audit([served("c1", "ana", 60, 65, arrived=60)], [*longer_idle, late]).order_violations) == 1
    assert audit([served("c1", "ana", 60, 65, arrived=60)], [*longer_idle[:-1], late]).kept
