"""Coming into a line and leaving it: two plain writes, in an order that survives anything between them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from switchboard.domain.agents import Agent, AgentStatus
from switchboard.domain.lines import Standing
from switchboard.domain.refusals import Contention, Moved
from switchboard.joining import join, leave
from switchboard.patience import TRIES
from switchboard.ports import Unavailable
from switchboard.world import Event
from tests.support.faults import AnswerLost, Crash, CrashAfter
from tests.unit.usecases.faulty import Contended, Meanwhile, sent_twice
from tests.unit.usecases.scene import FRENCH, SPANISH, Scene, place_of


def into_line(scene: Scene, seen: Agent) -> Agent:
    return seen.available(now=scene.clock(), attempt=scene.world.attempt())


def test_who_joins_stands_in_line_and_the_entry_counts(scene: Scene) -> None:
    seen = scene.registered("ann")
    new = into_line(scene, seen)
    assert join(scene.world, seen, new) == new
    assert scene.agent("ann") == new
    assert scene.standing_of(place_of(new)) is Standing.LIVE


def test_the_entry_is_written_before_the_state_that_names_it(scene: Scene) -> None:
    seen = scene.registered("ann")
    world, requests = scene.counted()
    join(world, seen, into_line(scene, seen))
    assert requests == ["enter", "commit"]


def test_between_the_two_writes_the_entry_means_nothing(scene: Scene) -> None:
    seen = scene.registered("ann")
    new = into_line(scene, seen)
    with pytest.raises(Crash):
        join(scene.disturbed(after=CrashAfter(0)), seen, new)
    assert scene.agent("ann") == seen
    assert scene.standing_of(place_of(new)) is Standing.JOINING


def test_what_a_given_up_join_left_is_dead_once_the_owner_joined_anew(scene: Scene) -> None:
    seen = scene.registered("ann")
    given_up = into_line(scene, seen)
    with pytest.raises(Crash):
        join(scene.disturbed(after=CrashAfter(0)), seen, given_up)
    new = join(scene.world, seen, into_line(scene, seen))
    assert scene.standing_of(place_of(given_up)) is Standing.DEAD
    assert scene.standing_of(place_of(new)) is Standing.LIVE


def test_who_has_moved_on_does_not_join_and_leaves_no_entry(scene: Scene) -> None:
    seen = scene.registered("ann")
    moved = scene.away("ann")
    with pytest.raises(Moved) as refusal:
        join(scene.world, seen, into_line(scene, seen))
    assert refusal.value.found == moved == scene.agent("ann")
    assert scene.idle_line() == []


def test_who_was_removed_does_not_join_and_leaves_no_entry(scene: Scene) -> None:
    seen = scene.registered("ann")
    scene.floor.remove(seen)
    with pytest.raises(Moved) as refusal:
        join(scene.world, seen, into_line(scene, seen))
    assert refusal.value.found is None
    assert scene.floor.agent("ann") is None
    assert scene.idle_line() == []


def test_a_join_whose_first_answer_was_lost_is_a_success(scene: Scene) -> None:
    seen = scene.registered("ann")
    new = into_line(scene, seen)
    assert join(scene.another_world(sent_twice(scene.floor, "commit", "enter")), seen, new) == new
    assert scene.standing_of(place_of(new)) is Standing.LIVE
    assert scene.idle_line() == ["ann"]


def test_another_attempt_of_the_same_owner_is_not_taken_for_ones_own(scene: Scene) -> None:
    seen = scene.registered("ann")
    new, other = into_line(scene, seen), into_line(scene, seen)
    world = scene.disturbed(before=Meanwhile("commit", lambda: join(scene.world, seen, other)))
    with pytest.raises(Moved) as refusal:
        join(world, seen, new)
    assert refusal.value.found == other == scene.agent("ann")
    assert scene.floor.heads(place_of(new).line, 9) == [place_of(other)]


def test_who_was_claimed_before_the_lost_answer_was_asked_for_again_leaves_no_entry(scene: Scene) -> None:
    """The join happened, and so did a claim: the caller hears what came of it."""
    seen = scene.registered("ann")
    new = into_line(scene, seen)
    claimed = new.claimed("call", now=scene.clock())

    def taken_at_once(name: str) -> None:
        if name == "commit":
            scene.floor.commit(new, claimed)
            world.floor.commit(seen, new)

    world = scene.disturbed(after=taken_at_once)
    with pytest.raises(Moved) as refusal:
        join(world, seen, new)
    assert refusal.value.found == claimed == scene.agent("ann")
    assert scene.idle_line() == []


def test_moving_to_another_line_deletes_the_entry_that_was_left(scene: Scene) -> None:
    scene.idle("ann")
    scene.registered("bea", FRENCH)
    seen = scene.agent("ann")
    new = seen.changed("Ann", scene.agent("bea").pool, now=scene.clock(), attempt="move")
    world, requests = scene.counted()
    join(world, seen, new)
    assert requests == ["enter", "commit", "clear"]
    assert (scene.idle_line(SPANISH), scene.idle_line(FRENCH)) == ([], ["ann"])
    assert place_of(new).time == place_of(seen).time


def test_whoever_is_refused_to_move_stays_where_they_stand(scene: Scene) -> None:
    scene.idle("ann")
    pool = scene.registered("bea", FRENCH).pool
    seen = scene.agent("ann")
    renamed = replace(seen, name="Anna", epoch=seen.epoch + 1)
    scene.floor.commit(seen, renamed)
    with pytest.raises(Moved):
        join(scene.world, seen, seen.changed("Ann", pool, now=scene.clock(), attempt="move"))
    assert (scene.idle_line(SPANISH), scene.idle_line(FRENCH)) == (["ann"], [])
    assert scene.standing_of(place_of(renamed)) is Standing.LIVE


def test_a_contended_join_is_tried_again(scene: Scene) -> None:
    seen = scene.registered("ann")
    join(scene.disturbed(before=Contended("commit", TRIES - 1)), seen, into_line(scene, seen))
    assert scene.agent("ann").status is AgentStatus.AVAILABLE
    assert scene.tally[Event.CONTENDED] == TRIES - 1
    assert scene.idle_line() == ["ann"]


def test_a_join_that_stays_contended_changes_nothing_that_counts(scene: Scene) -> None:
    seen = scene.registered("ann")
    new = into_line(scene, seen)
    with pytest.raises(Contention):
        join(scene.disturbed(before=Contended("commit", TRIES)), seen, new)
    assert scene.agent("ann") == seen
    assert scene.standing_of(place_of(new)) is Standing.JOINING


def test_when_nobody_knows_whether_a_join_was_written_its_entry_stays(scene: Scene) -> None:
    """Deleting it could take away the entry of somebody who is in line."""
    seen = scene.registered("ann")
    new = into_line(scene, seen)
    with pytest.raises(Unavailable):
        join(scene.disturbed(after=CrashAfter(1, AnswerLost)), seen, new)
    assert scene.standing_of(place_of(new)) is Standing.LIVE


def test_nobody_joins_without_an_entry(scene: Scene) -> None:
    seen = scene.registered("ann")
    world, requests = scene.counted()
    with pytest.raises(ValueError, match="entry"):
        join(world, seen, seen.away(now=scene.clock()))
    assert requests == []


# --- leaving


def test_who_leaves_is_written_first_and_then_the_entry_goes(scene: Scene) -> None:
    scene.idle("ann")
    seen = scene.agent("ann")
    new = seen.away(now=scene.clock())
    world, requests = scene.counted()
    assert leave(world, seen, new) == new == scene.agent("ann")
    assert requests == ["commit", "clear"]
    assert scene.idle_line() == []


def test_between_the_two_writes_of_leaving_the_entry_is_dead(scene: Scene) -> None:
    entry = scene.idle("ann")
    seen = scene.agent("ann")
    with pytest.raises(Crash):
        leave(scene.disturbed(after=CrashAfter(0)), seen, seen.away(now=scene.clock()))
    assert scene.agent("ann").status is AgentStatus.AWAY
    assert scene.standing_of(entry) is Standing.DEAD


def test_who_stands_in_no_line_leaves_with_one_write(scene: Scene) -> None:
    seen = scene.away("ann")
    world, requests = scene.counted()
    leave(world, seen, seen.offline(now=scene.clock()))
    assert requests == ["commit"]


def test_who_was_claimed_meanwhile_does_not_leave(scene: Scene) -> None:
    entry = scene.idle("ann")
    seen = scene.agent("ann")
    claimed = seen.claimed("call", now=scene.clock())
    scene.floor.commit(seen, claimed)
    with pytest.raises(Moved) as refusal:
        leave(scene.world, seen, seen.away(now=scene.clock()))
    assert refusal.value.found == claimed == scene.agent("ann")
    assert scene.standing_of(entry) is Standing.DEAD


def test_a_leave_whose_first_answer_was_lost_is_a_success(scene: Scene) -> None:
    scene.idle("ann")
    seen = scene.agent("ann")
    new = seen.away(now=scene.clock())
    assert leave(scene.another_world(sent_twice(scene.floor, "commit", "clear")), seen, new) == new
    assert scene.agent("ann") == new
    assert scene.idle_line() == []


def test_a_contended_leave_is_tried_again_and_raised_in_the_end(scene: Scene) -> None:
    entry = scene.idle("ann")
    seen = scene.agent("ann")
    with pytest.raises(Contention):
        leave(scene.disturbed(before=Contended("commit", TRIES)), seen, seen.away(now=scene.clock()))
    assert scene.standing_of(entry) is Standing.LIVE
    leave(scene.disturbed(before=Contended("commit", TRIES - 1)), seen, seen.away(now=scene.clock()))
    assert scene.idle_line() == []
