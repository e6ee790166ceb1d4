"""The catalog is read no more often than needed, and never too old for the purpose."""

from __future__ import annotations

import pytest

from switchboard.catalog_reader import OLD_ENOUGH
from switchboard.domain.catalog import Pool, Queue
from switchboard.domain.refusals import CatalogFull, Contention
from switchboard.domain.skills import Profile, Requirement
from tests.unit.usecases.faulty import Contended, Meanwhile
from tests.unit.usecases.scene import FRENCH, SPANISH, Scene

SPANIARDS, FRENCHMEN = Pool(Profile.parse(SPANISH)), Pool(Profile.parse(FRENCH))
ASKS_SPANISH = Queue(Requirement.parse(SPANISH))
OLD = OLD_ENOUGH / 1_000_000


def test_a_fresh_look_at_an_unchanged_catalog_reads_its_version_only(scene: Scene) -> None:
    scene.floor.add_to_catalog(SPANIARDS, at_most=9)
    world, requests = scene.counted()
    first = world.catalog.fresh()
    assert requests == ["catalog_version", "load_catalog"]
    requests.clear()
    assert [world.catalog.fresh() for _ in range(3)] == [first] * 3
    assert requests == ["catalog_version"] * 3


def test_a_fresh_look_sees_what_others_added(scene: Scene) -> None:
    world, requests = scene.counted()
    assert world.catalog.fresh().pools == {}
    scene.floor.add_to_catalog(SPANIARDS, at_most=9)
    assert set(world.catalog.fresh().pools) == {SPANIARDS.key}
    assert requests == ["catalog_version", "catalog_version", "load_catalog"]


def test_an_empty_catalog_is_never_loaded(scene: Scene) -> None:
    world, requests = scene.counted()
    world.catalog.fresh()
    world.catalog.fresh()
    assert requests == ["catalog_version"] * 2


def test_the_copy_at_hand_costs_nothing_for_some_seconds(scene: Scene) -> None:
    world, requests = scene.counted()
    world.catalog.at_hand()
    requests.clear()
    scene.floor.add_to_catalog(SPANIARDS, at_most=9)
    scene.later(OLD - 0.1)
    assert world.catalog.at_hand().pools == {}
    assert requests == []
    scene.later(0.1)
    assert set(world.catalog.at_hand().pools) == {SPANIARDS.key}
    assert requests == ["catalog_version", "load_catalog"]


def test_every_fresh_look_renews_the_copy_at_hand(scene: Scene) -> None:
    world, requests = scene.counted()
    for _ in range(3):
        world.catalog.fresh()
        requests.clear()
        scene.later(OLD - 0.1)
        world.catalog.at_hand()
        assert requests == []


def test_the_first_copy_is_never_the_empty_one_it_started_with(scene: Scene) -> None:
    scene.floor.add_to_catalog(SPANIARDS, at_most=9)
    assert set(scene.counted()[0].catalog.at_hand().pools) == {SPANIARDS.key}


def test_what_changes_between_version_and_load_is_loaded_again(scene: Scene) -> None:
    """The copy holds the newer item under the older version: the next look finds the version changed."""
    scene.floor.add_to_catalog(SPANIARDS, at_most=9)
    world = scene.disturbed(
        before=Meanwhile("load_catalog", lambda: scene.floor.add_to_catalog(FRENCHMEN, at_most=9))
    )
    assert set(world.catalog.fresh().pools) == {SPANIARDS.key, FRENCHMEN.key}
    assert world.catalog.fresh().version == 2


@pytest.mark.parametrize("item", [SPANIARDS, ASKS_SPANISH])
def test_what_is_known_is_ensured_for_nothing(scene: Scene, item: Pool | Queue) -> None:
    world, requests = scene.counted()
    world.catalog.ensure(item, at_most=9)
    assert requests == ["catalog_version", "add_to_catalog", "catalog_version", "load_catalog"]
    requests.clear()
    world.catalog.ensure(item, at_most=9)
    assert requests == []


def test_what_another_added_meanwhile_is_ensured_too(scene: Scene) -> None:
    world = scene.counted()[0]
    world.catalog.at_hand()
    scene.floor.add_to_catalog(ASKS_SPANISH, at_most=9)
    world.catalog.ensure(ASKS_SPANISH, at_most=9)
    assert set(world.catalog.at_hand().queues) == {ASKS_SPANISH.key}
    assert scene.floor.catalog_version() == 1


def test_one_more_than_may_be_is_refused_each_time(scene: Scene) -> None:
    scene.world.catalog.ensure(SPANIARDS, at_most=1)
    for _ in range(2):
        with pytest.raises(CatalogFull):
            scene.world.catalog.ensure(FRENCHMEN, at_most=1)
    assert set(scene.world.catalog.fresh().pools) == {SPANIARDS.key}


def test_what_could_not_be_read_is_read_again(scene: Scene) -> None:
    scene.floor.add_to_catalog(SPANIARDS, at_most=9)
    world = scene.disturbed(before=Contended("load_catalog", 1))
    with pytest.raises(Contention):
        world.catalog.at_hand()
    assert set(world.catalog.at_hand().pools) == {SPANIARDS.key}


def test_a_thread_that_loads_slowly_does_not_bring_back_an_older_catalog(scene: Scene) -> None:
    """Several queues of one batch share the reader."""
    scene.floor.add_to_catalog(SPANIARDS, at_most=9)
    newer: list[int] = []

    def another_thread() -> None:
        scene.floor.add_to_catalog(FRENCHMEN, at_most=9)
        newer.append(world.catalog.fresh().version)

    world = scene.disturbed(after=Meanwhile("load_catalog", another_thread))
    older = world.catalog.fresh()
    assert older.version < newer[0]
    assert world.catalog.at_hand().version == newer[0]
