"""Claims: one winner, and whoever meets a dead entry deletes it."""

from __future__ import annotations

import pytest

from switchboard.claiming import claim, was_quicker
from switchboard.domain.agents import AgentStatus
from switchboard.domain.calls import Call, CallStatus
from switchboard.domain.lines import Entry, Standing
from switchboard.domain.refusals import Contention
from switchboard.patience import TRIES
from switchboard.ports import Outcome, Pairing, Unavailable
from switchboard.world import Event, World
from tests.support.faults import AnswerLost, Crash, CrashAfter
from tests.unit.usecases.faulty import Contended, Meanwhile, sent_twice
from tests.unit.usecases.scene import FRENCH, SPANISH, Scene, place_of


def claimed(scene: Scene, agent: Entry, call: Entry | Call, world: World | None = None) -> Outcome:
    return claim(world or scene.world, agent, call, look_started_at=scene.clock())


def test_a_won_claim_makes_a_pair_and_deletes_both_entries(scene: Scene) -> None:
    ann, call = scene.idle("ann"), scene.waits("call")
    world, requests = scene.counted()
    assert claimed(scene, ann, call, world) == Outcome(won=True)
    assert requests == ["claim", "clear"]
    assert (scene.agent("ann").call, scene.served_by("call")) == ("call", "ann")
    assert (scene.idle_line(), scene.waiting_line()) == ([], [])
    assert scene.tally == {Event.MATCHED: 1}


def test_a_call_that_just_came_needs_no_state_and_has_no_entry(scene: Scene) -> None:
    ann, call = scene.idle("ann"), scene.call_of("call")
    assert claimed(scene, ann, call).won
    assert scene.call("call").status is CallStatus.CONNECTED
    assert scene.idle_line() == []


def test_the_pair_says_when_the_look_began_that_made_it(scene: Scene) -> None:
    claim(scene.world, scene.idle("ann"), scene.waits("call"), look_started_at=12_345)
    assert scene.call("call").look_started_at == 12_345


def test_an_agent_who_went_away_is_lost_and_the_dead_entry_deleted(scene: Scene) -> None:
    dead, call = scene.dead_agent_entry("ann"), scene.waits("call")
    outcome = claimed(scene, dead, call)
    assert outcome == Outcome(agent_gone=True, agent=scene.agent("ann"))
    assert (scene.idle_line(), scene.waiting_line()) == ([], ["call"])
    assert scene.tally == {Event.CLAIM_LOST: 1, Event.DEAD_ENTRY: 1}


def test_a_call_that_was_abandoned_is_lost_and_the_dead_entry_deleted(scene: Scene) -> None:
    ann, dead = scene.idle("ann"), scene.dead_call_entry("call")
    outcome = claimed(scene, ann, dead)
    assert outcome == Outcome(call_gone=True, call=scene.call("call"))
    assert (scene.idle_line(), scene.waiting_line()) == (["ann"], [])
    assert scene.standing_of(ann) is Standing.LIVE


def test_when_both_are_gone_both_dead_entries_are_deleted(scene: Scene) -> None:
    outcome = claimed(scene, scene.dead_agent_entry("ann"), scene.dead_call_entry("call"))
    assert outcome.agent_gone
    assert outcome.call_gone
    assert (scene.idle_line(), scene.waiting_line()) == ([], [])
    assert scene.tally == {Event.CLAIM_LOST: 1, Event.DEAD_ENTRY: 2}


def test_of_an_agent_in_line_again_only_the_old_entry_is_deleted(scene: Scene) -> None:
    dead = scene.dead_agent_entry("ann")
    alive = scene.idle("ann")
    assert claimed(scene, dead, scene.waits("call")).agent_gone
    assert scene.floor.heads(dead.line, 9) == [alive]
    assert scene.standing_of(alive) is Standing.LIVE


def test_of_an_agent_who_changed_lines_the_entry_left_behind_is_deleted(scene: Scene) -> None:
    scene.idle("ann")
    pool = scene.registered("bea", FRENCH).pool
    seen = scene.agent("ann")
    moved = seen.changed("Ann", pool, now=scene.clock(), attempt="move")
    scene.floor.enter(place_of(moved))
    scene.floor.commit(seen, moved)
    assert claimed(scene, place_of(seen), scene.waits("call")).agent_gone
    assert (scene.idle_line(SPANISH), scene.idle_line(FRENCH)) == ([], ["ann"])


def test_a_call_that_stands_in_no_line_leaves_nothing_to_delete(scene: Scene) -> None:
    ann = scene.idle("ann")
    abandoned = scene.dead_call_entry("call")
    world, requests = scene.counted()
    assert claimed(scene, ann, scene.call_of("call"), world).call_gone
    assert requests == ["claim"]
    assert scene.standing_of(abandoned) is Standing.DEAD


# --- joins in progress


@pytest.mark.parametrize("seconds", [0, 59.9])
def test_a_join_in_progress_is_left_alone(scene: Scene, seconds: float) -> None:
    agent, call = scene.joining_agent_entry("ann"), scene.joining_call_entry("call")
    scene.later(seconds)
    assert claimed(scene, agent, scene.waits("other")).agent_gone
    assert claimed(scene, scene.idle("bea"), call).call_gone
    assert scene.standing_of(agent) is Standing.JOINING
    assert call in scene.floor.heads(call.line, 9)
    assert scene.tally[Event.DEAD_ENTRY] == 0


