"""The call's life cycle, its effective arrival, and the id that a client's key stands for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from switchboard.domain.calls import ENDED, FIRST_EPOCH, Call, CallStatus, keyed_id
from switchboard.domain.lines import Entry, Line, Standing, standing
from switchboard.domain.refusals import IllegalMove
from switchboard.domain.texts import check_id

REQUESTED, WAITING, CONNECTED, COMPLETED, ABANDONED = CallStatus
ARRIVED, NOW = 1_766_000_000_000_000, 1_766_000_005_000_000
SECOND = 1_000_000
QUEUE = "Q" * 26

type Move = Callable[[Call], Call]
MOVES: dict[str, tuple[Move, CallStatus]] = {
    "waiting": (lambda call: call.waiting(now=NOW, attempt="0a"), WAITING),
    "connected": (lambda call: call.connected("ana", look_started_at=NOW - 7, now=NOW), CONNECTED),
    "completed": (lambda call: call.completed(now=NOW), COMPLETED),
    "abandoned": (lambda call: call.abandoned(now=NOW), ABANDONED),
}
LEGAL: dict[CallStatus, set[str]] = {
    REQUESTED: {"waiting", "connected", "abandoned"},
    WAITING: {"connected", "abandoned"},
    CONNECTED: {"completed"},
    COMPLETED: set(),
    ABANDONED: set(),
}
WAY_TO = {
    REQUESTED: (),
    WAITING: ("waiting",),
    CONNECTED: ("waiting", "connected"),
    COMPLETED: ("connected", "completed"),
    ABANDONED: ("waiting", "abandoned"),
}


def requested(*, call_id: str = "call-1", arrived_at: int = ARRIVED, head_start: int = 0) -> Call:
    return Call.request(
        call_id, "app", "voice", QUEUE, arrived_at=arrived_at, head_start=head_start, body="F00"
    )


def call_that_is(status: CallStatus) -> Call:
    call = requested()
    for move in WAY_TO[status]:
        call = MOVES[move][0](call)
    return call


def test_a_new_call_is_requested_in_its_first_epoch_and_belongs_to_nobody() -> None:
    call = requested(head_start=30)

    assert (call.id, call.client, call.channel, call.queue) == ("call-1", "app", "voice", QUEUE)
    assert (call.status, call.epoch, FIRST_EPOCH) == (REQUESTED, 1, 1)
    assert (call.arrived_at, call.head_start, call.body) == (ARRIVED, 30, "F00")
    assert (call.entry, call.agent, call.waiting_since, call.connected_at, call.ended_at) == (None,) * 5


def test_completed_and_abandoned_calls_and_no_others_have_ended() -> None:
    assert frozenset({COMPLETED, ABANDONED}) == ENDED
    for status in CallStatus:
        assert call_that_is(status).status is status
        assert call_that_is(status).ended == (status in (COMPLETED, ABANDONED))


@pytest.mark.parametrize(
    ("status", "move"), [(status, move) for status in LEGAL for move in sorted(LEGAL[status])]
)
def test_a_legal_move_gives_the_new_status_the_next_epoch_and_an_entry_only_in_line(
    status: CallStatus, move: str
) -> None:
    before = call_that_is(status)
    make, target = MOVES[move]
    after = make(before)

    assert (after.status, after.epoch) == (target, before.epoch + 1)
    assert (after.entry is not None) == (target is WAITING)
    assert (after.arrived_at, after.head_start, after.queue) == (ARRIVED, 0, QUEUE)
    assert (after.id, after.client, after.channel, after.body) == ("call-1", "app", "voice", "F00")


@pytest.mark.parametrize(
    ("status", "move"), [(status, move) for status in LEGAL for move in sorted(MOVES.keys() - LEGAL[status])]
)
def test_an_illegal_move_is_refused_naming_both_statuses_and_changes_nothing(
    status: CallStatus, move: str
) -> None:
    call = call_that_is(status)
    make, target = MOVES[move]

    with pytest.raises(IllegalMove) as refusal:
        make(call)

    assert refusal.value.reason == f"call call-1 is {status.value} and cannot become {target.value}"
    assert refusal.value.status == status.value
    assert call == call_that_is(status)


def test_a_waiting_call_stands_in_the_line_of_its_queue_by_effective_arrival() -> None:
    parked = requested(head_start=30).waiting(now=NOW, attempt="0a")

    assert parked.entry == Entry(Line.of_queue(QUEUE), ARRIVED - 30 * SECOND, "call-1", 2, "0a")
    assert parked.entry is not None
    assert parked.entry.joined_at == NOW
    assert parked.entry.place == parked.place == requested(head_start=30).place
    assert parked.waiting_since == NOW


def test_a_connected_call_knows_its_agent_the_time_and_when_the_look_began() -> None:
    waiting = call_that_is(WAITING)
    connected = waiting.connected("ana", look_started_at=NOW - 7, now=NOW)

    assert connected == replace(
        waiting,
        status=CONNECTED,
        epoch=3,
        entry=None,
        agent="ana",
        look_started_at=NOW - 7,
        connected_at=NOW,
    )


def test_a_completed_call_keeps_who_served_it_and_when_it_ended() -> None:
    connected = call_that_is(CONNECTED)

    assert connected.completed(now=NOW + 9) == replace(
        connected, status=COMPLETED, epoch=connected.epoch + 1, ended_at=NOW + 9
    )


@pytest.mark.parametrize("status", [REQUESTED, WAITING])
def test_an_abandoned_call_leaves_the_line_without_an_agent(status: CallStatus) -> None:
    before = call_that_is(status)

    assert before.abandoned(now=NOW + 9) == replace(
        before, status=ABANDONED, epoch=before.epoch + 1, entry=None, ended_at=NOW + 9
    )


@given(st.lists(st.sampled_from(sorted(MOVES)), max_size=12))
def test_whatever_happens_the_epoch_grows_by_one_and_status_entry_agent_and_end_fit_together(
    moves: list[str],
) -> None:
    lived = [requested()]
    for move in moves:
        try:
            lived.append(MOVES[move][0](lived[-1]))
        except IllegalMove:
            assert move not in LEGAL[lived[-1].status]

    assert [call.epoch for call in lived] == list(range(1, len(lived) + 1))
    parked = [call.entry for call in lived if call.entry]
    for call in lived:
        assert (call.entry is not None) == (call.status is WAITING)
        assert (call.agent is not None) == (call.status in (CONNECTED, COMPLETED))
        assert (call.ended_at is not None) == call.ended
        for entry in parked:
            ahead = Standing.JOINING if call.status is REQUESTED else Standing.DEAD
            assert standing(entry, call) is (Standing.LIVE if call.status is WAITING else ahead)


arrivals = st.integers(ARRIVED, ARRIVED + 100 * SECOND)
head_starts = st.integers(0, 100)


@given(arrivals, head_starts)
def test_effective_arrival_is_arrival_less_the_head_start_in_seconds(
    arrived_at: int, head_start: int
) -> None:
    call = requested(arrived_at=arrived_at, head_start=head_start)

    assert arrived_at - call.effective_arrival == head_start * SECOND


@given(arrivals, arrivals, head_starts)
def test_a_head_start_passes_just_those_who_arrived_less_than_it_before(
    early: int, late: int, head_start: int
) -> None:
    other = requested(call_id="other", arrived_at=early)
    favoured = requested(call_id="favoured", arrived_at=late, head_start=head_start)

    assert (favoured.effective_arrival < other.effective_arrival) == (late - early < head_start * SECOND)


@given(
    st.lists(
        st.tuples(
            st.sampled_from((ARRIVED, ARRIVED + 10 * SECOND)),
            st.sampled_from((0, 10)),
            st.text("ab", min_size=1, max_size=2),
        ),
        min_size=2,
        max_size=6,
    )
)
def test_calls_in_line_have_the_order_of_their_places(seen: list[tuple[int, int, str]]) -> None:
    calls = [requested(call_id=name, arrived_at=at, head_start=lead) for at, lead, name in seen]
    parked = [call.waiting(now=NOW, attempt="0a").entry for call in calls]
    by_key = sorted((entry for entry in parked if entry), key=lambda entry: entry.key)

    assert [entry.place for entry in by_key] == sorted(call.place for call in calls)


near_texts = st.text("a1:#", max_size=4)


@given(near_texts, near_texts, near_texts, near_texts)
def test_a_keyed_id_is_the_same_just_for_the_same_client_and_key(
    client: str, key: str, other_client: str, other_key: str
) -> None:
    same = (client, key) == (other_client, other_key)

    assert (keyed_id(client, key) == keyed_id(other_client, other_key)) == same


@given(st.text("0123456789:", max_size=8), st.integers(0, 8), st.integers(0, 8))
def test_moving_characters_between_client_and_key_gives_another_id(text: str, one: int, other: int) -> None:
    pairs = {(text[:cut], text[cut:]) for cut in (one, other)}

    assert len({keyed_id(client, key) for client, key in pairs}) == len(pairs)


@given(st.text(), st.text())
def test_a_keyed_id_can_be_the_id_of_a_call(client: str, key: str) -> None:
    assert check_id(keyed_id(client, key), "id") == keyed_id(client, key)
