"""Calls: what is accepted is kept, repeating a request meets its own call, and every end is for good."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from switchboard import calling, staffing
from switchboard.calling import MOST_COUNTED, Requested
from switchboard.claiming import Match
from switchboard.domain.agents import AgentStatus
from switchboard.domain.calls import Call, CallStatus, keyed_id
from switchboard.domain.refusals import (
    CatalogFull,
    Contention,
    IllegalMove,
    Invalid,
    Moved,
    NoAgentOnline,
    NotFound,
)
from switchboard.matching import Incoming, match
from switchboard.patience import TRIES
from switchboard.ports import Unavailable
from switchboard.world import World
from tests.support.faults import AnswerLost, Crash, CrashAfter
from tests.unit.usecases.faulty import Contended, CrashBefore, Meanwhile, sent_twice
from tests.unit.usecases.scene import APP, FRENCH, MAX, SPANISH, Data, Scene, queue_of, request_of

REQUESTED, WAITING, CONNECTED, COMPLETED, ABANDONED = CallStatus


def request(
    scene: Scene,
    requirement: Data = SPANISH,
    *,
    key: str | None = "key",
    world: World | None = None,
    max_queues: int = MAX,
    **changes: object,
) -> Requested:
    asked = request_of(requirement, idempotency_key=key, **changes)
    return calling.request_call(world or scene.world, scene.outbox, asked, max_queues=max_queues)


def matched(scene: Scene, call: Call) -> list[Match]:
    return match(scene.world, queue_of(SPANISH), [Incoming(call)], max_queues=MAX)


def hang_up(scene: Scene, call_id: str = "call", *, client: str = APP, world: World | None = None) -> Call:
    return calling.hang_up(world or scene.world, client, call_id)


def complete(
    scene: Scene, agent_id: str | None = "ann", *, call_id: str = "call", world: World | None = None
) -> Call:
    return calling.complete(world or scene.world, call_id, agent_id=agent_id)


TO: dict[CallStatus, Callable[[Scene], object]] = {
    REQUESTED: lambda scene: scene.floor.commit(None, scene.call_of("call")),
    WAITING: lambda scene: scene.waits("call"),
    CONNECTED: lambda scene: scene.connected(),
    COMPLETED: lambda scene: (scene.connected(), complete(scene)),
    ABANDONED: lambda scene: (scene.waits("call"), hang_up(scene)),
}


# --- requesting


def test_an_accepted_call_is_sent_and_has_a_state(scene: Scene) -> None:
    accepted = request(scene, head_start=5).call
    assert scene.call(accepted.id) == accepted
    assert scene.outbox.sent == [(accepted, queue_of(SPANISH).requirement.text)]
    assert (accepted.status, accepted.client, accepted.head_start) == (REQUESTED, APP, 5)
    assert accepted.queue in scene.world.catalog.fresh().queues


def test_the_message_is_the_promise_and_comes_before_the_state(scene: Scene) -> None:
    with pytest.raises(Crash):
        request(scene, world=scene.disturbed(before=CrashBefore("commit")))
    ((sent, _),) = scene.outbox.sent
    assert scene.floor.call(sent.id) is None
    scene.idle("ann")
    assert matched(scene, sent) == [Match("ann", sent.id)]


def test_what_could_not_be_sent_is_not_kept(scene: Scene) -> None:
    class Closed:
        def send(self, call: Call, requirement_text: str) -> None:
            raise Unavailable(f"{call.id} {requirement_text}")

    with pytest.raises(Unavailable):
        calling.request_call(scene.world, Closed(), request_of(idempotency_key="key"), max_queues=MAX)
    assert scene.floor.call(keyed_id(APP, "key")) is None


def test_a_call_without_key_costs_one_message_and_one_write(scene: Scene) -> None:
    scene.knows_queues(SPANISH)
    world, requests = scene.counted()
    world.catalog.fresh()
    requests.clear()
    request(scene, key=None, world=world)
    assert len(scene.outbox.sent) == 1
    assert [name for name in requests if name not in ("catalog_version", "anyone_signed_in")] == ["commit"]


def test_without_a_key_each_request_is_a_call_of_its_own(scene: Scene) -> None:
    first, second = request(scene, key=None), request(scene, key=None)
    assert first.call.id != second.call.id
    assert [call.id for call, _ in scene.outbox.sent] == [first.call.id, second.call.id]


def test_a_repeat_meets_its_own_call_and_sends_it_again_while_nobody_has_looked(scene: Scene) -> None:
    first = request(scene)
    scene.later()
    assert request(scene) == first
    assert [call for call, _ in scene.outbox.sent] == [first.call, first.call]


@pytest.mark.parametrize("status", [WAITING, CONNECTED, COMPLETED, ABANDONED])
def test_a_repeat_meets_its_own_call_whatever_became_of_it(scene: Scene, status: CallStatus) -> None:
    call = request(scene).call
    if status in (CONNECTED, COMPLETED):
        scene.idle("ann")
    matched(scene, call)
    if status is COMPLETED:
        complete(scene, call_id=call.id)
    if status is ABANDONED:
        hang_up(scene, call.id)
    scene.outbox.sent.clear()
    again = request(scene).call
    assert again == scene.call(call.id)
    assert again.status is status
    assert scene.outbox.sent == []


def test_the_same_key_for_another_request_is_invalid_and_sends_nothing(scene: Scene) -> None:
    first = request(scene).call
    scene.outbox.sent.clear()
    with pytest.raises(Invalid, match="another request") as refusal:
        request(scene, FRENCH, body="another")
    assert refusal.value.where == "Idempotency-Key"
    assert scene.outbox.sent == []
    assert scene.call(first.id) == first


def test_the_same_key_of_another_client_is_another_call(scene: Scene) -> None:
    assert request(scene).call.id != request(scene, client="other").call.id


def test_a_repeat_after_a_crash_between_message_and_state_meets_its_own_call(scene: Scene) -> None:
    with pytest.raises(Crash):
        request(scene, world=scene.disturbed(before=CrashBefore("commit")))
    again = request(scene).call
    assert {call.id for call, _ in scene.outbox.sent} == {again.id}
    scene.idle("ann")
    first_message, second_message = (call for call, _ in scene.outbox.sent)
    assert matched(scene, first_message) == [Match("ann", again.id)]
    assert matched(scene, second_message) == []


def test_two_messages_of_one_call_put_it_in_line_once(scene: Scene) -> None:
    with pytest.raises(Crash):
        request(scene, world=scene.disturbed(before=CrashBefore("commit")))
    scene.later(1)
    request(scene)
    for call, _ in scene.outbox.sent:
        matched(scene, call)
    assert len(scene.waiting_line()) == 1


def test_a_matcher_who_was_quicker_than_the_state_is_met(scene: Scene) -> None:
    scene.idle("ann")
    world = scene.disturbed(before=Meanwhile("commit", lambda: matched(scene, scene.outbox.sent[0][0])))
    call = request(scene, world=world).call
    assert (call.status, call.agent) == (CONNECTED, "ann")
    assert scene.call(call.id) == call


def test_two_requests_of_one_key_at_once_are_one_call(scene: Scene) -> None:
    world = scene.disturbed(before=Meanwhile("commit", lambda: request(scene)))
    call = request(scene, world=world).call
    assert scene.call(call.id) == call


def test_two_requests_of_one_key_at_once_with_other_bodies_are_not_one(scene: Scene) -> None:
    world = scene.disturbed(before=Meanwhile("commit", lambda: request(scene, body="another")))
    with pytest.raises(Invalid):
        request(scene, world=world)


def test_a_request_whose_first_answer_was_lost_is_accepted(scene: Scene) -> None:
    call = request(scene, world=scene.another_world(sent_twice(scene.floor, "commit"))).call
    assert scene.call(call.id) == call


def test_one_requirement_too_many_is_refused_and_nothing_is_sent(scene: Scene) -> None:
    scene.knows_queues(FRENCH)
    with pytest.raises(CatalogFull):
        request(scene, max_queues=1)
    assert scene.outbox.sent == []
    assert scene.floor.call(keyed_id(APP, "key")) is None


# --- is anybody there


def test_where_nobody_who_could_serve_is_signed_in_the_answer_says_so(scene: Scene) -> None:
    scene.idle("fred", FRENCH)
    scene.registered("ann")
    assert request(scene).no_agent_online
    assert len(scene.outbox.sent) == 1


@pytest.mark.parametrize("status", [AgentStatus.AWAY, AgentStatus.AVAILABLE, AgentStatus.ATTENDING])
def test_who_is_signed_in_counts_whatever_the_status(scene: Scene, status: AgentStatus) -> None:
    if status is AgentStatus.AWAY:
        scene.away("ann")
    elif status is AgentStatus.AVAILABLE:
        scene.idle("ann")
    else:
        scene.connected()
    assert not request(scene).no_agent_online


def test_a_caller_who_would_not_wait_is_refused_and_nothing_is_kept(scene: Scene) -> None:
    scene.idle("ann")
    staffing.set_status(scene.world, "ann", AgentStatus.OFFLINE)
    with pytest.raises(NoAgentOnline):
        request(scene, refuse_if_no_agent=True)
    assert scene.outbox.sent == []
    assert scene.floor.call(keyed_id(APP, "key")) is None


def test_a_caller_who_would_not_wait_is_served_where_somebody_is(scene: Scene) -> None:
    scene.away("ann")
    assert not request(scene, refuse_if_no_agent=True).no_agent_online
    assert len(scene.outbox.sent) == 1


def test_an_accepted_call_is_not_refused_when_its_request_comes_again(scene: Scene) -> None:
    scene.idle("ann")
    first = request(scene, refuse_if_no_agent=True).call
    staffing.set_status(scene.world, "ann", AgentStatus.OFFLINE)
    again = request(scene, refuse_if_no_agent=True)
    assert again == Requested(first, no_agent_online=True)


def test_an_agent_of_a_profile_that_is_seconds_old_is_there(scene: Scene) -> None:
    world = scene.another_world(scene.floor)
    world.catalog.at_hand()
    scene.idle("ann")
    assert not request(scene, world=world, refuse_if_no_agent=True).no_agent_online


# --- following


def test_a_call_is_found_by_the_app_that_made_it_and_by_nobody_else(scene: Scene) -> None:
    call = request(scene).call
    assert calling.find(scene.world, APP, call.id) == call
    for client, call_id in (("other", call.id), (APP, "unknown")):
        with pytest.raises(NotFound, match=call_id):
            calling.find(scene.world, client, call_id)


def test_positions_count_from_1_in_the_order_of_the_line(scene: Scene) -> None:
    for call_id in ("first", "second"):
        scene.waits(call_id)
    scene.waits("vip", head_start=60)
    positions = {one: calling.position(scene.world, scene.call(one)) for one in ("vip", "first", "second")}
    assert positions == {"vip": 1, "first": 2, "second": 3}


@pytest.mark.parametrize("status", [REQUESTED, CONNECTED, COMPLETED, ABANDONED])
def test_who_stands_in_no_line_has_no_position(scene: Scene, status: CallStatus) -> None:
    TO[status](scene)
    assert calling.position(scene.world, scene.call("call")) is None


def test_positions_are_counted_up_to_a_limit(scene: Scene) -> None:
    for number in range(MOST_COUNTED + 2):
        scene.waits(f"call-{number:03}")
    assert [
        calling.position(scene.world, scene.call(f"call-{number:03}"))
        for number in (0, MOST_COUNTED - 1, MOST_COUNTED, MOST_COUNTED + 1)
    ] == [1, MOST_COUNTED, MOST_COUNTED + 1, MOST_COUNTED + 1]


# --- hanging up


@pytest.mark.parametrize("status", [REQUESTED, WAITING])
def test_who_hangs_up_before_being_served_has_abandoned_the_call(scene: Scene, status: CallStatus) -> None:
    TO[status](scene)
    ended = hang_up(scene)
    assert ended == scene.call("call")
    assert ended.status is ABANDONED
    assert ended.ended_at is not None
    assert scene.waiting_line() == []
    scene.idle("ann")
    assert matched(scene, scene.call_of("call")) == []


def test_who_hangs_up_on_an_agent_has_completed_the_call(scene: Scene) -> None:
    scene.connected()
    ended = hang_up(scene)
    assert ended == scene.call("call")
    assert (ended.status, ended.agent) == (COMPLETED, "ann")
    ann = scene.agent("ann")
    assert (ann.status, ann.call) == (AgentStatus.WRAP_UP, "call")


@pytest.mark.parametrize("status", [COMPLETED, ABANDONED])
def test_hanging_up_on_a_call_that_has_ended_changes_nothing(scene: Scene, status: CallStatus) -> None:
    TO[status](scene)
    before = scene.call("call")
    world, requests = scene.counted()
    scene.later()
    assert hang_up(scene, world=world) == before == scene.call("call")
    assert requests == ["call"]


def test_nobody_hangs_up_anothers_call(scene: Scene) -> None:
    scene.waits("call")
    with pytest.raises(NotFound):
        hang_up(scene, client="other")
    with pytest.raises(NotFound):
        hang_up(scene, "unknown")
    assert scene.call("call").status is WAITING


def test_who_hangs_up_just_when_an_agent_takes_the_call_has_completed_it(scene: Scene) -> None:
    scene.waits("call")
    scene.idle("ann")
    ended = hang_up(scene, world=scene.disturbed(before=Meanwhile("commit", lambda: scene.look("ann"))))
    assert ended.status is COMPLETED
    assert scene.agent("ann").status is AgentStatus.WRAP_UP


def test_who_hangs_up_just_when_the_call_is_parked_has_abandoned_it(scene: Scene) -> None:
    call = scene.call_of("call")
    scene.floor.commit(None, call)
    ended = hang_up(scene, world=scene.disturbed(before=Meanwhile("commit", lambda: matched(scene, call))))
    assert ended.status is ABANDONED
    assert scene.waiting_line() == []


@pytest.mark.parametrize("status", [REQUESTED, WAITING, CONNECTED])
def test_a_hang_up_whose_first_answer_was_lost_is_one(scene: Scene, status: CallStatus) -> None:
    TO[status](scene)
    ended = hang_up(scene, world=scene.another_world(sent_twice(scene.floor, "commit", "clear", "part")))
    assert ended == scene.call("call")
    assert ended.status is (COMPLETED if status is CONNECTED else ABANDONED)


def test_a_hang_up_that_stays_contended_changes_nothing(scene: Scene) -> None:
    scene.waits("call")
    with pytest.raises(Contention):
        hang_up(scene, world=scene.disturbed(before=Contended("commit", TRIES**2)))
    assert scene.call("call").status is WAITING


# --- completing


@pytest.mark.parametrize("agent_id", ["ann", None])
def test_the_agent_or_a_supervisor_completes_a_call(scene: Scene, agent_id: str | None) -> None:
    scene.connected()
    ended = complete(scene, agent_id)
    assert ended == scene.call("call")
    assert ended.status is COMPLETED
    assert scene.agent("ann").status is AgentStatus.WRAP_UP


def test_both_ends_are_one_request(scene: Scene) -> None:
    scene.connected()
    world, requests = scene.counted()
    complete(scene, world=world)
    assert requests == ["call", "agent", "part"]


def test_completing_twice_is_completing_once(scene: Scene) -> None:
    scene.connected()
    ended = complete(scene)
    scene.later()
    assert complete(scene) == ended == scene.call("call")
    staffing.set_status(scene.world, "ann", AgentStatus.AVAILABLE)
    assert complete(scene) == ended
    assert scene.agent("ann").status is AgentStatus.AVAILABLE


def test_nobody_completes_the_call_of_another_agent(scene: Scene) -> None:
    scene.connected()
    scene.registered("bea")
    with pytest.raises(NotFound, match="of agent bea"):
        complete(scene, "bea")
    assert scene.call("call").status is CONNECTED


def test_an_unknown_call_cannot_be_completed(scene: Scene) -> None:
    for agent_id in ("ann", None):
        with pytest.raises(NotFound, match="unknown"):
            complete(scene, agent_id, call_id="unknown")


@pytest.mark.parametrize("status", [REQUESTED, WAITING, ABANDONED])
def test_a_call_that_no_agent_has_cannot_be_completed(scene: Scene, status: CallStatus) -> None:
    TO[status](scene)
    before = scene.call("call")
    with pytest.raises(IllegalMove, match=f"is {status} and cannot become completed") as refusal:
        complete(scene, None)
    assert refusal.value.status == status
    with pytest.raises(NotFound):
        complete(scene, "ann")
    assert scene.call("call") == before


@pytest.mark.parametrize("request_name", ["agent", "part"])
def test_when_both_sides_end_a_call_at_once_it_has_one_end(scene: Scene, request_name: str) -> None:
    scene.connected()
    world = scene.disturbed(before=Meanwhile(request_name, lambda: hang_up(scene)))
    ended = complete(scene, world=world)
    assert ended == scene.call("call")
    assert ended.status is COMPLETED
    assert scene.agent("ann").status is AgentStatus.WRAP_UP


def test_an_agent_who_went_on_to_another_call_keeps_it_when_the_first_is_ended_late(scene: Scene) -> None:
    scene.connected()

    def went_on() -> None:
        complete(scene)
        scene.idle("ann")
        scene.match("next")

    ended = complete(scene, world=scene.disturbed(before=Meanwhile("agent", went_on)))
    assert ended == scene.call("call")
    ann = scene.agent("ann")
    assert (ann.status, ann.call) == (AgentStatus.ATTENDING, "next")


def test_an_agent_who_was_renamed_meanwhile_completes_all_the_same(scene: Scene) -> None:
    scene.connected()

    def renamed() -> None:
        seen = scene.agent("ann")
        scene.floor.commit(seen, seen.changed("Anna", seen.pool, now=scene.clock(), attempt="0a"))

    ended = complete(scene, world=scene.disturbed(before=Meanwhile("part", renamed)))
    assert ended.status is COMPLETED
    assert (scene.agent("ann").name, scene.agent("ann").status) == ("Anna", AgentStatus.WRAP_UP)


def test_an_end_whose_first_answer_was_lost_is_one(scene: Scene) -> None:
    scene.connected()
    ended = complete(scene, world=scene.another_world(sent_twice(scene.floor, "part")))
    assert ended == scene.call("call")
    with pytest.raises(Unavailable):
        complete(scene, world=scene.disturbed(after=CrashAfter(0, AnswerLost)))
    assert complete(scene) == ended


def test_an_agent_who_keeps_moving_cannot_be_parted_from(scene: Scene) -> None:
    scene.connected()
    names = iter(range(99))

    def renamed(name: str) -> None:
        if name == "part":
            seen = scene.agent("ann")
            new = seen.changed(f"Ann {next(names)}", seen.pool, now=scene.clock(), attempt="0a")
            scene.floor.commit(seen, new)

    with pytest.raises(Moved):
        complete(scene, world=scene.disturbed(before=renamed))
    assert scene.call("call").status is CONNECTED
