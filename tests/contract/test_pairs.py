"""Claims and their ends: two items or none."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from switchboard.domain.agents import Agent, AgentStatus
from switchboard.domain.calls import Call, CallStatus
from switchboard.domain.refusals import Moved
from switchboard.ports import Floor, Outcome, Pairing
from tests.contract.lives import (
    NOW,
    OTHER_POOL,
    POOL,
    agent,
    agent_in,
    call,
    call_in,
    idle,
    keep,
    place_of,
    waiting,
)

LOOK, AT = NOW + 100, NOW + 200


def in_line(floor: Floor, owner: Agent | Call) -> None:
    keep(floor, owner)
    floor.enter(place_of(owner))


def gone_agents() -> dict[str, Callable[[Agent], Agent | None]]:
    """What can stand in place of an idle agent."""
    return {
        "removed": lambda _: None,
        "offline": lambda seen: seen.offline(now=NOW + 1),
        "away": lambda seen: seen.away(now=NOW + 1),
        "taken": lambda seen: seen.claimed("other", now=NOW + 1),
        "wrapping up": lambda seen: seen.claimed("other", now=NOW + 1).freed(now=NOW + 2),
        "in line again": lambda seen: seen.away(now=NOW + 1).available(now=NOW + 2, attempt="0c"),
        "in line by another attempt": lambda seen: replace(seen, entry=replace(place_of(seen), attempt="0c")),
        "in another line": lambda seen: seen.changed("Ann", OTHER_POOL, now=NOW + 1, attempt="0c"),
    }


def gone_calls() -> dict[str, Callable[[Call], Call | None]]:
    """What can stand in place of a waiting call."""
    return {
        "deleted": lambda _: None,
        "abandoned": lambda seen: seen.abandoned(now=NOW + 1),
        "taken": lambda seen: seen.connected("other", look_started_at=NOW, now=NOW + 1),
        "completed": lambda seen: seen.connected("other", look_started_at=NOW, now=NOW + 1).completed(
            now=NOW + 2
        ),
        "in line by another attempt": lambda seen: replace(seen, entry=replace(place_of(seen), attempt="0c")),
        "requested": lambda seen: call(seen.id),
    }


AGENTS_GONE, CALLS_GONE = gone_agents(), gone_calls()


def test_a_claim_turns_an_idle_agent_and_a_waiting_call_into_a_pair(floor: Floor) -> None:
    ann, her_call = idle(), waiting()
    in_line(floor, ann)
    in_line(floor, her_call)
    outcome = floor.claim(Pairing(place_of(ann), place_of(her_call), LOOK), at=AT)
    assert outcome == Outcome(won=True)
    assert floor.agent(ann.id) == ann.claimed(her_call.id, now=AT)
    assert floor.call(her_call.id) == her_call.connected(ann.id, look_started_at=LOOK, now=AT)


@pytest.mark.parametrize("is_there", [False, True])
def test_a_claim_takes_a_call_that_stands_in_no_line_whether_its_state_is_there_or_not(
    floor: Floor, is_there: bool
) -> None:
    ann, her_call = idle(), call()
    in_line(floor, ann)
    if is_there:
        floor.commit(None, her_call)
    assert floor.claim(Pairing(place_of(ann), her_call, LOOK), at=AT) == Outcome(won=True)
    assert floor.agent(ann.id) == ann.claimed(her_call.id, now=AT)
    assert floor.call(her_call.id) == her_call.connected(ann.id, look_started_at=LOOK, now=AT)


def test_the_claimed_get_a_later_epoch_also_when_the_agent_was_renamed_in_line(floor: Floor) -> None:
    ann, her_call = idle(), waiting()
    in_line(floor, ann)
    in_line(floor, her_call)
    renamed = ann.changed("Anna", POOL, now=NOW + 1, attempt="0c")
    floor.commit(ann, renamed)
    assert floor.claim(Pairing(place_of(ann), place_of(her_call), LOOK), at=AT) == Outcome(won=True)
    assert floor.agent(ann.id) == renamed.claimed(her_call.id, now=AT)


def test_a_claim_leaves_entries_to_whoever_claimed(floor: Floor) -> None:
    ann, her_call = idle(), waiting()
    in_line(floor, ann)
    in_line(floor, her_call)
    floor.claim(Pairing(place_of(ann), place_of(her_call), LOOK), at=AT)
    assert floor.heads(place_of(ann).line, 5) == [place_of(ann)]
    assert floor.heads(place_of(her_call).line, 5) == [place_of(her_call)]


@pytest.mark.parametrize("what", AGENTS_GONE)
@pytest.mark.parametrize("in_a_line", [False, True])
def test_a_claim_is_lost_when_the_agent_is_gone(floor: Floor, what: str, in_a_line: bool) -> None:
    ann, her_call = idle(), waiting() if in_a_line else call()
    there = AGENTS_GONE[what](ann)
    if there:
        floor.commit(None, there)
    floor.commit(None, her_call)
    outcome = floor.claim(Pairing(place_of(ann), her_call.entry or her_call, LOOK), at=AT)
    assert outcome == Outcome(agent_gone=True, agent=there)
    assert floor.agent(ann.id) == there
    assert floor.call(her_call.id) == her_call


def test_no_call_is_made_for_an_agent_who_is_gone(floor: Floor) -> None:
    ann, her_call = agent(), call()
    floor.commit(None, ann)
    outcome = floor.claim(Pairing(place_of(idle(ann.id)), her_call, LOOK), at=AT)
    assert outcome == Outcome(agent_gone=True, agent=ann)
    assert floor.call(her_call.id) is None


@pytest.mark.parametrize("what", CALLS_GONE)
def test_a_claim_is_lost_when_a_waiting_call_is_gone(floor: Floor, what: str) -> None:
    ann, her_call = idle(), waiting()
    floor.commit(None, ann)
    there = CALLS_GONE[what](her_call)
    if there:
        floor.commit(None, there)
    outcome = floor.claim(Pairing(place_of(ann), place_of(her_call), LOOK), at=AT)
    assert outcome == Outcome(call_gone=True, call=there)
    assert floor.agent(ann.id) == ann
    assert floor.call(her_call.id) == there


@pytest.mark.parametrize("status", [status for status in CallStatus if status is not CallStatus.REQUESTED])
def test_a_claim_is_lost_when_a_call_that_stood_in_no_line_has_moved_on(
    floor: Floor, status: CallStatus
) -> None:
    ann, there = idle(), call_in(status)
    floor.commit(None, ann)
    floor.commit(None, there)
    outcome = floor.claim(Pairing(place_of(ann), call(there.id), LOOK), at=AT)
    assert outcome == Outcome(call_gone=True, call=there)
    assert floor.agent(ann.id) == ann
    assert floor.call(there.id) == there


def test_a_claim_is_lost_when_the_call_is_there_by_another_request(floor: Floor) -> None:
    ann, there = idle(), call()
    keep(floor, ann, there)
    outcome = floor.claim(Pairing(place_of(ann), replace(there, body="another"), LOOK), at=AT)
    assert outcome == Outcome(call_gone=True, call=there)
    assert (floor.agent(ann.id), floor.call(there.id)) == (ann, there)


@pytest.mark.parametrize(("agents", "calls"), list(itertools.product(AGENTS_GONE, ["deleted", "taken"])))
def test_a_claim_says_so_when_both_are_gone(floor: Floor, agents: str, calls: str) -> None:
    ann, her_call = idle(), waiting()
    agent_there, call_there = AGENTS_GONE[agents](ann), CALLS_GONE[calls](her_call)
    keep(floor, *(there for there in (agent_there, call_there) if there))
    outcome = floor.claim(Pairing(place_of(ann), place_of(her_call), LOOK), at=AT)
    assert outcome == Outcome(agent_gone=True, agent=agent_there, call_gone=True, call=call_there)
    assert (floor.agent(ann.id), floor.call(her_call.id)) == (agent_there, call_there)


def test_the_same_claim_twice_is_won_once_and_the_second_sees_the_pair(floor: Floor) -> None:
    ann, her_call = idle(), waiting()
    floor.commit(None, ann)
    floor.commit(None, her_call)
    pairing = Pairing(place_of(ann), place_of(her_call), LOOK)
    assert floor.claim(pairing, at=AT).won
    second = floor.claim(pairing, at=AT + 1)
    assert second == Outcome(
        agent_gone=True,
        agent=ann.claimed(her_call.id, now=AT),
        call_gone=True,
        call=her_call.connected(ann.id, look_started_at=LOOK, now=AT),
    )


@given(order=st.permutations([(a, c) for a in range(2) for c in range(2)]))
def test_in_whatever_order_claims_come_nobody_is_paired_twice(
    floor: Floor, order: list[tuple[int, int]]
) -> None:
    agents, calls = [idle(), idle()], [waiting(), call()]
    keep(floor, *agents, *calls)
    won = [
        (a, c)
        for a, c in order
        if floor.claim(Pairing(place_of(agents[a]), calls[c].entry or calls[c], LOOK), at=AT).won
    ]
    assert len(won) == 2
    kept = {(a, c) for a, c in won for at in [floor.agent(agents[a].id)] if at and at.call == calls[c].id}
    assert kept == set(won)
    assert {
        (a, c) for a, c in won for at in [floor.call(calls[c].id)] if at and at.agent == agents[a].id
    } == kept


# --- ends


def pair(floor: Floor) -> tuple[Agent, Call]:
    ann, her_call = idle(), waiting()
    floor.commit(None, ann)
    floor.commit(None, her_call)
    assert floor.claim(Pairing(place_of(ann), place_of(her_call), LOOK), at=AT).won
    return ann.claimed(her_call.id, now=AT), her_call.connected(ann.id, look_started_at=LOOK, now=AT)


def test_parting_writes_both(floor: Floor) -> None:
    ann, her_call = pair(floor)
    freed, ended = ann.freed(now=AT + 1), her_call.completed(now=AT + 1)
    floor.part((ann, freed), (her_call, ended))
    assert (floor.agent(ann.id), floor.call(her_call.id)) == (freed, ended)


def test_parting_is_refused_with_the_call_when_it_has_ended(floor: Floor) -> None:
    ann, her_call = pair(floor)
    freed, ended = ann.freed(now=AT + 1), her_call.completed(now=AT + 1)
    floor.part((ann, freed), (her_call, ended))
    with pytest.raises(Moved) as refusal:
        floor.part((ann, ann.freed(now=AT + 2)), (her_call, her_call.completed(now=AT + 2)))
    assert refusal.value.found == ended
    assert (floor.agent(ann.id), floor.call(her_call.id)) == (freed, ended)


def test_parting_is_refused_with_the_agent_when_only_that_one_moved(floor: Floor) -> None:
    ann, her_call = pair(floor)
    renamed = ann.changed("Anna", POOL, now=AT, attempt="0c")
    floor.commit(ann, renamed)
    with pytest.raises(Moved) as refusal:
        floor.part((ann, ann.freed(now=AT + 1)), (her_call, her_call.completed(now=AT + 1)))
    assert refusal.value.found == renamed
    assert (floor.agent(ann.id), floor.call(her_call.id)) == (renamed, her_call)


def test_parting_is_refused_when_one_of_them_is_not_there(floor: Floor) -> None:
    ann, her_call = agent_in(AgentStatus.ATTENDING), call_in(CallStatus.CONNECTED)
    floor.commit(None, ann)
    with pytest.raises(Moved) as refusal:
        floor.part((ann, ann.freed(now=AT)), (her_call, her_call.completed(now=AT)))
    assert refusal.value.found is None
    assert floor.agent(ann.id) == ann
    assert floor.call(her_call.id) is None
