"""Many at once at the same items: one winner, nobody torn, nothing lost."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest

from switchboard.domain.catalog import Pool
from switchboard.domain.refusals import CatalogFull, Contention, Moved
from switchboard.domain.skills import Profile
from switchboard.ports import Floor, Outcome, Pairing
from tests.contract.lives import NOW, agent, call, idle, keep, place_of, waiting

pytestmark = pytest.mark.parametrize("floor", ["memory", "dynamodb_local"], indirect=True)

THREADS = 16


def at_once[T](ask: Callable[[int], T]) -> list[T]:
    """What each of 16 threads that start together got, after as many tries as contention takes."""
    start = Barrier(THREADS)

    def one(number: int) -> T:
        start.wait()
        while True:
            try:
                return ask(number)
            except Contention:
                continue

    with ThreadPoolExecutor(THREADS) as pool:
        return list(pool.map(one, range(THREADS)))


def winners(outcomes: Sequence[Outcome]) -> list[int]:
    return [number for number, outcome in enumerate(outcomes) if outcome.won]


def moved[T](ask: Callable[[], T]) -> bool:
    try:
        ask()
    except Moved:
        return True
    return False


@pytest.mark.parametrize("stands_in_line", [False, True])
def test_of_16_who_claim_one_agent_exactly_one_wins(floor: Floor, stands_in_line: bool) -> None:
    ann = idle()
    calls = [waiting() if stands_in_line else call() for _ in range(THREADS)]
    keep(floor, ann, *(calls if stands_in_line else []))
    outcomes = at_once(
        lambda number: floor.claim(Pairing(place_of(ann), calls[number].entry or calls[number], NOW), at=NOW)
    )
    (winner,) = winners(outcomes)
    taken = ann.claimed(calls[winner].id, now=NOW)
    assert floor.agent(ann.id) == taken
    assert [outcome.agent for outcome in outcomes] == [
        None if number == winner else taken for number in range(THREADS)
    ]
    untouched = calls if stands_in_line else [None] * THREADS
    assert [floor.call(one.id) for one in calls] == [
        one.connected(ann.id, look_started_at=NOW, now=NOW) if number == winner else untouched[number]
        for number, one in enumerate(calls)
    ]


@pytest.mark.parametrize("stands_in_line", [False, True])
def test_of_16_who_claim_one_call_exactly_one_wins(floor: Floor, stands_in_line: bool) -> None:
    agents = [idle() for _ in range(THREADS)]
    wanted = waiting() if stands_in_line else call()
    keep(floor, *agents, *([wanted] if stands_in_line else []))
    outcomes = at_once(
        lambda number: floor.claim(Pairing(place_of(agents[number]), wanted.entry or wanted, NOW), at=NOW)
    )
    (winner,) = winners(outcomes)
    assert floor.call(wanted.id) == wanted.connected(agents[winner].id, look_started_at=NOW, now=NOW)
    assert [floor.agent(one.id) for one in agents] == [
        one.claimed(wanted.id, now=NOW) if number == winner else one for number, one in enumerate(agents)
    ]


def test_of_16_who_claim_and_one_who_leaves_one_gets_the_agent(floor: Floor) -> None:
    ann, her_call = idle(), waiting()
    floor.commit(None, ann)
    floor.commit(None, her_call)
    pairing = Pairing(place_of(ann), place_of(her_call), NOW)
    away = ann.away(now=NOW + 1)
    won = at_once(
        lambda number: (
            not moved(lambda: floor.commit(ann, away)) if number % 2 else floor.claim(pairing, at=NOW).won
        )
    )
    (winner,) = [number for number, one in enumerate(won) if one]
    paired = (ann.claimed(her_call.id, now=NOW), her_call.connected(ann.id, look_started_at=NOW, now=NOW))
    assert (floor.agent(ann.id), floor.call(her_call.id)) == ((away, her_call) if winner % 2 else paired)


def test_of_16_who_commit_over_one_state_exactly_one_does(floor: Floor) -> None:
    seen = agent()
    floor.commit(None, seen)
    news = [seen.available(now=NOW + number, attempt=f"{number:02}") for number in range(THREADS)]
    refused = at_once(lambda number: moved(lambda: floor.commit(seen, news[number])))
    assert refused.count(False) == 1
    assert floor.agent(seen.id) == news[refused.index(False)]


def test_of_16_who_end_one_pair_exactly_one_does(floor: Floor) -> None:
    ann = idle()
    her_call = waiting()
    paired = ann.claimed(her_call.id, now=NOW), her_call.connected(ann.id, look_started_at=NOW, now=NOW)
    keep(floor, *paired)
    ends = [(paired[0].freed(now=NOW + n), paired[1].completed(now=NOW + n)) for n in range(THREADS)]
    refused = at_once(
        lambda number: moved(lambda: floor.part((paired[0], ends[number][0]), (paired[1], ends[number][1])))
    )
    assert refused.count(False) == 1
    assert (floor.agent(ann.id), floor.call(her_call.id)) == ends[refused.index(False)]


def test_when_16_add_pools_no_more_get_in_than_may_be(floor: Floor) -> None:
    def added(number: int) -> bool:
        try:
            floor.add_to_catalog(Pool(Profile.parse({"language": [f"l{number % 8}"]})), at_most=5)
        except CatalogFull:
            return False
        return True

    got_in = at_once(added)
    catalog = floor.load_catalog(floor.catalog_version())
    assert len(catalog.pools) == catalog.version == 5
    assert got_in[:8].count(True) >= 1
    assert {n % 8 for n, one in enumerate(got_in) if one} == {
        n for n in range(8) if Profile.parse({"language": [f"l{n}"]}).key in catalog.pools
    }
