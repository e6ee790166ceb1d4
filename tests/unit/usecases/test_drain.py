"""The second look: the line of a queue is paired from its head until calls or agents run out."""

from __future__ import annotations

from typing import cast

import pytest

from switchboard import arranging, staffing
from switchboard.claiming import Match
from switchboard.domain.agents import AgentStatus
from switchboard.domain.calls import CallStatus
from switchboard.domain.catalog import Order
from switchboard.domain.lines import Standing
from switchboard.domain.refusals import Contention
from switchboard.lines_ahead import PAGE
from switchboard.matching import drain
from switchboard.patience import TRIES
from switchboard.ports import Floor, Unavailable
from switchboard.world import Event, World
from tests.support.faults import AnswerLost, CrashAfter
from tests.unit.usecases.faulty import Contended, Meanwhile, Quicker
from tests.unit.usecases.scene import BOTH, FRENCH, SPANISH, Data, Scene, queue_of


def drained(scene: Scene, world: World | None = None, requirement: Data = SPANISH) -> list[Match]:
    return drain(world or scene.world, queue_of(requirement))


def settled(scene: Scene, *agent_ids: str, profile: Data = SPANISH) -> None:
    for agent_id in agent_ids:
        scene.idle(agent_id, profile)
    scene.later()


def test_the_earliest_call_gets_the_longest_idle_and_so_on(scene: Scene) -> None:
    for call_id in ("first", "second", "third"):
        scene.waits(call_id)
    settled(scene, "ann", profile=BOTH)
    settled(scene, "bea", profile=SPANISH)
    settled(scene, "cy", profile=BOTH)
    assert drained(scene) == [Match("ann", "first"), Match("bea", "second"), Match("cy", "third")]
    assert (scene.idle_line(), scene.idle_line(BOTH), scene.waiting_line()) == ([], [], [])


def test_calls_that_are_left_wait_on(scene: Scene) -> None:
    scene.waits("first")
    scene.waits("second")
    settled(scene, "ann")
    assert drained(scene) == [Match("ann", "first")]
    assert scene.waiting_line() == ["second"]


def test_agents_who_are_left_stay_in_line(scene: Scene) -> None:
    scene.waits("first")
    settled(scene, "ann", "bea")
    assert drained(scene) == [Match("ann", "first")]
    assert scene.idle_line() == ["bea"]


def test_an_empty_line_asks_for_nobody(scene: Scene) -> None:
    settled(scene, "ann")
    world, requests = scene.counted()
    world.catalog.fresh()
    requests.clear()
    assert drained(scene, world) == []
    assert requests == ["catalog_version", "heads"]


def test_without_agents_a_line_costs_a_look_at_their_heads_and_no_claim(scene: Scene) -> None:
    scene.waits("call")
    scene.away("ann")
    world, requests = scene.counted()
    assert drained(scene, world) == []
    assert requests == ["catalog_version", "load_catalog", "heads", "heads"]


def test_lines_longer_than_a_page_are_paired_to_their_ends_in_order(scene: Scene) -> None:
    many = 2 * PAGE + 5
    for number in range(many):
        scene.waits(f"call-{number:02}")
    settled(scene, *(f"agent-{number:02}" for number in range(many)))
    assert drained(scene) == [Match(f"agent-{number:02}", f"call-{number:02}") for number in range(many)]
    assert (scene.idle_line(), scene.waiting_line()) == ([], [])


def test_the_queues_order_is_that_of_the_catalog_as_it_is_now(scene: Scene) -> None:
    scene.waits("call")
    settled(scene, "ann", "bea")
    world = scene.another_world(scene.floor)
    world.catalog.at_hand()
    arranging.arrange(scene.world, queue_of(SPANISH).key, label=None, order=Order.LATEST_IDLE)
    assert drained(scene, world) == [Match("bea", "call")]


# --- what crashes left behind


