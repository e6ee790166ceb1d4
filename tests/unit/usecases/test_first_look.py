"""A call that just came: whom it takes at once, and when it stands in line instead."""

from __future__ import annotations

from typing import cast

import pytest

from switchboard import arranging, staffing
from switchboard.claiming import Match
from switchboard.domain.agents import AgentStatus
from switchboard.domain.calls import CallStatus
from switchboard.domain.catalog import Order
from switchboard.domain.refusals import CatalogFull, Contention
from switchboard.matching import FRESH, Incoming, match
from switchboard.patience import TRIES
from switchboard.ports import Floor
from switchboard.world import Event
from tests.unit.usecases.faulty import Contended, Meanwhile, Quicker
from tests.unit.usecases.scene import ANYBODY, BOTH, FRENCH, SPANISH, Data, Scene, place_of, queue_of

FRESH_SECONDS = FRESH / 1_000_000


def settled(scene: Scene, *agent_ids: str, profile: Data = SPANISH) -> None:
    """These became idle one after the other, a while ago."""
    for agent_id in agent_ids:
        scene.idle(agent_id, profile)
    scene.later()


# --- whom it takes


def test_a_call_takes_the_longest_idle_agent_who_serves_it(scene: Scene) -> None:
    settled(scene, "fred", profile=FRENCH)
    settled(scene, "ann", profile=BOTH)
    settled(scene, "sue", profile=SPANISH)
    assert scene.match("call") == [Match("ann", "call")]
    assert scene.match("next") == [Match("sue", "next")]
    assert scene.agent("fred").status is AgentStatus.AVAILABLE


def test_who_left_out_an_attribute_takes_the_longest_idle_of_all(scene: Scene) -> None:
    settled(scene, "fred", profile=FRENCH)
    settled(scene, "ann", profile=BOTH)
    assert scene.match("call", requirement=ANYBODY) == [Match("fred", "call")]


def test_where_nobody_serves_it_a_call_waits(scene: Scene) -> None:
    settled(scene, "fred", profile=FRENCH)
    assert scene.match("call") == []
    assert scene.call("call").status is CallStatus.WAITING
    assert scene.waiting_line() == ["call"]
    assert scene.idle_line(FRENCH) == ["fred"]
    assert scene.tally == {Event.PARKED: 1}


def test_an_agent_who_was_idle_again_stands_at_the_end(scene: Scene) -> None:
    settled(scene, "ann", "bea")
    scene.away("ann")
    scene.idle("ann")
    assert scene.match("call") == [Match("bea", "call")]


def test_a_queue_can_take_the_latest_idle_first(scene: Scene) -> None:
    scene.knows_queues(SPANISH)
    arranging.arrange(scene.world, queue_of(SPANISH).key, label=None, order=Order.LATEST_IDLE)
    settled(scene, "ann", profile=BOTH)
    settled(scene, "bea", "cy")
    settled(scene, "dan", profile=BOTH)
    assert [scene.match(f"call-{number}")[0].agent_id for number in range(4)] == ["dan", "cy", "bea", "ann"]


def test_orders_are_each_queues_own(scene: Scene) -> None:
    scene.knows_queues(SPANISH)
    arranging.arrange(scene.world, queue_of(SPANISH).key, label=None, order=Order.LATEST_IDLE)
    settled(scene, "ann", "bea", "cy", profile=BOTH)
    assert scene.match("first", requirement=FRENCH) == [Match("ann", "first")]
    assert scene.match("second", requirement=SPANISH) == [Match("cy", "second")]


def test_a_matched_call_never_stands_in_line(scene: Scene) -> None:
    scene.knows_queues(SPANISH)
    settled(scene, "ann")
    world, requests = scene.counted()
    world.catalog.fresh()
    requests.clear()
    scene.match("call", world=world)
    assert requests == ["heads", "heads", "claim", "clear"]


