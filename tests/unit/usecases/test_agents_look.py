"""The look of an agent who came into line, and the sweep beneath all looks."""

from __future__ import annotations

import pytest

from switchboard.claiming import Match
from switchboard.domain.agents import AgentStatus
from switchboard.domain.lines import Standing
from switchboard.domain.refusals import Contention
from switchboard.lines_ahead import PAGE
from switchboard.matching import SETTLED, Nobody, look_for_call, sweep
from switchboard.patience import TRIES
from switchboard.world import Event
from tests.support.faults import Crash, CrashAfter
from tests.unit.usecases.faulty import Contended, Meanwhile
from tests.unit.usecases.scene import BOTH, FRENCH, SPANISH, Scene

SETTLED_SECONDS = SETTLED / 1_000_000


def hang_up(scene: Scene, call_id: str) -> None:
    seen = scene.call(call_id)
    scene.floor.commit(seen, seen.abandoned(now=scene.clock()))


def test_an_agent_who_became_free_takes_the_earliest_call_of_all_queues_she_serves(scene: Scene) -> None:
    scene.waits("german", {"language": ["de"]})
    scene.waits("french", FRENCH)
    scene.waits("spanish", SPANISH)
    scene.waits("either", {"language": ["es", "fr"]})
    scene.idle("ann", BOTH)
    assert scene.look("ann") == Match("ann", "french")
    scene.idle("bea", BOTH)
    assert scene.look("bea") == Match("bea", "spanish")
    scene.idle("cy", BOTH)
    assert scene.look("cy") == Match("cy", "either")
    scene.idle("dan", BOTH)
    assert scene.look("dan") is Nobody.NO_CALL
    assert scene.waiting_line({"language": ["de"]}) == ["german"]


def test_a_head_start_counts_among_queues(scene: Scene) -> None:
    scene.waits("french", FRENCH)
    scene.waits("vip", SPANISH, head_start=1)
    scene.idle("ann", BOTH)
    assert scene.look("ann") == Match("ann", "vip")


def test_who_finds_no_call_stays_in_line(scene: Scene) -> None:
    entry = scene.idle("ann")
    scene.waits("french", FRENCH)
    assert scene.look("ann") is Nobody.NO_CALL
    assert scene.standing_of(entry) is Standing.LIVE
    assert scene.tally[Event.CLAIM_LOST] == 0


def test_a_look_in_vain_costs_the_version_and_a_head_of_each_queue_she_serves(scene: Scene) -> None:
    scene.knows_queues(SPANISH, FRENCH, {"language": ["de"]})
    scene.idle("ann", BOTH)
    world, requests = scene.counted()
    world.catalog.fresh()
    requests.clear()
    assert scene.look("ann", world) is Nobody.NO_CALL
    assert requests == ["catalog_version", "heads", "heads"]


def test_a_look_that_is_not_needed_any_more_says_so(scene: Scene) -> None:
    scene.waits("call")
    dead = scene.dead_agent_entry("ann")
    assert look_for_call(scene.world, dead) is Nobody.AGENT_GONE
    assert scene.idle_line() == []
    assert scene.waiting_line() == ["call"]


def test_a_look_that_comes_again_changes_nothing(scene: Scene) -> None:
    scene.waits("first")
    scene.waits("second")
    entry = scene.idle("ann")
    assert scene.look("ann") == Match("ann", "first")
    assert look_for_call(scene.world, entry) is Nobody.TAKEN
    assert scene.waiting_line() == ["second"]


def test_a_call_lost_to_another_agent_is_followed_by_the_next(scene: Scene) -> None:
    scene.waits("first")
    scene.waits("second")
    scene.idle("ann")
    scene.idle("bea")
    world = scene.disturbed(before=Meanwhile("claim", lambda: scene.look("bea")))
    assert scene.look("ann", world) == Match("ann", "second")


def test_an_agent_who_leaves_during_her_look_takes_nobody(scene: Scene) -> None:
    scene.waits("first")
    scene.waits("second")
    scene.idle("ann")

    def leaves() -> None:
        seen = scene.agent("ann")
        scene.floor.commit(seen, seen.offline(now=scene.clock()))

    assert scene.look("ann", scene.disturbed(before=Meanwhile("claim", leaves))) is Nobody.AGENT_GONE
    assert scene.agent("ann").status is AgentStatus.OFFLINE
    assert (scene.idle_line(), scene.waiting_line()) == ([], ["first", "second"])