def test_a_join_that_did_not_finish_within_the_grace_is_deleted(scene: Scene) -> None:
    agent, call = scene.joining_agent_entry("ann"), scene.joining_call_entry("call")
    scene.later(60.1)
    assert claimed(scene, agent, call).agent_gone
    assert (scene.idle_line(), scene.waiting_line()) == ([], [])
    assert scene.tally[Event.DEAD_ENTRY] == 2


def test_the_grace_begins_when_the_entry_was_written_and_not_with_the_place_in_line(scene: Scene) -> None:
    """A call may come into line long after it arrived: its entry's time is the arrival."""
    long_ago = scene.clock() - 3600 * 1_000_000
    call = scene.call_of("call", arrived_at=long_ago)
    entry = place_of(call.waiting(now=scene.clock(), attempt="joining"))
    scene.floor.enter(entry)
    claimed(scene, scene.idle("ann"), entry)
    assert scene.floor.heads(entry.line, 9) == [entry]


# --- the answer lost


def test_a_claim_whose_first_answer_was_lost_is_won(scene: Scene) -> None:
    ann, call = scene.idle("ann"), scene.waits("call")
    world = scene.another_world(sent_twice(scene.floor, "claim", "clear"))
    assert claimed(scene, ann, call, world) == Outcome(won=True)
    assert (scene.idle_line(), scene.waiting_line()) == ([], [])
    assert scene.tally == {Event.MATCHED: 1}


def test_a_claim_of_a_call_in_no_line_whose_first_answer_was_lost_is_won(scene: Scene) -> None:
    world = scene.another_world(sent_twice(scene.floor, "claim", "clear"))
    assert claimed(scene, scene.idle("ann"), scene.call_of("call"), world) == Outcome(won=True)
    assert scene.idle_line() == []


def test_the_same_pair_made_by_another_look_is_not_ones_own(scene: Scene) -> None:
    ann, call = scene.idle("ann"), scene.waits("call")
    world = scene.disturbed(before=Meanwhile("claim", lambda: claimed(scene, ann, call)))
    outcome = claimed(scene, ann, call, world)
    assert not outcome.won
    assert outcome.agent_gone
    assert outcome.call_gone
    assert scene.tally == {Event.MATCHED: 1, Event.CLAIM_LOST: 1, Event.DEAD_ENTRY: 2}


@pytest.mark.parametrize(("fault", "raised"), [(Crash, Crash), (AnswerLost, Unavailable)])
def test_whoever_dies_after_the_claim_leaves_dead_entries_only(
    scene: Scene, fault: type[BaseException], raised: type[BaseException]
) -> None:
    ann, call = scene.idle("ann"), scene.waits("call")
    with pytest.raises(raised):
        claimed(scene, ann, call, scene.disturbed(after=CrashAfter(0, fault)))
    assert (scene.agent("ann").call, scene.served_by("call")) == ("call", "ann")
    assert (scene.standing_of(ann), scene.standing_of(call)) == (Standing.DEAD, Standing.DEAD)


# --- contention


def test_the_same_pair_is_tried_again_while_others_are_at_it(scene: Scene) -> None:
    ann, call = scene.idle("ann"), scene.waits("call")
    world = scene.disturbed(before=Contended("claim", TRIES - 1))
    assert claimed(scene, ann, call, world).won
    assert len(scene.pauses) == scene.tally[Event.CONTENDED] == TRIES - 1


def test_contention_without_end_is_raised_and_nothing_is_written(scene: Scene) -> None:
    ann, call = scene.idle("ann"), scene.waits("call")
    with pytest.raises(Contention):
        claimed(scene, ann, call, scene.disturbed(before=Contended("claim", TRIES)))
    assert scene.agent("ann").status is AgentStatus.AVAILABLE
    assert scene.call("call").status is CallStatus.WAITING
    assert (scene.standing_of(ann), scene.standing_of(call)) == (Standing.LIVE, Standing.LIVE)
    assert scene.tally == {Event.CONTENDED: TRIES - 1}


def test_a_claim_that_was_written_in_between_is_known_as_ones_own(scene: Scene) -> None:
    """The first try was still in progress when the second began: Contention, and then it had won."""
    ann, call = scene.idle("ann"), scene.waits("call")
    look_started_at = scene.clock()
    pairing = Pairing(ann, call, look_started_at)

    def first_try_ends(name: str) -> None:
        if name == "claim" and scene.agent("ann").status is AgentStatus.AVAILABLE:
            scene.floor.claim(pairing, at=scene.clock())
            raise Contention("a transaction of this token is in progress")

    outcome = claim(scene.disturbed(before=first_try_ends), ann, call, look_started_at=look_started_at)
    assert outcome == Outcome(won=True)
    assert scene.tally == {Event.CONTENDED: 1, Event.MATCHED: 1}


# --- who was quicker


def test_another_look_was_quicker_when_the_agent_attends_since_that_very_entry(scene: Scene) -> None:
    ann = scene.idle("ann")
    claimed(scene, ann, scene.waits("first"))
    assert was_quicker(ann, claimed(scene, ann, scene.waits("second")))


def test_nobody_was_quicker_where_an_entry_was_left_behind(scene: Scene) -> None:
    dead = scene.dead_agent_entry("ann")
    assert not was_quicker(dead, claimed(scene, dead, scene.waits("first")))
    old = scene.dead_agent_entry("bea")
    claimed(scene, scene.idle("bea"), scene.waits("second"))
    assert not was_quicker(old, claimed(scene, old, scene.waits("third")))
    assert not was_quicker(old, Outcome(won=True))
    assert not was_quicker(old, Outcome(call_gone=True))