def test_of_a_batch_the_earliest_takes_the_longest_idle(scene: Scene) -> None:
    settled(scene, "ann", "bea", "cy")
    calls = [scene.call_of(call_id) for call_id in ("first", "second", "third")]
    matches = scene.match(*reversed(calls))
    assert matches == [Match("ann", "first"), Match("bea", "second"), Match("cy", "third")]


def test_a_head_start_puts_a_call_before_others_of_its_batch(scene: Scene) -> None:
    settled(scene, "ann")
    late, early = scene.call_of("early"), scene.call_of("vip", head_start=1)
    assert scene.match(late, early) == [Match("ann", "vip")]
    assert scene.waiting_line() == ["early"]


def test_a_batch_with_more_calls_than_agents_leaves_the_latest_in_line(scene: Scene) -> None:
    settled(scene, "ann", "bea")
    matches = scene.match(*(f"call-{number}" for number in range(5)))
    assert matches == [Match("ann", "call-0"), Match("bea", "call-1")]
    assert scene.waiting_line() == ["call-2", "call-3", "call-4"]


def test_a_call_gets_its_place_by_arrival_less_head_start(scene: Scene) -> None:
    now = scene.clock()
    scene.match(scene.call_of("a", arrived_at=now + 2_000_000))
    scene.match(scene.call_of("b", arrived_at=now))
    scene.match(scene.call_of("c", arrived_at=now + 3_000_000, head_start=2))
    assert scene.waiting_line() == ["b", "c", "a"]
    assert place_of(scene.call("c")).time == now + 1_000_000


# --- fairness to those who wait


def test_a_call_that_just_came_does_not_overtake_one_that_waits(scene: Scene) -> None:
    scene.waits("patient")
    settled(scene, "ann")
    assert scene.match("call") == [Match("ann", "patient")]
    assert scene.waiting_line() == ["call"]


def test_a_call_that_just_came_takes_the_agent_who_is_left_after_those_who_wait(scene: Scene) -> None:
    scene.waits("patient")
    settled(scene, "ann", "bea")
    assert scene.match("call") == [Match("ann", "patient"), Match("bea", "call")]


def test_a_head_start_may_overtake_one_that_waits(scene: Scene) -> None:
    scene.waits("patient")
    settled(scene, "ann")
    assert scene.match(scene.call_of("vip", head_start=3600)) == [Match("ann", "vip")]
    assert scene.waiting_line() == ["patient"]


def test_of_a_batch_only_those_before_the_first_who_waits_take_agents_at_once(scene: Scene) -> None:
    settled(scene, "ann", "bea", "cy")
    early = scene.call_of("early")
    scene.waits("patient")
    late = scene.call_of("late")
    assert scene.match(early, late) == [Match("ann", "early"), Match("bea", "patient"), Match("cy", "late")]


def test_an_entry_left_behind_holds_up_nobody(scene: Scene) -> None:
    scene.dead_call_entry("gone")
    settled(scene, "ann")
    assert scene.match("call") == [Match("ann", "call")]
    assert scene.waiting_line() == []


def test_calls_of_another_queue_that_wait_do_not_hold_up_a_call(scene: Scene) -> None:
    scene.waits("french", FRENCH)
    settled(scene, "ann")
    world, requests = scene.counted()
    assert scene.match("call", world=world) == [Match("ann", "call")]
    assert "enter" not in requests


# --- agents who came just now


def test_a_call_takes_an_agent_who_came_just_now_where_nobody_waits_elsewhere(scene: Scene) -> None:
    scene.knows_queues(FRENCH, SPANISH)
    scene.idle("ann", BOTH)
    world, requests = scene.counted()
    world.catalog.fresh()
    requests.clear()
    assert scene.match("call", world=world) == [Match("ann", "call")]
    head_of_the_other_queue_she_serves = ["catalog_version", "heads"]
    assert requests == ["heads", "heads", *head_of_the_other_queue_she_serves, "claim", "clear"]