def test_dead_entries_before_the_first_call_are_deleted_on_the_way(scene: Scene) -> None:
    for number in range(PAGE + 3):
        scene.dead_call_entry(f"gone-{number:02}", FRENCH if number % 2 else SPANISH)
    scene.waits("call")
    scene.dead_call_entry("later")
    scene.idle("ann", BOTH)
    assert scene.look("ann") == Match("ann", "call")
    assert (scene.waiting_line(), scene.waiting_line(FRENCH)) == (["later"], [])


def test_a_join_in_progress_is_skipped_and_deleted_only_after_the_grace(scene: Scene) -> None:
    scene.joining_call_entry("joining")
    scene.waits("call")
    scene.idle("ann")
    assert scene.look("ann") == Match("ann", "call")
    assert scene.waiting_line() == ["joining"]
    scene.later(61)
    scene.idle("bea")
    assert scene.look("bea") is Nobody.NO_CALL
    assert scene.waiting_line() == []


def test_a_queue_that_came_just_now_is_looked_at(scene: Scene) -> None:
    scene.idle("ann")
    world = scene.another_world(scene.floor)
    world.catalog.at_hand()
    scene.waits("call")
    assert scene.look("ann", world) == Match("ann", "call")


def test_when_the_earliest_call_stays_contended_no_later_one_is_taken(scene: Scene) -> None:
    scene.waits("first")
    scene.waits("second")
    scene.idle("ann")
    with pytest.raises(Contention):
        scene.look("ann", scene.disturbed(before=Contended("claim", TRIES)))
    assert scene.waiting_line() == ["first", "second"]
    assert scene.look("ann") == Match("ann", "first")


# --- sweep


def test_in_good_order_the_sweep_finds_nobody_and_claims_nothing(scene: Scene) -> None:
    scene.waits("french", FRENCH)
    scene.idle("ann", SPANISH)
    scene.later()
    world, requests = scene.counted()
    assert sweep(world) == []
    assert requests == ["catalog_version", "load_catalog", "heads", "heads"]
    assert scene.tally[Event.SWEEP_FOUND] == 0


def test_the_sweep_finds_whom_a_lost_look_left_and_counts_them(scene: Scene) -> None:
    scene.waits("first")
    scene.waits("second")
    scene.waits("french", FRENCH)
    scene.idle("ann", BOTH)
    with pytest.raises(Crash):
        scene.look("ann", scene.disturbed(after=CrashAfter(0)))
    scene.idle("bea")
    scene.later()
    assert sweep(scene.world) == [Match("ann", "first"), Match("bea", "second")]
    assert scene.waiting_line(FRENCH) == ["french"]
    assert scene.tally[Event.SWEEP_FOUND] == 2
    assert sweep(scene.world) == []


@pytest.mark.parametrize(("seconds", "found"), [(SETTLED_SECONDS - 0.1, 0), (SETTLED_SECONDS + 0.1, 1)])
def test_the_sweep_leaves_those_alone_whose_looks_are_on_the_way(
    scene: Scene, seconds: float, found: int
) -> None:
    scene.waits("call")
    scene.idle("ann")
    scene.later(seconds)
    assert len(sweep(scene.world)) == found


def test_the_sweep_waits_for_the_younger_of_the_two(scene: Scene) -> None:
    scene.waits("call")
    scene.later()
    scene.idle("ann")
    assert sweep(scene.world) == []
    scene.later()
    assert sweep(scene.world) == [Match("ann", "call")]


def test_the_sweep_deletes_what_is_dead_at_the_heads_it_meets(scene: Scene) -> None:
    scene.dead_call_entry("gone")
    scene.dead_agent_entry("left")
    scene.idle("ann")
    scene.later()
    assert sweep(scene.world) == []
    assert scene.waiting_line() == []


def test_a_floor_without_lines_is_swept_with_one_read(scene: Scene) -> None:
    world, requests = scene.counted()
    assert sweep(world) == []
    assert requests == ["catalog_version"]


def test_a_queue_that_cannot_be_swept_holds_up_no_other(scene: Scene) -> None:
    for agent, profile, requirement in (("ann", SPANISH, SPANISH), ("bea", FRENCH, FRENCH)):
        scene.idle(agent, profile)
        scene.waits(f"for {agent}".replace(" ", "-"), requirement)
    scene.later()
    world = scene.disturbed(before=Contended("claim", 5))
    with pytest.raises(Contention):
        sweep(world)
    served = [one for one in ("for-ann", "for-bea") if scene.served_by(one)]
    assert len(served) == 1
    assert scene.tally[Event.SWEEP_FOUND] == 1
