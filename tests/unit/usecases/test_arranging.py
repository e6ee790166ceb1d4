"""Lines, as supervisors see and arrange them."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from switchboard import arranging
from switchboard.domain.catalog import Order, Queue
from switchboard.domain.refusals import Contention, NotFound
from switchboard.domain.skills import Profile
from switchboard.patience import TRIES
from switchboard.world import World
from tests.unit.usecases.faulty import Contended, Meanwhile
from tests.unit.usecases.scene import BOTH, SPANISH, Scene, queue_of

KEY, POOL = queue_of(SPANISH).key, Profile.parse(BOTH).key


@pytest.fixture
def floor_with_lines(scene: Scene) -> Scene:
    scene.knows_queues(SPANISH)
    scene.registered("ann", BOTH)
    return scene


def test_a_queue_and_a_pool_are_shown_with_their_settings(floor_with_lines: Scene) -> None:
    world = floor_with_lines.world
    assert arranging.queue(world, KEY) == Queue(queue_of(SPANISH).requirement)
    assert arranging.pool(world, POOL).profile == Profile.parse(BOTH)


def test_a_line_that_was_added_elsewhere_just_now_is_shown(scene: Scene) -> None:
    world = scene.another_world(scene.floor)
    world.catalog.fresh()
    scene.knows_queues(SPANISH)
    assert arranging.queue(world, KEY).key == KEY


ABSENT: list[Callable[[World], object]] = [
    lambda world: arranging.queue(world, POOL),
    lambda world: arranging.pool(world, KEY),
    lambda world: arranging.arrange(world, POOL, label="x", order=Order.LATEST_IDLE),
    lambda world: arranging.label(world, KEY, label="x"),
]


@pytest.mark.parametrize("ask", ABSENT)
def test_a_line_that_is_not_there_is_not_found(
    floor_with_lines: Scene, ask: Callable[[World], object]
) -> None:
    version = floor_with_lines.floor.catalog_version()
    with pytest.raises(NotFound):
        ask(floor_with_lines.world)
    assert floor_with_lines.floor.catalog_version() == version


def test_a_queue_is_arranged_and_everybody_sees_it(floor_with_lines: Scene) -> None:
    arranged = arranging.arrange(floor_with_lines.world, KEY, label="Spanish", order=Order.LATEST_IDLE)
    assert (arranged.label, arranged.order) == ("Spanish", Order.LATEST_IDLE)
    other = floor_with_lines.another_world(floor_with_lines.floor)
    assert arranging.queue(other, KEY) == arranged
    assert floor_with_lines.world.catalog.at_hand().queues[KEY] == arranged


def test_a_pool_is_labelled_and_unlabelled(floor_with_lines: Scene) -> None:
    world = floor_with_lines.world
    assert arranging.label(world, POOL, label="Both").label == "Both"
    assert arranging.pool(world, POOL).label == "Both"
    assert arranging.label(world, POOL, label=None).label is None
    assert arranging.pool(world, POOL).label is None


def test_arranging_what_is_so_already_writes_nothing(floor_with_lines: Scene) -> None:
    version = floor_with_lines.floor.catalog_version()
    arranging.arrange(floor_with_lines.world, KEY, label=None, order=Order.LONGEST_IDLE)
    arranging.label(floor_with_lines.world, POOL, label=None)
    assert floor_with_lines.floor.catalog_version() == version


def test_settings_do_not_change_who_serves_whom(floor_with_lines: Scene) -> None:
    arranging.arrange(floor_with_lines.world, KEY, label="x", order=Order.LATEST_IDLE)
    arranging.label(floor_with_lines.world, POOL, label="y")
    catalog = floor_with_lines.world.catalog.fresh()
    assert [pool.key for pool in catalog.pools_serving(queue_of(SPANISH).requirement)] == [POOL]


def test_a_contended_change_is_tried_again_and_raised_in_the_end(floor_with_lines: Scene) -> None:
    patient = floor_with_lines.disturbed(before=Contended("change_in_catalog", TRIES - 1))
    assert arranging.label(patient, POOL, label="Both").label == "Both"
    impatient = floor_with_lines.disturbed(before=Contended("change_in_catalog", TRIES))
    with pytest.raises(Contention):
        arranging.label(impatient, POOL, label=None)
    assert arranging.pool(floor_with_lines.world, POOL).label == "Both"


def test_of_two_who_arrange_one_queue_the_later_stands(floor_with_lines: Scene) -> None:
    first = Meanwhile(
        "change_in_catalog",
        lambda: arranging.arrange(floor_with_lines.world, KEY, label="first", order=Order.LATEST_IDLE),
    )
    arranging.arrange(floor_with_lines.disturbed(before=first), KEY, label="second", order=Order.LONGEST_IDLE)
    assert first.happened
    shown = arranging.queue(floor_with_lines.world, KEY)
    assert (shown.label, shown.order) == ("second", Order.LONGEST_IDLE)