def test_a_call_leaves_a_fresh_agent_to_an_earlier_call_of_another_queue(scene: Scene) -> None:
    scene.waits("french", FRENCH)
    scene.idle("ann", BOTH)
    assert scene.match("call") == [Match("ann", "french")]
    assert scene.waiting_line() == ["call"]


def test_a_call_takes_a_fresh_agent_before_a_later_call_of_another_queue(scene: Scene) -> None:
    earlier = scene.call_of("call")
    scene.waits("french", FRENCH)
    scene.idle("ann", BOTH)
    assert scene.match(earlier) == [Match("ann", "call")]
    assert scene.waiting_line(FRENCH) == ["french"]


def test_a_head_start_counts_across_queues(scene: Scene) -> None:
    call = scene.call_of("call")
    scene.waits("vip", FRENCH, head_start=60)
    scene.idle("ann", BOTH)
    assert scene.match(call) == [Match("ann", "vip")]


def test_a_fresh_agent_who_is_left_to_another_queue_is_no_reason_not_to_take_the_next(scene: Scene) -> None:
    scene.waits("french", FRENCH)
    scene.idle("ann", BOTH)
    scene.idle("bea", SPANISH)
    world, requests = scene.counted()
    assert scene.match("call", world=world) == [Match("bea", "call")]
    assert "enter" not in requests
    assert scene.agent("ann").status is AgentStatus.AVAILABLE
    assert scene.look("ann") == Match("ann", "french")


@pytest.mark.parametrize(("seconds", "heads"), [(FRESH_SECONDS - 0.1, 3), (FRESH_SECONDS, 2)])
def test_only_for_agents_of_the_last_two_seconds_other_queues_are_read(
    scene: Scene, seconds: float, heads: int
) -> None:
    scene.knows_queues(FRENCH, SPANISH)
    scene.idle("ann", BOTH)
    scene.later(seconds)
    world, requests = scene.counted()
    assert scene.match("call", world=world) == [Match("ann", "call")]
    assert requests.count("heads") == heads


# --- losing


def test_who_loses_the_longest_idle_to_another_look_takes_the_next(scene: Scene) -> None:
    settled(scene, "ann", "bea")
    world = scene.disturbed(before=Meanwhile("claim", lambda: scene.match("quicker")))
    assert scene.match("call", world=world) == [Match("bea", "call")]
    assert (scene.served_by("quicker"), scene.served_by("call")) == ("ann", "bea")


def test_the_agents_of_calls_that_have_gone_are_the_next_to_be_taken(scene: Scene) -> None:
    settled(scene, "ann", "bea", "cy")
    gone, gone_too, loser = (scene.call_of(call_id) for call_id in ("gone", "gone-too", "loser"))
    for call in (gone, gone_too):
        scene.floor.commit(None, call)
        scene.floor.commit(call, call.abandoned(now=scene.clock()))
    requests: list[str] = []
    leaves = Meanwhile("claim", lambda: staffing.set_status(scene.world, "cy", AgentStatus.AWAY))

    def before(name: str) -> None:
        requests.append(name)
        leaves(name)

    found = scene.match(gone, gone_too, loser, world=scene.disturbed(before=before))
    assert found == [Match("ann", "loser")]
    assert "enter" not in requests
    assert scene.idle_line() == ["bea"]


def tried_after(losses: int, seed: int) -> list[str]:
    """Whom a call tried, in order, when another look was quicker that many times."""
    scene = Scene()
    settled(scene, *"abcdefgh")
    quicker = Quicker(scene.floor, [scene.call_of(f"other-{number}") for number in range(losses)])
    scene.match("call", world=scene.another_world(cast(Floor, quicker), seed))
    assert scene.served_by("call") == quicker.tried[-1]
    return quicker.tried


def test_after_a_loss_matchers_do_not_march_in_step() -> None:
    runs = [tried_after(3, seed) for seed in range(60)]
    assert {run[0] for run in runs} == {"a"}
    assert {run[1] for run in runs} == {"b", "c"}
    assert {run[2] for run in runs} == {"b", "c", "d", "e"}
    assert {run[3] for run in runs} == {"b", "c", "d", "e", "f"}


