"""Lines: who stands where, whatever their owners say."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from switchboard.domain.lines import Entry, Line
from switchboard.ports import Floor
from tests.contract.lives import NOW, OTHER_POOL, POOL, attempts, ids, new_id, times

LINES = [Line.of_pool(POOL), Line.of_queue(POOL), Line.of_pool(OTHER_POOL)]
LINE = LINES[0]


def entry(time: int, owner: str = "ann", *, line: Line = LINE, epoch: int = 1, attempt: str = "0a") -> Entry:
    return Entry(line, NOW + time, owner, epoch, attempt, joined_at=NOW + time + 500)


def enter(floor: Floor, *entries: Entry) -> None:
    for one in entries:
        floor.enter(one)


@st.composite
def entries(draw: st.DrawFn) -> list[Entry]:
    """Entries of one line that nobody else has, in any order, some of them at the same time."""
    line = Line(draw(st.sampled_from(LINES)).side, new_id())
    few = draw(st.lists(times, min_size=1, max_size=3))
    return draw(
        st.lists(
            st.builds(
                Entry, st.just(line), st.sampled_from(few), ids, st.integers(0, 2 * 10**12), attempts, times
            ),
            max_size=8,
            unique_by=lambda one: one.key,
        )
    )


@given(some=entries())
def test_entries_are_found_in_order_with_all_that_they_hold(floor: Floor, some: list[Entry]) -> None:
    enter(floor, *some)
    heads = floor.heads(some[0].line, 10) if some else []
    ordered = sorted(some, key=lambda one: (one.time, one.key))
    assert heads == ordered
    assert [one.joined_at for one in heads] == [one.joined_at for one in ordered]


@given(some=entries(), limit=st.integers(1, 3), newest_first=st.booleans())
def test_page_by_page_a_line_is_read_whole(
    floor: Floor, some: list[Entry], limit: int, newest_first: bool
) -> None:
    enter(floor, *some)
    ordered = sorted(some, key=lambda one: one.key, reverse=newest_first)
    read: list[Entry] = []
    while some and (
        page := floor.heads(some[0].line, limit, newest_first=newest_first, after=read[-1] if read else None)
    ):
        assert len(page) <= limit
        read += page
    assert read == ordered


@pytest.mark.parametrize("newest_first", [False, True])
def test_an_empty_line_has_no_heads(floor: Floor, newest_first: bool) -> None:
    assert floor.heads(LINE, 5, newest_first=newest_first) == []
    assert floor.heads(LINE, 5, newest_first=newest_first, after=entry(0)) == []


def test_the_heads_are_the_earliest_and_no_more_than_asked_for(floor: Floor) -> None:
    enter(floor, entry(3), entry(1), entry(2))
    assert floor.heads(LINE, 2) == [entry(1), entry(2)]
    assert floor.heads(LINE, 2, newest_first=True) == [entry(3), entry(2)]


def test_reading_goes_on_behind_an_entry_that_has_gone_meanwhile(floor: Floor) -> None:
    enter(floor, entry(1), entry(2), entry(3))
    floor.clear([entry(2)])
    assert floor.heads(LINE, 5, after=entry(2)) == [entry(3)]
    assert floor.heads(LINE, 5, after=entry(2), newest_first=True) == [entry(1)]


def test_entries_whose_owners_were_never_heard_of_are_heads_all_the_same(floor: Floor) -> None:
    enter(floor, entry(1, "nobody"))
    assert floor.agent("nobody") is None
    assert floor.heads(LINE, 1) == [entry(1, "nobody")]


def test_lines_of_one_key_on_both_sides_are_two_lines(floor: Floor) -> None:
    enter(floor, *(entry(1, line=line) for line in LINES))
    assert [floor.heads(line, 5) for line in LINES] == [[entry(1, line=line)] for line in LINES]


def test_at_the_same_microsecond_both_are_kept(floor: Floor) -> None:
    both = [entry(1, "ann"), entry(1, "bea")]
    enter(floor, *both)
    assert floor.heads(LINE, 5) == both


def test_two_attempts_of_one_owner_are_two_entries(floor: Floor) -> None:
    both = [entry(1, attempt="0a"), entry(1, attempt="0b")]
    enter(floor, *both)
    assert floor.heads(LINE, 5) == both


def test_entering_twice_is_entering_once(floor: Floor) -> None:
    enter(floor, entry(1), entry(1))
    assert floor.heads(LINE, 5) == [entry(1)]


def test_cleared_entries_are_gone_and_others_stay(floor: Floor) -> None:
    enter(floor, entry(1), entry(2), entry(1, line=LINES[1]))
    floor.clear([entry(1)])
    assert floor.heads(LINE, 5) == [entry(2)]
    assert floor.heads(LINES[1], 5) == [entry(1, line=LINES[1])]


def test_clearing_what_is_not_there_is_no_error(floor: Floor) -> None:
    enter(floor, entry(1))
    floor.clear([entry(2), entry(1, attempt="ff")])
    floor.clear([])
    assert floor.heads(LINE, 5) == [entry(1)]


def test_entries_of_several_lines_are_cleared_at_once(floor: Floor) -> None:
    pair = [entry(1, line=LINES[0]), entry(1, line=LINES[1])]
    enter(floor, *pair)
    floor.clear(pair)
    assert [floor.heads(line, 5) for line in LINES] == [[], [], []]


@pytest.mark.parametrize("many", [25, 26, 60])
def test_any_number_of_entries_is_cleared(floor: Floor, many: int) -> None:
    some = [entry(number) for number in range(many)]
    enter(floor, *some, entry(many))
    floor.clear(some)
    assert floor.heads(LINE, many) == [entry(many)]


def test_ahead_are_those_before_an_entry_counted_up_to_a_limit(floor: Floor) -> None:
    enter(floor, *(entry(number) for number in range(5)))
    assert [floor.ahead_of(entry(number), 3) for number in range(5)] == [0, 1, 2, 3, 3]


def test_ahead_counts_one_line_only_and_not_the_entry_itself(floor: Floor) -> None:
    enter(floor, entry(1), entry(2, line=LINES[1]), entry(2))
    assert floor.ahead_of(entry(2), 10) == 1
    assert floor.ahead_of(entry(2, line=LINES[1]), 10) == 0
    assert floor.ahead_of(entry(9, line=LINES[2]), 10) == 0


def test_an_entry_that_has_gone_still_has_a_place(floor: Floor) -> None:
    enter(floor, entry(1), entry(3))
    assert floor.ahead_of(entry(2), 10) == 1
