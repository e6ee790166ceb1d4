"""Claims: turning one idle agent and one call into a pair, and what to do when another was quicker."""

from __future__ import annotations

from dataclasses import dataclass

from switchboard.domain.agents import AgentStatus
from switchboard.domain.calls import Call
from switchboard.domain.lines import Entry, Owner, Standing, standing
from switchboard.patience import patiently
from switchboard.ports import Outcome, Pairing
from switchboard.world import Event, World


@dataclass(frozen=True, slots=True)
class Match:
    """A pair that a claim made."""

    agent_id: str
    call_id: str


def claim(world: World, candidate: Entry, call: Entry | Call, *, look_started_at: int) -> Outcome:
    """Try to pair the two; whichever entry turns out to be used up or dead is deleted.

    Raises Contention when others kept holding one of the two items: then nobody knows who won, and passing on to
    the next call could pass over one that is still waiting.
    """
    pairing = Pairing(candidate, call, look_started_at)

    def attempt() -> Outcome:
        return world.floor.claim(pairing, at=world.clock())

    outcome = patiently(world, attempt)
    if _is_ours(pairing, outcome):
        outcome = Outcome(won=True)
    world.tally(Event.MATCHED if outcome.won else Event.CLAIM_LOST)
    _clean_up(world, pairing, outcome)
    return outcome


def _is_ours(pairing: Pairing, outcome: Outcome) -> bool:
    """Whether the pair was made by this very claim: its first answer was lost, and the client sent it again."""
    agent, call = outcome.agent, outcome.call
    return (
        agent is not None
        and call is not None
        and (agent.call, call.agent) == (call.id, agent.id)
        and call.look_started_at == pairing.look_started_at
    )


def was_quicker(candidate: Entry, outcome: Outcome) -> bool:
    """Whether the candidate was lost to another look, rather than to an entry left behind by a crash."""
    agent = outcome.agent
    return agent is not None and agent.status is AgentStatus.ATTENDING and agent.epoch == candidate.epoch + 1


def _clean_up(world: World, pairing: Pairing, outcome: Outcome) -> None:
    over: list[Entry] = []
    if outcome.won or (outcome.agent_gone and _is_dead(world, pairing.agent, outcome.agent)):
        over.append(pairing.agent)
    if isinstance(pairing.call, Entry) and (
        outcome.won or (outcome.call_gone and _is_dead(world, pairing.call, outcome.call))
    ):
        over.append(pairing.call)
    if over:
        world.floor.clear(over)
    if not outcome.won:
        for _ in over:
            world.tally(Event.DEAD_ENTRY)


def _is_dead(world: World, entry: Entry, owner: Owner | None) -> bool:
    match standing(entry, owner):
        case Standing.LIVE:
            return False
        case Standing.DEAD:
            return True
        case Standing.JOINING:
            return world.clock() - entry.joined_at > world.join_grace