@pytest.mark.parametrize("losses", range(5))
def test_agents_are_taken_out_of_order_by_no_more_than_the_number_of_losses(losses: int) -> None:
    for seed in range(20):
        *lost, taken = tried_after(losses, seed)
        passed_over = [agent for agent in "abcdefgh" if agent < taken and agent not in lost]
        assert len(passed_over) <= losses


@pytest.mark.parametrize("seed", range(10))
def test_entries_left_behind_are_no_loss_and_the_order_stays_strict(seed: int) -> None:
    scene = Scene()
    for agent_id in ("x", "y", "z"):
        scene.dead_agent_entry(agent_id)
    settled(scene, "a", "b", "c")
    world = scene.another_world(scene.floor, seed)
    assert scene.match("call", world=world) == [Match("a", "call")]
    assert scene.idle_line() == ["b", "c"]
    assert scene.tally[Event.DEAD_ENTRY] == 3


def test_a_join_in_progress_is_skipped(scene: Scene) -> None:
    joining = scene.joining_agent_entry("ann")
    settled(scene, "bea")
    assert scene.match("call") == [Match("bea", "call")]
    assert scene.floor.heads(joining.line, 9) == [joining]


def test_two_calls_of_a_batch_who_lose_their_candidates_take_the_next_ones(scene: Scene) -> None:
    settled(scene, *"abcd")
    quicker = Quicker(scene.floor, [scene.call_of("other-1"), scene.call_of("other-2")])
    matches = scene.match("first", "second", world=scene.another_world(cast(Floor, quicker)))
    assert {match.call_id for match in matches} == {"first", "second"}
    assert {match.agent_id for match in matches} == set("abcd") - set(quicker.tried[:2])


def test_a_call_whose_caller_hung_up_takes_nobody_and_is_not_put_in_line(scene: Scene) -> None:
    settled(scene, "ann", "bea")
    call = scene.call_of("call")
    scene.floor.commit(None, call)
    scene.floor.commit(call, call.abandoned(now=scene.clock()))
    world, requests = scene.counted()
    assert scene.match(call, world=world) == []
    assert requests.count("claim") == 1
    assert scene.call("call").status is CallStatus.ABANDONED
    assert (scene.idle_line(), scene.waiting_line()) == (["ann", "bea"], [])


def test_a_call_whose_caller_hangs_up_just_before_it_is_parked_is_not_put_in_line(scene: Scene) -> None:
    call = scene.call_of("call")
    scene.floor.commit(None, call)
    world = scene.disturbed(
        before=Meanwhile("commit", lambda: scene.floor.commit(call, call.abandoned(now=scene.clock())))
    )
    assert scene.match(call, world=world) == []
    assert scene.waiting_line() == []
    assert scene.tally[Event.PARKED] == 0


def test_when_agents_stay_contended_nobody_is_passed_over(scene: Scene) -> None:
    settled(scene, "ann", "bea")
    world = scene.disturbed(before=Contended("claim", TRIES))
    with pytest.raises(Contention):
        scene.match("call", world=world)
    assert scene.floor.call("call") is None
    assert scene.idle_line() == ["ann", "bea"]
    assert scene.match("call", seen_before=True) == [Match("ann", "call")]


# --- the second look


def test_an_agent_who_comes_after_the_first_look_is_found_by_the_second(scene: Scene) -> None:
    world = scene.disturbed(before=Meanwhile("enter", lambda: scene.idle("ann")))
    assert scene.match("call", world=world) == [Match("ann", "call")]
    assert (scene.idle_line(), scene.waiting_line()) == ([], [])


def test_an_agent_of_a_pool_that_came_just_now_is_found_by_the_second_look(scene: Scene) -> None:
    scene.knows_queues(SPANISH)
    world = scene.another_world(scene.floor)
    assert world.catalog.at_hand().pools == {}
    scene.idle("ann")
    assert scene.match("call", world=world) == [Match("ann", "call")]
    assert scene.tally[Event.PARKED] == 1


