"""The agent's life cycle."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from switchboard.domain.agents import Agent, AgentStatus
from switchboard.domain.lines import Entry, Line, Standing, standing
from switchboard.domain.refusals import IllegalMove

OFFLINE, AWAY, AVAILABLE, ATTENDING, WRAP_UP = AgentStatus
REGISTERED, NOW = 1_766_000_000_000_999, 1_766_000_005_000_000
MILLISECOND = 1_000
POOLS = ("A" * 26, "B" * 26)

type Move = Callable[[Agent, int], Agent]
MOVES: dict[str, tuple[Move, AgentStatus]] = {
    "available": (lambda agent, now: agent.available(now=now, attempt=f"{now:x}"), AVAILABLE),
    "away": (lambda agent, now: agent.away(now=now), AWAY),
    "offline": (lambda agent, now: agent.offline(now=now), OFFLINE),
    "claimed": (lambda agent, now: agent.claimed("call-1", now=now), ATTENDING),
    "freed": (lambda agent, now: agent.freed(now=now), WRAP_UP),
}
LEGAL = {
    OFFLINE: {"away", "available"},
    AWAY: {"available", "offline"},
    AVAILABLE: {"claimed", "away", "offline"},
    ATTENDING: {"freed"},
    WRAP_UP: {"available", "away", "offline"},
}
WAY_TO = {
    OFFLINE: (),
    AWAY: ("away",),
    AVAILABLE: ("available",),
    ATTENDING: ("available", "claimed"),
    WRAP_UP: ("available", "claimed", "freed"),
}


def registered(now: int = REGISTERED) -> Agent:
    return Agent.register("ana", "Ana", POOLS[0], now=now)


def agent_who_is(status: AgentStatus) -> Agent:
    agent = registered()
    for step, move in enumerate(WAY_TO[status], start=1):
        agent = MOVES[move][0](agent, REGISTERED + step * MILLISECOND)
    return agent


def test_a_new_agent_is_offline_and_its_epoch_is_the_time_in_milliseconds() -> None:
    agent = registered()

    assert (agent.id, agent.name, agent.pool) == ("ana", "Ana", POOLS[0])
    assert (agent.status, agent.epoch) == (OFFLINE, 1_766_000_000_000)
    assert (agent.registered_at, agent.status_since) == (REGISTERED, REGISTERED)
    assert (agent.entry, agent.call, agent.signed_in) == (None, None, False)


@pytest.mark.parametrize("status", AgentStatus)
def test_an_agent_is_signed_in_unless_offline(status: AgentStatus) -> None:
    agent = agent_who_is(status)

    assert agent.status is status
    assert agent.signed_in == (status is not OFFLINE)


@pytest.mark.parametrize(
    ("status", "move"), [(status, move) for status in LEGAL for move in sorted(LEGAL[status])]
)
def test_a_legal_move_gives_the_new_status_the_next_epoch_and_an_entry_only_in_line(
    status: AgentStatus, move: str
) -> None:
    before = agent_who_is(status)
    make, target = MOVES[move]
    after = make(before, NOW)

    assert (after.status, after.epoch, after.status_since) == (target, before.epoch + 1, NOW)
    assert (after.entry is not None) == (target is AVAILABLE)
    assert after.call == ("call-1" if target in (ATTENDING, WRAP_UP) else None)
    assert replace(after, status=status, epoch=0, status_since=0, entry=None, call=None) == replace(
        before, epoch=0, status_since=0, entry=None, call=None
    )


@pytest.mark.parametrize(
    ("status", "move"), [(status, move) for status in LEGAL for move in sorted(MOVES.keys() - LEGAL[status])]
)
def test_an_illegal_move_is_refused_naming_both_statuses_and_changes_nothing(
    status: AgentStatus, move: str
) -> None:
    agent = agent_who_is(status)
    make, target = MOVES[move]

    with pytest.raises(IllegalMove) as refusal:
        make(agent, NOW)

    assert refusal.value.reason == f"agent ana is {status.value} and cannot become {target.value}"
    assert refusal.value.status == status.value
    assert agent == agent_who_is(status)


def test_who_becomes_available_stands_at_the_end_of_its_line_by_the_time_it_did() -> None:
    before = agent_who_is(WRAP_UP)
    entry = before.available(now=NOW, attempt="0a").entry

    assert entry == Entry(Line.of_pool(POOLS[0]), NOW, "ana", before.epoch + 1, "0a")
    assert entry is not None
    assert entry.joined_at == NOW


def test_a_changed_name_keeps_the_place_in_line() -> None:
    before = agent_who_is(AVAILABLE)
    after = before.changed("Anna", POOLS[0], now=NOW, attempt="0b")

    assert after == replace(before, name="Anna", epoch=before.epoch + 1)
    assert before.entry is not None
    assert standing(before.entry, after) is Standing.LIVE


def test_a_changed_profile_moves_who_stands_in_line_to_the_other_line_with_its_idle_since() -> None:
    before = agent_who_is(AVAILABLE)
    assert before.entry is not None
    after = before.changed("Ana", POOLS[1], now=NOW, attempt="0b")
    moved = Entry(Line.of_pool(POOLS[1]), before.entry.time, "ana", before.epoch + 1, "0b")

    assert after == replace(before, pool=POOLS[1], epoch=before.epoch + 1, entry=moved)
    assert after.entry is not None
    assert after.entry.joined_at == NOW
    assert standing(before.entry, after) is Standing.DEAD
    assert standing(moved, before) is Standing.JOINING


@pytest.mark.parametrize("status", [OFFLINE, AWAY, ATTENDING, WRAP_UP])
def test_a_changed_profile_gives_no_place_to_who_stands_in_no_line(status: AgentStatus) -> None:
    before = agent_who_is(status)
    after = before.changed("Anna", POOLS[1], now=NOW, attempt="0b")

    assert after == replace(before, name="Anna", pool=POOLS[1], epoch=before.epoch + 1)


def life(moves: list[str], *, start: int = REGISTERED, step: int = MILLISECOND) -> list[Agent]:
    """What an agent was after each move that was legal, from its registration on."""
    lived = [registered(start)]
    for count, move in enumerate(moves, start=1):
        agent, now = lived[-1], start + count * step
        if move in POOLS:
            lived.append(agent.changed("Ana", move, now=now, attempt=f"{now:x}"))
            continue
        try:
            lived.append(MOVES[move][0](agent, now))
        except IllegalMove:
            assert move not in LEGAL[agent.status]
    return lived


walks = st.lists(st.sampled_from([*MOVES, *POOLS]), max_size=30)


@given(walks)
def test_whatever_happens_the_epoch_grows_by_one_and_status_entry_and_call_fit_together(
    moves: list[str],
) -> None:
    lived = life(moves)

    assert [agent.epoch for agent in lived] == [lived[0].epoch + step for step in range(len(lived))]
    for agent in lived:
        assert (agent.entry is not None) == (agent.status is AVAILABLE)
        assert (agent.call is not None) == (agent.status in (ATTENDING, WRAP_UP))
        if agent.entry is not None:
            assert (agent.entry.line, agent.entry.owner) == (Line.of_pool(agent.pool), "ana")
            assert agent.status_since == agent.entry.time


@given(walks)
def test_at_any_moment_only_the_latest_entry_is_live_earlier_ones_are_dead_and_later_ones_joining(
    moves: list[str],
) -> None:
    lived = life(moves)
    joined = {agent.entry: number for number, agent in reversed(list(enumerate(lived))) if agent.entry}
    for number, agent in enumerate(lived):
        for entry, first in joined.items():
            if first > number:
                assert standing(entry, agent) is Standing.JOINING
            else:
                assert standing(entry, agent) is (Standing.LIVE if entry == agent.entry else Standing.DEAD)


@pytest.mark.parametrize("status", [OFFLINE, AWAY, WRAP_UP])
def test_the_entry_of_a_join_that_was_given_up_is_dead_whatever_happened_instead(status: AgentStatus) -> None:
    before = agent_who_is(status)
    given_up = before.available(now=NOW, attempt="0a").entry
    assert given_up is not None
    assert standing(given_up, before) is Standing.JOINING

    for instead in LEGAL[status]:
        assert standing(given_up, MOVES[instead][0](before, NOW)) is Standing.DEAD
    assert standing(given_up, before.changed("Ana", POOLS[1], now=NOW, attempt="0b")) is Standing.DEAD


@given(walks, walks, st.integers(MILLISECOND, 5_000), st.integers(0, 999))
def test_an_agent_registered_again_a_millisecond_later_repeats_no_epoch(
    first: list[str], second: list[str], step: int, within: int
) -> None:
    start = REGISTERED // 1000 * 1000 + within
    earlier = life(first, start=start, step=step)
    removed = start + len(first) * step
    later = life(second, start=removed + MILLISECOND)

    assert {agent.epoch for agent in earlier}.isdisjoint(agent.epoch for agent in later)
