"""A floor where one thing happens after the other does what a list of idle agents and a list of calls would do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from hypothesis import given, settings
from hypothesis import strategies as st

from switchboard import arranging, calling, staffing
from switchboard.domain.agents import AgentStatus
from switchboard.domain.catalog import Order, Queue
from switchboard.domain.skills import Profile, Requirement, serves
from switchboard.matching import Nobody
from tests.unit.usecases.scene import APP, Data, Scene

PROFILES: Sequence[Data] = (
    {"language": ["es"]},
    {"language": ["es", "fr"]},
    {"language": ["fr"], "billing": 3},
    {"language": ["es", "fr"], "billing": 5},
)
REQUIREMENTS: Sequence[Data] = (
    {},
    {"language": ["es"]},
    {"language": ["fr"]},
    {"language": {"all": ["es", "fr"]}},
    {"billing": {"min": 4}},
)
AGENTS = [f"agent-{number}" for number in range(6)]


@dataclass
class Model:
    """Who is idle since when, and who waits at which place."""

    orders: Sequence[Order]
    idle: dict[str, int] = field(default_factory=dict[str, int])
    waiting: dict[str, tuple[tuple[int, str], int]] = field(
        default_factory=dict[str, tuple[tuple[int, str], int]]
    )
    attending: dict[str, str] = field(default_factory=dict[str, str])

    def serves(self, agent: str, queue: int) -> bool:
        profile = Profile.parse(PROFILES[AGENTS.index(agent) % len(PROFILES)])
        return serves(profile, Requirement.parse(REQUIREMENTS[queue]))

    def agent_comes(self, agent: str, since: int) -> None:
        served = [(place, call) for call, (place, queue) in self.waiting.items() if self.serves(agent, queue)]
        if served:
            _, call = min(served)
            self.attending[agent] = call
            del self.waiting[call]
        else:
            self.idle[agent] = since

    def call_comes(self, call: str, place: tuple[int, str], queue: int) -> None:
        sign = -1 if self.orders[queue] is Order.LATEST_IDLE else 1
        able = [(sign * since, agent) for agent, since in self.idle.items() if self.serves(agent, queue)]
        if able:
            _, agent = min(able)
            self.attending[agent] = call
            del self.idle[agent]
        else:
            self.waiting[call] = (place, queue)


@dataclass
class Floor:
    """The real one, and the model beside it."""

    orders: Sequence[Order]
    scene: Scene = field(default_factory=Scene)

    def __post_init__(self) -> None:
        self.model = Model(self.orders)
        self.calls: list[str] = []
        for number, agent in enumerate(AGENTS):
            self.scene.registered(agent, PROFILES[number % len(PROFILES)])
        self.scene.knows_queues(*REQUIREMENTS)
        for requirement, order in zip(REQUIREMENTS, self.orders, strict=True):
            key = Queue(Requirement.parse(requirement)).key
            arranging.arrange(self.scene.world, key, label=None, order=order)

    def agent(self, number: int) -> None:
        """The next thing this agent can do: come, leave, or finish the call."""
        agent_id = AGENTS[number]
        match self.scene.agent(agent_id).status:
            case AgentStatus.AVAILABLE:
                staffing.set_status(self.scene.world, agent_id, AgentStatus.AWAY)
                del self.model.idle[agent_id]
            case AgentStatus.ATTENDING:
                calling.complete(self.scene.world, self.model.attending.pop(agent_id), agent_id=agent_id)
            case _:
                came = staffing.set_status(self.scene.world, agent_id, AgentStatus.AVAILABLE)
                assert came.entry
                self.model.agent_comes(agent_id, came.entry.time)
                found = self.scene.look(agent_id)
                assert isinstance(found, Nobody) == (agent_id in self.model.idle)

    def call(self, queue: int, head_start: int) -> None:
        call = self.scene.call_of(f"call-{len(self.calls):03}", REQUIREMENTS[queue], head_start=head_start)
        self.calls.append(call.id)
        self.model.call_comes(call.id, call.place, queue)
        self.scene.match(call, requirement=REQUIREMENTS[queue])

    def hang_up(self, number: int) -> None:
        if self.calls:
            call_id = self.calls[number % len(self.calls)]
            calling.hang_up(self.scene.world, APP, call_id)
            self.model.waiting.pop(call_id, None)
            self.model.attending = {a: c for a, c in self.model.attending.items() if c != call_id}

    def crash(self, number: int) -> None:
        """Something ended halfway long ago, and left an entry behind in a line."""
        requirement, profile = REQUIREMENTS[number % 5], PROFILES[number % 4]
        leave_behind = [
            lambda: self.scene.dead_call_entry(f"gone-{self.scene.clock()}", requirement),
            lambda: self.scene.dead_agent_entry(f"left-{self.scene.clock()}", profile),
            lambda: self.scene.joining_call_entry(f"half-in-{self.scene.clock()}", requirement),
            lambda: self.scene.joining_agent_entry(f"half-here-{self.scene.clock()}", profile),
        ]
        leave_behind[number % 4]()
        self.scene.later(61)

    def agrees(self) -> bool:
        attending = {
            agent: found.call
            for agent in AGENTS
            if (found := self.scene.agent(agent)).status is AgentStatus.ATTENDING
        }
        idle = {agent for agent in AGENTS if self.scene.agent(agent).entry}
        waiting = {call for call in self.calls if self.scene.call(call).entry}
        assert attending == self.model.attending
        assert idle == set(self.model.idle)
        assert waiting == set(self.model.waiting)
        return True


happenings = st.one_of(
    st.tuples(st.just("agent"), st.integers(0, len(AGENTS) - 1)),
    st.tuples(st.just("call"), st.integers(0, len(REQUIREMENTS) - 1), st.sampled_from([0, 0, 0, 40])),
    st.tuples(st.just("hang_up"), st.integers(0, 50)),
    st.tuples(st.just("crash"), st.integers(0, 19)),
)
pauses = st.sampled_from([0.0, 1.0, 30.0])


@settings(max_examples=120, deadline=None)
@given(
    orders=st.lists(st.sampled_from(Order), min_size=len(REQUIREMENTS), max_size=len(REQUIREMENTS)),
    story=st.lists(st.tuples(happenings, pauses), max_size=40),
)
def test_one_after_the_other_everybody_gets_whom_the_model_says(
    orders: list[Order], story: list[tuple[tuple[str, int] | tuple[str, int, int], float]]
) -> None:
    floor = Floor(orders)
    for (what, *arguments), pause in story:
        getattr(floor, what)(*arguments)
        assert floor.agrees()
        floor.scene.later(pause)
