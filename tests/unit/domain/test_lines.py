"""Entries: their keys, their order, and what one is worth."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from switchboard.adapters.items import agent_key, call_key, entry_from, entry_item, entry_key
from switchboard.domain.lines import Entry, Line, Side, Standing, standing
from switchboard.domain.texts import fingerprint
from tests.unit.domain.strategies import close_ids, ids, microseconds, times

POOL = fingerprint('{"language":["en"]}')
LINES = [Line.of_pool(POOL), Line.of_queue(POOL)]
MOST_PK_BYTES, MOST_SK_BYTES = 2048, 1024
"""https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html"""

attempts = st.text("0123456789abcdef", min_size=10, max_size=10)
epochs = st.integers(1, 10**16)
entries = st.builds(Entry, st.sampled_from(LINES), times, ids, epochs, attempts, times)


def _later(time: int, step: int) -> int:
    return min(time + step, microseconds(2286) - 1)


@st.composite
def crowds(draw: st.DrawFn) -> list[Entry]:
    """Entries of one line that often share a time or the beginning of an owner's id."""
    about = draw(st.lists(times, min_size=1, max_size=3))
    near = st.builds(_later, st.sampled_from(about), st.sampled_from((0, 0, 1, 9, 10, 10**6, 10**15)))
    crowd = st.builds(Entry, st.just(LINES[0]), near, close_ids, epochs, attempts)
    return draw(st.lists(crowd, min_size=2, max_size=8))


@given(crowds())
def test_the_text_order_of_keys_is_the_order_of_time_and_then_of_owner(crowd: list[Entry]) -> None:
    by_text = sorted(crowd, key=lambda entry: entry.key)
    by_bytes = sorted(crowd, key=lambda entry: entry.key.encode())

    assert [entry.place for entry in by_text] == sorted((entry.time, entry.owner) for entry in crowd)
    assert by_bytes == by_text


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        (microseconds(2001), microseconds(2286) - 1),
        (999_999_999_999_999, 1_000_000_000_000_000),
        (0, 1),
        (9, 10),
        (microseconds(2026), microseconds(2026) + 1),
    ],
)
def test_a_number_with_more_digits_is_not_mistaken_for_an_earlier_time(earlier: int, later: int) -> None:
    keys = [Entry(LINES[0], time, owner, 1, "a").key for time, owner in ((earlier, "z"), (later, "A"))]

    assert keys == sorted(keys)


def test_a_key_says_time_owner_epoch_and_attempt_and_never_changes_for_keys_are_stored() -> None:
    assert Entry(LINES[0], 123_000_456, "ana-7", 2, "0a").key == "0000000123000456#ana-7#2#0a"


@given(entries)
def test_an_entry_comes_back_from_its_key(entry: Entry) -> None:
    again = Entry.parse(entry.line, entry.key, joined_at=entry.joined_at)

    assert again == entry
    assert (again.joined_at, again.key) == (entry.joined_at, entry.key)


@given(entries)
def test_an_entry_comes_back_from_its_item(entry: Entry) -> None:
    again = entry_from(entry.line, entry_item(entry))

    assert (again, again.joined_at) == (entry, entry.joined_at)


@given(entries, entries)
def test_entries_share_a_key_just_when_they_are_the_same_whenever_they_were_written(
    one: Entry, other: Entry
) -> None:
    assert (entry_key(one) == entry_key(other)) == (one == other)


def test_when_it_was_written_is_no_part_of_what_an_entry_is() -> None:
    one, other = (Entry(LINES[0], 5, "ana", 2, "a", joined_at=at) for at in (10, 20))

    assert one == other
    assert one.key == other.key


@pytest.mark.parametrize(
    "different", [(6, "ana", 2, "a"), (5, "bob", 2, "a"), (5, "ana", 3, "a"), (5, "ana", 2, "b")]
)
def test_another_time_owner_epoch_or_attempt_is_another_entry(different: tuple[int, str, int, str]) -> None:
    one, other = Entry(LINES[0], 5, "ana", 2, "a"), Entry(LINES[0], *different)

    assert one != other
    assert one.key != other.key


def test_pools_and_queues_of_one_text_have_lines_of_their_own() -> None:
    pool, queue = LINES

    assert (pool.side, queue.side) == (Side.AGENTS, Side.CALLS)
    assert pool != queue
    assert entry_key(Entry(pool, 5, "ana", 2, "a"))["pk"] == f"IDLE#{POOL}"
    assert entry_key(Entry(queue, 5, "ana", 2, "a"))["pk"] == f"WAIT#{POOL}"


@pytest.mark.parametrize("line", LINES)
def test_the_longest_ids_fit_the_keys_of_the_table(line: Line) -> None:
    longest = "x" * 64
    entry = Entry(line, microseconds(2286) - 1, longest, 2**63, "f" * 64)

    for key in (entry_key(entry), agent_key(longest), call_key(longest)):
        assert 1 <= len(str(key["pk"]).encode()) <= MOST_PK_BYTES
        assert 1 <= len(str(key["sk"]).encode()) <= MOST_SK_BYTES


@given(ids)
def test_an_agent_and_a_call_of_one_id_are_different_items(owner: str) -> None:
    assert agent_key(owner) == {"pk": f"AGENT#{owner}", "sk": "STATE"}
    assert call_key(owner) == {"pk": f"CALL#{owner}", "sk": "STATE"}


@dataclass(frozen=True)
class Somebody:
    epoch: int
    entry: Entry | None
    status: str = "somewhere"


ENTRY = Entry(LINES[0], 5, "ana", 7, "a")
OTHER_TRY = Entry(LINES[0], 5, "ana", 7, "b")
OTHER_LINE = Entry(Line.of_pool(fingerprint("{}")), 5, "ana", 7, "a")


@pytest.mark.parametrize(
    ("owner", "worth"),
    [
        (None, Standing.JOINING),
        (Somebody(6, None), Standing.JOINING),
        (Somebody(6, Entry(LINES[0], 1, "ana", 6, "c")), Standing.JOINING),
        (Somebody(7, ENTRY), Standing.LIVE),
        (Somebody(8, ENTRY), Standing.LIVE),
        (Somebody(7, Entry(LINES[0], 5, "ana", 7, "a", joined_at=99)), Standing.LIVE),
        (Somebody(7, None), Standing.DEAD),
        (Somebody(8, None), Standing.DEAD),
        (Somebody(7, OTHER_TRY), Standing.DEAD),
        (Somebody(7, OTHER_LINE), Standing.DEAD),
        (Somebody(9, Entry(LINES[0], 5, "ana", 9, "a")), Standing.DEAD),
    ],
)
def test_an_entry_is_live_if_named_by_its_owner_joining_if_ahead_of_it_and_dead_otherwise(
    owner: Somebody | None, worth: Standing
) -> None:
    assert standing(ENTRY, owner) is worth


near_entries = st.builds(
    Entry, st.sampled_from(LINES), st.integers(1, 2), st.just("ana"), st.integers(1, 4), st.sampled_from("ab")
)


@given(near_entries, st.integers(1, 4), st.none() | near_entries)
def test_no_entry_is_live_that_its_owner_does_not_name(entry: Entry, epoch: int, named: Entry | None) -> None:
    worth = standing(entry, Somebody(epoch, named))

    assert worth is not Standing.LIVE or entry == named
    assert (worth is Standing.JOINING) == (entry.epoch > epoch)
