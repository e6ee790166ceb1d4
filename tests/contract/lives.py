"""Agents and calls in every state that their life cycles can bring them to."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence

from hypothesis import strategies as st

from switchboard.domain.agents import Agent, AgentStatus
from switchboard.domain.calls import Call, CallStatus
from switchboard.domain.lines import Entry
from switchboard.domain.refusals import IllegalMove
from switchboard.domain.texts import fingerprint
from switchboard.ports import Floor

ENDED_CALL_DAYS = 21
NOW = 1_766_000_000_000_000
POOL, OTHER_POOL = fingerprint("a pool"), fingerprint("another pool")
QUEUE, OTHER_QUEUE = fingerprint("a queue"), fingerprint("another queue")

ID_CHARACTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-"
ids = st.text(ID_CHARACTERS, min_size=1, max_size=64)
names = st.text(st.characters(exclude_categories=("Cc", "Cs", "Co", "Cn")), min_size=1, max_size=128)
attempts = st.integers(0, 2**40 - 1).map(lambda bits: f"{bits:010x}")
times = st.integers(NOW, NOW + 10**12)

_numbers = itertools.count()


def new_id(prefix: str = "") -> str:
    """An id that no other agent or call of this process has."""
    return f"{next(_numbers)}-{prefix}"[:64]


def agent(agent_id: str | None = None, *, pool: str = POOL, now: int = NOW) -> Agent:
    """Just registered."""
    return Agent.register(agent_id or new_id("agent"), "Ann", pool, now=now)


def idle(agent_id: str | None = None, *, pool: str = POOL, now: int = NOW, attempt: str = "0a") -> Agent:
    return agent(agent_id, pool=pool, now=now).available(now=now, attempt=attempt)


def call(call_id: str | None = None, *, queue: str = QUEUE, arrived_at: int = NOW) -> Call:
    """Just requested."""
    return Call.request(
        call_id or new_id("call"), "app", "voice", queue, arrived_at=arrived_at, head_start=7, body="body"
    )


def waiting(call_id: str | None = None, *, queue: str = QUEUE, now: int = NOW, attempt: str = "0b") -> Call:
    return call(call_id, queue=queue, arrived_at=now).waiting(now=now, attempt=attempt)


def place_of(owner: Agent | Call) -> Entry:
    """The entry of somebody who is in line."""
    assert owner.entry is not None
    return owner.entry


def keep(floor: Floor, *owners: Agent | Call) -> None:
    """Have them there as they are; nobody by their ids may be there yet."""
    for owner in owners:
        if isinstance(owner, Agent):
            floor.commit(None, owner)
        else:
            floor.commit(None, owner)


type AgentStep = Callable[[Agent, int], Agent]
type CallStep = Callable[[Call, int], Call]

AGENT_STEPS: Sequence[AgentStep] = [
    lambda agent, now: agent.available(now=now, attempt="00000000aa"),
    lambda agent, now: agent.available(now=now, attempt="00000000bb"),
    lambda agent, now: agent.away(now=now),
    lambda agent, now: agent.offline(now=now),
    lambda agent, now: agent.claimed("the-call", now=now),
    lambda agent, now: agent.freed(now=now),
    lambda agent, now: agent.changed("Änn 🎧", agent.pool, now=now, attempt="00000000cc"),
    lambda agent, now: agent.changed("Ann", OTHER_POOL, now=now, attempt="00000000dd"),
]
CALL_STEPS: Sequence[CallStep] = [
    lambda call, now: call.waiting(now=now, attempt="00000000ee"),
    lambda call, now: call.connected("the-agent", look_started_at=now - 1, now=now),
    lambda call, now: call.completed(now=now),
    lambda call, now: call.abandoned(now=now),
]


def _life[T: (Agent, Call)](
    first: T, steps: Sequence[Callable[[T, int], T]], times: Sequence[int]
) -> list[T]:
    """The states that the legal ones of these steps lead through."""
    states = [first]
    for step, now in zip(steps, times, strict=False):
        try:
            states.append(step(states[-1], now))
        except IllegalMove:
            continue
    return states


@st.composite
def agent_lives(draw: st.DrawFn) -> list[Agent]:
    first = Agent.register(
        new_id(draw(ids)), draw(names), draw(st.sampled_from([POOL, OTHER_POOL])), now=draw(times)
    )
    steps = draw(st.lists(st.sampled_from(AGENT_STEPS), max_size=6))
    return _life(first, steps, sorted(draw(st.lists(times, min_size=6, max_size=6))))


@st.composite
def call_lives(draw: st.DrawFn) -> list[Call]:
    first = Call.request(
        new_id(draw(ids)),
        draw(names),
        draw(ids),
        draw(st.sampled_from([QUEUE, OTHER_QUEUE])),
        arrived_at=draw(times),
        head_start=draw(st.integers(0, 100_000)),
        body=draw(st.just("") | ids),
    )
    steps = draw(st.lists(st.sampled_from(CALL_STEPS), max_size=4))
    return _life(first, steps, sorted(draw(st.lists(times, min_size=4, max_size=4))))


def agent_in(status: AgentStatus) -> Agent:
    """One who has come to this status by the shortest way."""
    registered = agent()
    match status:
        case AgentStatus.OFFLINE:
            return registered
        case AgentStatus.AWAY:
            return registered.away(now=NOW)
        case AgentStatus.AVAILABLE:
            return registered.available(now=NOW, attempt="0a")
        case AgentStatus.ATTENDING:
            return agent_in(AgentStatus.AVAILABLE).claimed("a-call", now=NOW + 1)
        case AgentStatus.WRAP_UP:
            return agent_in(AgentStatus.ATTENDING).freed(now=NOW + 2)


def call_in(status: CallStatus) -> Call:
    requested = call()
    match status:
        case CallStatus.REQUESTED:
            return requested
        case CallStatus.WAITING:
            return requested.waiting(now=NOW, attempt="0b")
        case CallStatus.CONNECTED:
            return call_in(CallStatus.WAITING).connected("an-agent", look_started_at=NOW, now=NOW + 1)
        case CallStatus.COMPLETED:
            return call_in(CallStatus.CONNECTED).completed(now=NOW + 2)
        case CallStatus.ABANDONED:
            return call_in(CallStatus.WAITING).abandoned(now=NOW + 1)