def test_a_call_joins_before_it_looks_again(scene: Scene) -> None:
    world, requests = scene.counted()
    scene.match("call", world=world)
    assert requests.index("commit") < len(requests) - 1 - requests[::-1].index("catalog_version")
    assert requests[-2:] == ["catalog_version", "heads"]


def test_a_queue_is_in_the_catalog_before_a_call_stands_in_it(scene: Scene) -> None:
    world, requests = scene.counted()
    scene.match("call", world=world)
    assert requests.index("add_to_catalog") < requests.index("enter")
    assert set(scene.floor.load_catalog(1).queues) == {queue_of(SPANISH).key}


def test_where_the_catalog_is_full_a_call_is_not_put_in_line(scene: Scene) -> None:
    scene.world.catalog.ensure(queue_of(FRENCH), at_most=1)
    with pytest.raises(CatalogFull):
        match(scene.world, queue_of(SPANISH), [Incoming(scene.call_of("call"))], max_queues=1)
    assert scene.floor.call("call") is None
    assert scene.waiting_line() == []


# --- redelivery


@pytest.mark.parametrize("seen_before", [False, True])
def test_a_call_that_was_matched_is_left_alone(scene: Scene, seen_before: bool) -> None:
    connected = scene.connected("call", "ann")
    settled(scene, "bea")
    assert scene.match(scene.call_of("call"), seen_before=seen_before) == []
    assert scene.call("call") == connected
    assert scene.idle_line() == ["bea"]


def test_a_call_that_was_matched_costs_one_read_when_it_comes_again(scene: Scene) -> None:
    scene.connected("call", "ann")
    world, requests = scene.counted()
    world.catalog.fresh()
    requests.clear()
    scene.match("call", seen_before=True, world=world)
    assert requests == ["call"]


@pytest.mark.parametrize("seen_before", [False, True])
def test_a_call_that_was_parked_is_looked_for_again(scene: Scene, seen_before: bool) -> None:
    scene.waits("call")
    settled(scene, "ann")
    assert scene.match(scene.call_of("call"), seen_before=seen_before) == [Match("ann", "call")]
    assert scene.waiting_line() == []


def test_a_call_that_was_parked_keeps_its_place_and_its_entry(scene: Scene) -> None:
    entry = scene.waits("call")
    scene.match(scene.call_of("call"), seen_before=True)
    scene.match(scene.call_of("call"), seen_before=False)
    assert scene.floor.heads(entry.line, 9) == [entry]
    assert place_of(scene.call("call")) == entry


@pytest.mark.parametrize("is_there", [False, True])
def test_a_call_that_nothing_was_done_for_is_new(scene: Scene, is_there: bool) -> None:
    settled(scene, "ann")
    call = scene.call_of("call")
    if is_there:
        scene.floor.commit(None, call)
    assert scene.match(call, seen_before=True) == [Match("ann", "call")]


def test_of_a_batch_that_comes_again_only_what_is_left_is_done(scene: Scene) -> None:
    settled(scene, "ann")
    done, parked, new = (scene.call_of(call_id) for call_id in ("done", "parked", "new"))
    scene.match(done)
    scene.waits("parked", arrived_at=parked.arrived_at)
    settled(scene, "bea", "cy")
    assert scene.match(done, parked, new, seen_before=True) == [Match("bea", "parked"), Match("cy", "new")]
    assert scene.served_by("done") == "ann"


def test_a_call_that_came_twice_in_a_batch_is_matched_once(scene: Scene) -> None:
    settled(scene, "ann", "bea")
    call = scene.call_of("call")
    assert scene.match(call, call) == [Match("ann", "call")]
    assert scene.idle_line() == ["bea"]
    waits = scene.call_of("waits", FRENCH)
    assert scene.match(waits, waits, requirement=FRENCH) == []
    assert scene.waiting_line(FRENCH) == ["waits"]