def test_dead_entries_on_both_sides_are_deleted_on_the_way(scene: Scene) -> None:
    scene.dead_call_entry("gone-1")
    scene.dead_agent_entry("left-1")
    scene.waits("call")
    scene.dead_call_entry("gone-2")
    scene.waits("next")
    settled(scene, "ann")
    scene.dead_agent_entry("left-2")
    settled(scene, "bea")
    assert drained(scene) == [Match("ann", "call"), Match("bea", "next")]
    assert (scene.idle_line(), scene.waiting_line()) == ([], [])
    assert scene.tally[Event.DEAD_ENTRY] == 4


def test_a_line_of_dead_entries_only_is_swept_clean(scene: Scene) -> None:
    for number in range(PAGE + 2):
        scene.dead_call_entry(f"gone-{number:02}")
    settled(scene, "ann")
    assert drained(scene) == []
    assert scene.waiting_line() == []
    assert scene.idle_line() == ["ann"]


def test_joins_in_progress_are_skipped_and_stay(scene: Scene) -> None:
    call, agent = scene.joining_call_entry("joining-call"), scene.joining_agent_entry("joining-agent")
    scene.waits("call")
    settled(scene, "ann")
    assert drained(scene) == [Match("ann", "call")]
    assert scene.floor.heads(call.line, 9) == [call]
    assert scene.floor.heads(agent.line, 9) == [agent]
    assert scene.standing_of(agent) is Standing.JOINING


def test_joins_that_never_finished_are_deleted_after_the_grace(scene: Scene) -> None:
    scene.joining_call_entry("joining-call")
    scene.joining_agent_entry("joining-agent")
    scene.later(61)
    scene.waits("call")
    settled(scene, "ann")
    assert drained(scene) == [Match("ann", "call")]
    assert (scene.idle_line(), scene.waiting_line()) == ([], [])


# --- losing


def test_when_the_agent_is_lost_the_same_call_gets_the_next(scene: Scene) -> None:
    scene.waits("first")
    scene.waits("second")
    settled(scene, "ann", "bea", "cy")
    quicker = Quicker(scene.floor, [scene.call_of("other")])
    matches = drained(scene, scene.another_world(cast(Floor, quicker)))
    assert [match.call_id for match in matches] == ["first", "second"]
    assert {match.agent_id for match in matches} == {"bea", "cy"}


def test_when_the_call_is_lost_the_same_agent_gets_the_next(scene: Scene) -> None:
    scene.waits("first")
    scene.waits("second")
    settled(scene, "ann", "bea")

    def hung_up() -> None:
        seen = scene.call("first")
        scene.floor.commit(seen, seen.abandoned(now=scene.clock()))

    world = scene.disturbed(before=Meanwhile("claim", hung_up))
    assert drained(scene, world) == [Match("ann", "second")]
    assert scene.idle_line() == ["bea"]


def test_when_both_are_lost_both_sides_go_on(scene: Scene) -> None:
    scene.waits("first")
    scene.waits("second")
    settled(scene, "ann", "bea")
    world = scene.disturbed(before=Meanwhile("claim", lambda: scene.look("ann")))
    assert drained(scene, world) == [Match("bea", "second")]
    assert (scene.served_by("first"), scene.served_by("second")) == ("ann", "bea")


def test_after_a_loss_the_next_agent_is_any_of_the_first_two() -> None:
    taken: set[str | None] = set()
    for seed in range(20):
        scene = Scene()
        scene.waits("call")
        settled(scene, *"abcd")
        quicker = Quicker(scene.floor, [scene.call_of("other")])
        drained(scene, scene.another_world(cast(Floor, quicker), seed))
        taken.add(scene.served_by("call"))
    assert taken == {"b", "c"}


def test_when_the_first_call_stays_contended_no_later_one_is_served_before_it(scene: Scene) -> None:
    scene.waits("first")
    scene.waits("second")
    settled(scene, "ann", "bea")
    with pytest.raises(Contention):
        drained(scene, scene.disturbed(before=Contended("claim", TRIES)))
    assert {scene.call(call_id).status for call_id in ("first", "second")} == {CallStatus.WAITING}
    assert scene.idle_line() == ["ann", "bea"]
    assert drained(scene) == [Match("ann", "first"), Match("bea", "second")]


