"""Orders of taking agents, and which pools serve which queues."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from switchboard.domain.catalog import Catalog, Order, Pool, Queue
from switchboard.domain.lines import Entry, Line
from switchboard.domain.skills import Profile, Requirement, serves
from tests.unit.domain.strategies import (
    Need,
    Skill,
    close_ids,
    few_profiles,
    few_requirements,
    profile_data,
    requirement_data,
)

LINE = Line.of_pool("A" * 26)


def entry(time: int, owner: str) -> Entry:
    return Entry(LINE, time, owner, 1, "0a")


def catalog(profiles: list[dict[str, Skill]], requirements: list[dict[str, Need]]) -> Catalog:
    pools = [Pool(Profile.parse(profile_data(has))) for has in profiles]
    queues = [Queue(Requirement.parse(requirement_data(asks))) for asks in requirements]
    return Catalog(7, {pool.key: pool for pool in pools}, {queue.key: queue for queue in queues})


def test_the_longest_idle_is_taken_first_unless_a_queue_says_otherwise() -> None:
    queue = Queue(Requirement.parse({}))

    assert queue.order is Order.LONGEST_IDLE
    assert not queue.order.newest_first
    assert min([entry(30, "ana"), entry(10, "cy"), entry(20, "bob")], key=queue.order.rank).owner == "cy"


def test_latest_idle_takes_who_came_last() -> None:
    order = Order("latest_idle")

    assert order.newest_first
    assert min([entry(10, "cy"), entry(30, "ana"), entry(20, "bob")], key=order.rank).owner == "ana"


def test_of_those_idle_since_the_same_moment_the_first_by_id_is_taken() -> None:
    assert (
        min([entry(10, "bob"), entry(10, "ana"), entry(10, "cy")], key=Order.LONGEST_IDLE.rank).owner == "ana"
    )


def test_a_line_read_from_its_end_is_in_the_order_of_latest_idle_ties_included() -> None:
    line = [entry(11, "cy"), entry(10, "cy"), entry(10, "bob"), entry(9, "ana")]

    assert sorted(line, key=Order.LATEST_IDLE.rank) == line


crowds = st.lists(st.builds(entry, st.integers(1, 5), close_ids), min_size=1, max_size=8)


@given(crowds)
def test_longest_idle_ranks_as_the_line_stands(crowd: list[Entry]) -> None:
    ranked = sorted(crowd, key=Order.LONGEST_IDLE.rank)

    assert [one.place for one in ranked] == [one.place for one in sorted(crowd, key=lambda one: one.key)]


@given(crowds)
def test_latest_idle_never_ranks_an_earlier_entry_before_a_later_one(crowd: list[Entry]) -> None:
    times = [one.time for one in sorted(crowd, key=Order.LATEST_IDLE.rank)]

    assert times == sorted(times, reverse=True)


def test_a_pool_and_a_queue_have_the_key_and_the_line_of_what_they_share() -> None:
    pool, queue = Pool(Profile.parse({"language": "en"})), Queue(Requirement.parse({"language": "es"}))

    assert (pool.key, pool.line) == (pool.profile.key, Line.of_pool(pool.profile.key))
    assert (queue.key, queue.line) == (queue.requirement.key, Line.of_queue(queue.requirement.key))


@given(st.lists(few_profiles, max_size=4), st.lists(few_requirements, max_size=4), few_requirements)
def test_the_pools_that_serve_a_requirement_are_all_those_whose_profile_does(
    profiles: list[dict[str, Skill]], requirements: list[dict[str, Need]], unlisted: dict[str, Need]
) -> None:
    floor = catalog(profiles, requirements)
    for asked in [
        *(queue.requirement for queue in floor.queues.values()),
        Requirement.parse(requirement_data(unlisted)),
    ]:
        expected = {key for key, pool in floor.pools.items() if serves(pool.profile, asked)}
        for _ in ("worked out", "remembered"):
            found = [pool.key for pool in floor.pools_serving(asked)]
            assert set(found) == expected
            assert len(found) == len(expected)


@given(st.lists(few_profiles, max_size=4), st.lists(few_requirements, max_size=4))
def test_a_pool_serves_a_queue_just_when_the_queue_is_served_by_the_pool(
    profiles: list[dict[str, Skill]], requirements: list[dict[str, Need]]
) -> None:
    floor = catalog(profiles, requirements)
    from_queues = {
        (pool.key, queue.key)
        for queue in floor.queues.values()
        for pool in floor.pools_serving(queue.requirement)
    }
    for _ in ("worked out", "remembered"):
        assert from_queues == {
            (key, queue.key) for key in floor.pools for queue in floor.queues_served_by(key)
        }


def test_a_pool_that_is_not_in_the_catalog_serves_no_queue() -> None:
    floor = catalog([{}], [{}])
    listed = next(iter(floor.pools))

    assert floor.queues_served_by("Z" * 26) == ()
    assert [queue.key for queue in floor.queues_served_by(listed)] == list(floor.queues)


def test_an_empty_catalog_serves_nobody() -> None:
    assert Catalog().version == 0
    assert Catalog().pools_serving(Requirement.parse({})) == ()


def test_what_a_catalog_was_asked_does_not_change_what_it_equals() -> None:
    asked, fresh = (catalog([{"language": frozenset({"en"})}], [{}]) for _ in range(2))
    asked.pools_serving(Requirement.parse({}))
    asked.queues_served_by(next(iter(asked.pools)))

    assert asked == fresh


def test_a_catalog_with_one_more_pool_answers_for_itself() -> None:
    anyone = Requirement.parse({})
    before, after = catalog([{}], [{}]), catalog([{}, {"language": frozenset({"en"})}], [{}])

    assert len(before.pools_serving(anyone)) == 1
    assert len(after.pools_serving(anyone)) == 2
    assert len(before.pools_serving(anyone)) == 1
