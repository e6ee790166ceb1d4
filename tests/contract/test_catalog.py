"""The catalog: what it holds, how many, and a version that tells of each change."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from switchboard.domain.catalog import Catalog, Order, Pool, Queue
from switchboard.domain.refusals import CatalogFull, NotFound
from switchboard.domain.skills import Profile, Requirement
from switchboard.ports import Floor

SPANISH = Pool(Profile.parse({"language": ["es"], "billing": 3, "channel": ["voice", "chat"]}))
FRENCH = Pool(Profile.parse({"language": ["fr"]}), label="Les Français")
ASKS_SPANISH = Queue(Requirement.parse({"language": ["es"], "billing": {"min": 2}, "channel": ["voice"]}))
ASKS_BOTH = Queue(
    Requirement.parse({"language": {"all": ["es", "fr"]}}), label="both", order=Order.LATEST_IDLE
)


def add(floor: Floor, *items: Pool | Queue, at_most: int = 200) -> None:
    for item in items:
        floor.add_to_catalog(item, at_most=at_most)


def loaded(floor: Floor) -> Catalog:
    return floor.load_catalog(floor.catalog_version())


def numbered(number: int) -> Pool:
    return Pool(Profile.parse({"language": [f"l{number}"]}))


def test_an_empty_catalog_has_version_0(floor: Floor) -> None:
    assert floor.catalog_version() == 0
    assert loaded(floor) == Catalog()


def test_what_was_added_is_found_with_all_its_settings(floor: Floor) -> None:
    add(floor, SPANISH, FRENCH, ASKS_SPANISH, ASKS_BOTH)
    assert loaded(floor) == Catalog(
        4,
        {SPANISH.key: SPANISH, FRENCH.key: FRENCH},
        {ASKS_SPANISH.key: ASKS_SPANISH, ASKS_BOTH.key: ASKS_BOTH},
    )


def test_a_loaded_catalog_knows_who_serves_whom(floor: Floor) -> None:
    add(floor, SPANISH, FRENCH, ASKS_SPANISH, ASKS_BOTH)
    catalog = loaded(floor)
    assert catalog.pools_serving(ASKS_SPANISH.requirement) == (SPANISH,)
    assert catalog.queues_served_by(SPANISH.key) == (ASKS_SPANISH,)
    assert catalog.queues_served_by(FRENCH.key) == ()


def test_the_version_grows_with_each_addition(floor: Floor) -> None:
    versions = [floor.catalog_version()]
    for item in (SPANISH, ASKS_SPANISH, FRENCH):
        add(floor, item)
        versions.append(floor.catalog_version())
    assert versions == sorted(set(versions))


@pytest.mark.parametrize("item", [SPANISH, ASKS_SPANISH])
def test_adding_twice_is_adding_once(floor: Floor, item: Pool | Queue) -> None:
    add(floor, item, item)
    assert floor.catalog_version() == 1
    assert len(loaded(floor).pools) + len(loaded(floor).queues) == 1


def test_adding_again_does_not_undo_settings(floor: Floor) -> None:
    add(floor, ASKS_BOTH, replace(ASKS_BOTH, label=None, order=Order.LONGEST_IDLE))
    assert loaded(floor).queues == {ASKS_BOTH.key: ASKS_BOTH}


def test_a_pool_and_a_queue_of_one_text_are_two_items(floor: Floor) -> None:
    pool, queue = Pool(Profile.parse({"a": ["b"]})), Queue(Requirement.parse({"a": ["b"]}))
    assert pool.key == queue.key
    add(floor, pool, queue)
    assert loaded(floor) == Catalog(2, {pool.key: pool}, {queue.key: queue})


def test_one_more_pool_than_may_be_is_refused_and_nothing_is_written(floor: Floor) -> None:
    add(floor, SPANISH, FRENCH, at_most=2)
    with pytest.raises(CatalogFull, match="2 distinct pools"):
        add(floor, numbered(1), at_most=2)
    assert loaded(floor) == Catalog(2, {SPANISH.key: SPANISH, FRENCH.key: FRENCH})


@pytest.mark.parametrize("floor", ["memory", "dynamodb_local"], indirect=True)
def test_the_201st_pool_is_refused_and_the_200_stay(floor: Floor) -> None:
    add(floor, *(numbered(number) for number in range(200)))
    with pytest.raises(CatalogFull, match="200 distinct pools"):
        add(floor, numbered(200))
    assert set(loaded(floor).pools) == {numbered(number).key for number in range(200)}


def test_a_full_catalog_still_takes_what_it_has(floor: Floor) -> None:
    add(floor, SPANISH, SPANISH, at_most=1)
    with pytest.raises(CatalogFull):
        add(floor, FRENCH, at_most=1)
    add(floor, SPANISH, at_most=1)
    assert set(loaded(floor).pools) == {SPANISH.key}


def test_pools_and_queues_are_counted_apart(floor: Floor) -> None:
    add(floor, SPANISH, ASKS_SPANISH, at_most=1)
    with pytest.raises(CatalogFull, match="1 distinct queues"):
        add(floor, ASKS_BOTH, at_most=1)
    with pytest.raises(CatalogFull, match="1 distinct pools"):
        add(floor, FRENCH, at_most=1)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (SPANISH, replace(SPANISH, label="Spanish")),
        (FRENCH, replace(FRENCH, label=None)),
        (ASKS_SPANISH, replace(ASKS_SPANISH, label="Spanish", order=Order.LATEST_IDLE)),
        (ASKS_BOTH, replace(ASKS_BOTH, label=None, order=Order.LONGEST_IDLE)),
    ],
)
def test_settings_change_and_the_version_tells(
    floor: Floor, before: Pool | Queue, after: Pool | Queue
) -> None:
    add(floor, before)
    floor.change_in_catalog(after)
    assert floor.catalog_version() == 2
    catalog = loaded(floor)
    assert [*catalog.pools.values(), *catalog.queues.values()] == [after]


@pytest.mark.parametrize("item", [SPANISH, ASKS_SPANISH])
def test_what_is_not_there_cannot_be_changed(floor: Floor, item: Pool | Queue) -> None:
    with pytest.raises(NotFound, match=item.key):
        floor.change_in_catalog(item)
    assert loaded(floor) == Catalog()
    add(floor, FRENCH, ASKS_BOTH)
    with pytest.raises(NotFound, match=item.key):
        floor.change_in_catalog(item)
    assert loaded(floor) == Catalog(2, {FRENCH.key: FRENCH}, {ASKS_BOTH.key: ASKS_BOTH})


def test_the_answer_is_labelled_with_the_version_that_was_read_before(floor: Floor) -> None:
    add(floor, SPANISH)
    version = floor.catalog_version()
    add(floor, FRENCH)
    catalog = floor.load_catalog(version)
    assert catalog.version == version
    assert set(catalog.pools) == {SPANISH.key, FRENCH.key}


@given(labels=st.lists(st.none() | st.text("aé🎧 ", min_size=1, max_size=8), max_size=4))
def test_whatever_settings_follow_each_other_the_last_stand(floor: Floor, labels: list[str | None]) -> None:
    queue = ASKS_SPANISH
    add(floor, queue)
    for number, label in enumerate(labels):
        queue = replace(queue, label=label, order=list(Order)[number % 2])
        floor.change_in_catalog(queue)
        assert loaded(floor).queues == {queue.key: queue}