def test_what_was_paired_before_the_answers_stopped_stays_paired(scene: Scene) -> None:
    scene.waits("first")
    scene.waits("second")
    settled(scene, "ann", "bea")
    up_to_the_second_claim = ["catalog_version", "load_catalog", "heads", "heads", "claim", "clear", "claim"]
    world = scene.disturbed(after=CrashAfter(len(up_to_the_second_claim) - 1, AnswerLost))
    with pytest.raises(Unavailable):
        drained(scene, world)
    assert (scene.served_by("first"), scene.served_by("second")) == ("ann", "bea")
    assert drained(scene) == []
    assert scene.waiting_line() == []


# --- agents who came just now: the drain takes their own look for them


def test_an_agent_who_came_just_now_gets_the_earliest_call_of_all_queues(scene: Scene) -> None:
    scene.waits("french", FRENCH)
    scene.waits("spanish")
    scene.idle("ann", BOTH)
    assert drained(scene) == [Match("ann", "french")]
    assert (scene.waiting_line(), scene.waiting_line(FRENCH)) == (["spanish"], [])


def test_an_agent_who_came_just_now_gets_this_queues_call_where_it_is_the_earliest(scene: Scene) -> None:
    scene.waits("spanish")
    scene.waits("french", FRENCH)
    scene.idle("ann", BOTH)
    assert drained(scene) == [Match("ann", "spanish")]
    assert scene.waiting_line(FRENCH) == ["french"]


def test_after_fresh_agents_went_elsewhere_the_drain_goes_on_with_the_next(scene: Scene) -> None:
    scene.waits("french-1", FRENCH)
    scene.waits("french-2", FRENCH)
    scene.waits("spanish")
    for agent_id in ("ann", "bea", "cy"):
        scene.idle(agent_id, BOTH)
    assert drained(scene) == [Match("ann", "french-1"), Match("bea", "french-2"), Match("cy", "spanish")]


def test_settled_and_fresh_agents_are_taken_in_one_order(scene: Scene) -> None:
    for call_id in ("first", "second", "third"):
        scene.waits(call_id)
    settled(scene, "ann")
    scene.idle("bea", BOTH)
    scene.idle("cy")
    assert drained(scene) == [Match("ann", "first"), Match("bea", "second"), Match("cy", "third")]


def test_a_fresh_agent_who_left_again_is_passed_by(scene: Scene) -> None:
    scene.waits("call")
    scene.dead_agent_entry("ann")
    scene.idle("bea")
    assert drained(scene) == [Match("bea", "call")]
    assert scene.idle_line() == []


def test_no_agent_is_left_to_a_look_that_already_was(scene: Scene) -> None:
    """Her own look found nobody, the call came after it: the drain has to pair them, fresh or not."""
    scene.knows_queues(SPANISH)
    scene.idle("ann")
    scene.look("ann")
    scene.waits("call")
    assert drained(scene) == [Match("ann", "call")]


def test_a_drain_ends_when_a_fresh_agent_finds_no_call_any_more(scene: Scene) -> None:
    scene.waits("call")
    scene.idle("ann")
    scene.idle("bea")

    def hung_up() -> None:
        seen = scene.call("call")
        scene.floor.commit(seen, seen.abandoned(now=scene.clock()))

    world = scene.disturbed(before=Meanwhile("claim", hung_up))
    assert drained(scene, world) == []
    assert scene.idle_line() == ["ann", "bea"]
    assert scene.waiting_line() == []


def test_who_went_offline_is_not_drained(scene: Scene) -> None:
    scene.waits("call")
    settled(scene, "ann")
    staffing.set_status(scene.world, "ann", AgentStatus.OFFLINE)
    assert drained(scene) == []
    assert scene.agent("ann").status is AgentStatus.OFFLINE
