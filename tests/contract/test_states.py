"""STATE of agents and calls: what is kept is found, and nobody overwrites what they have not seen."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given

from switchboard.domain.agents import Agent, AgentStatus
from switchboard.domain.calls import Call, CallStatus
from switchboard.domain.refusals import Moved
from switchboard.ports import Floor
from tests.contract.lives import (
    NOW,
    OTHER_QUEUE,
    POOL,
    agent,
    agent_in,
    agent_lives,
    call,
    call_in,
    call_lives,
    idle,
    keep,
)

AGENT_STATUSES = list(AgentStatus)
CALL_STATUSES = list(CallStatus)


def found(floor: Floor, owner: Agent | Call) -> Agent | Call | None:
    return floor.agent(owner.id) if isinstance(owner, Agent) else floor.call(owner.id)


@given(life=agent_lives())
def test_an_agent_is_found_as_it_was_kept_in_every_state_of_its_life(floor: Floor, life: list[Agent]) -> None:
    before = None
    for state in life:
        floor.commit(before, state)
        assert floor.agent(state.id) == state
        before = state


@given(life=call_lives())
def test_a_call_is_found_as_it_was_kept_in_every_state_of_its_life(floor: Floor, life: list[Call]) -> None:
    before = None
    for state in life:
        floor.commit(before, state)
        assert floor.call(state.id) == state
        before = state


def test_who_was_never_kept_is_not_found(floor: Floor) -> None:
    assert floor.agent("nobody") is None
    assert floor.call("nobody") is None


def test_an_agent_and_a_call_may_have_the_same_id(floor: Floor) -> None:
    keep(floor, agent("same"))
    assert floor.call("same") is None
    keep(floor, call("same"))
    assert floor.agent("same") == agent("same")
    assert floor.call("same") == call("same")


def test_ids_that_continue_each_other_are_two_agents(floor: Floor) -> None:
    for agent_id in ("a", "a-", "A", "a" * 64):
        keep(floor, agent(agent_id))
    assert [floor.agent(agent_id) for agent_id in ("a", "a-", "A", "a" * 64)] == [
        agent(agent_id) for agent_id in ("a", "a-", "A", "a" * 64)
    ]


@pytest.mark.parametrize("status", AGENT_STATUSES)
def test_a_new_agent_does_not_overwrite_one_who_is_there(floor: Floor, status: AgentStatus) -> None:
    there = agent_in(status)
    keep(floor, there)
    with pytest.raises(Moved) as refusal:
        floor.commit(None, agent(there.id, now=NOW + 10_000_000))
    assert refusal.value.found == there
    assert floor.agent(there.id) == there


@pytest.mark.parametrize("status", CALL_STATUSES)
def test_a_new_call_does_not_overwrite_one_that_is_there(floor: Floor, status: CallStatus) -> None:
    there = call_in(status)
    keep(floor, there)
    with pytest.raises(Moved) as refusal:
        floor.commit(None, call(there.id, queue=OTHER_QUEUE))
    assert refusal.value.found == there
    assert floor.call(there.id) == there


def test_a_commit_is_refused_when_the_status_was_left(floor: Floor) -> None:
    seen = agent()
    keep(floor, seen)
    moved = seen.away(now=NOW + 1)
    floor.commit(seen, moved)
    with pytest.raises(Moved) as refusal:
        floor.commit(seen, seen.available(now=NOW + 2, attempt="0a"))
    assert refusal.value.found == moved
    assert floor.agent(seen.id) == moved


def test_a_commit_is_refused_when_the_status_was_left_and_entered_again(floor: Floor) -> None:
    seen = idle()
    keep(floor, seen)
    away = seen.away(now=NOW + 1)
    again = away.available(now=NOW + 2, attempt="0b")
    floor.commit(seen, away)
    floor.commit(away, again)
    with pytest.raises(Moved) as refusal:
        floor.commit(seen, seen.offline(now=NOW + 3))
    assert refusal.value.found == again
    assert floor.agent(seen.id) == again


def test_a_commit_is_refused_when_the_profile_changed_and_the_status_did_not(floor: Floor) -> None:
    seen = agent()
    keep(floor, seen)
    renamed = seen.changed("Anna", POOL, now=NOW, attempt="0a")
    floor.commit(seen, renamed)
    with pytest.raises(Moved) as refusal:
        floor.commit(seen, seen.away(now=NOW + 1))
    assert refusal.value.found == renamed


@pytest.mark.parametrize("status", CALL_STATUSES[1:])
def test_a_call_is_not_committed_over_a_later_state(floor: Floor, status: CallStatus) -> None:
    there = call_in(status)
    keep(floor, there)
    requested = call(there.id)
    for new in (requested.waiting(now=NOW + 5, attempt="0f"), requested.abandoned(now=NOW + 5)):
        with pytest.raises(Moved) as refusal:
            floor.commit(requested, new)
        assert refusal.value.found == there
    assert floor.call(there.id) == there


def test_a_call_seen_as_requested_may_be_absent_and_is_then_written_whole(floor: Floor) -> None:
    requested = call()
    parked = requested.waiting(now=NOW + 1, attempt="0a")
    floor.commit(requested, parked)
    assert floor.call(requested.id) == parked


def test_a_call_seen_as_requested_may_be_there(floor: Floor) -> None:
    requested = call()
    keep(floor, requested)
    parked = requested.waiting(now=NOW + 1, attempt="0a")
    floor.commit(requested, parked)
    assert floor.call(requested.id) == parked


def test_another_request_under_the_same_id_does_not_replace_a_call(floor: Floor) -> None:
    """Its caller was told that the key was used before."""
    there = call("twice")
    keep(floor, there)
    other = replace(there, body="another")
    for new in (other.waiting(now=NOW, attempt="0a"), other.abandoned(now=NOW)):
        with pytest.raises(Moved) as refusal:
            floor.commit(other, new)
        assert refusal.value.found == there
    assert floor.call("twice") == there


def test_of_two_messages_about_a_call_the_one_that_is_committed_is_kept_whole(floor: Floor) -> None:
    first, second = call("twice"), call("twice", queue=OTHER_QUEUE, arrived_at=NOW + 9)
    keep(floor, first)
    parked = second.waiting(now=NOW + 10, attempt="0a")
    floor.commit(second, parked)
    assert floor.call("twice") == parked


@pytest.mark.parametrize("status", CALL_STATUSES[1:-2])
def test_a_call_seen_later_than_requested_may_not_be_absent(floor: Floor, status: CallStatus) -> None:
    seen = call_in(status)
    new = seen.completed(now=NOW) if status is CallStatus.CONNECTED else seen.abandoned(now=NOW)
    with pytest.raises(Moved) as refusal:
        floor.commit(seen, new)
    assert refusal.value.found is None
    assert floor.call(seen.id) is None


@pytest.mark.parametrize("status", AGENT_STATUSES)
def test_an_agent_who_was_removed_is_not_committed(floor: Floor, status: AgentStatus) -> None:
    seen = agent_in(status)
    with pytest.raises(Moved) as refusal:
        floor.commit(seen, seen.changed("Anna", POOL, now=NOW, attempt="0a"))
    assert refusal.value.found is None
    assert floor.agent(seen.id) is None


def test_an_agent_as_seen_is_removed(floor: Floor) -> None:
    seen, other = agent(), agent()
    keep(floor, seen)
    keep(floor, other)
    floor.remove(seen)
    assert floor.agent(seen.id) is None
    assert floor.agent(other.id) == other


def test_an_agent_who_moved_on_is_not_removed(floor: Floor) -> None:
    seen = agent()
    keep(floor, seen)
    moved = seen.away(now=NOW + 1)
    floor.commit(seen, moved)
    with pytest.raises(Moved) as refusal:
        floor.remove(seen)
    assert refusal.value.found == moved
    assert floor.agent(seen.id) == moved


def test_an_agent_who_is_not_there_cannot_be_removed(floor: Floor) -> None:
    with pytest.raises(Moved) as refusal:
        floor.remove(agent())
    assert refusal.value.found is None


def test_an_agent_registered_again_is_not_taken_for_the_one_who_was_removed(floor: Floor) -> None:
    seen = agent()
    keep(floor, seen)
    floor.remove(seen)
    again = agent(seen.id, now=NOW + 1_000)
    keep(floor, again)
    with pytest.raises(Moved) as refusal:
        floor.commit(seen, seen.away(now=NOW + 2_000))
    assert refusal.value.found == again


@pytest.mark.parametrize("status", [AgentStatus.OFFLINE, AgentStatus.AVAILABLE])
def test_what_was_found_says_so_in_the_words_of_the_refusal(floor: Floor, status: AgentStatus) -> None:
    there = agent_in(status)
    keep(floor, there)
    with pytest.raises(Moved, match=f"it is {status} by now"):
        floor.commit(None, there)
    with pytest.raises(Moved, match="not there any more"):
        floor.remove(agent())
    assert found(floor, there) == there
