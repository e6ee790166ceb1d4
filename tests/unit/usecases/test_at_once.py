"""Agents and calls that come at once, request by request in every order that chance brings: whatever it is, nobody
is paired twice, nobody who could serve stands opposite of a call that waits, and nobody is passed over."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import pytest

from switchboard import calling, staffing
from switchboard.domain.agents import AgentStatus
from switchboard.domain.calls import CallStatus
from switchboard.domain.refusals import Contention
from switchboard.matching import sweep
from switchboard.world import World
from tests.unit.usecases.scene import APP, BOTH, FRENCH, SPANISH, Data, Scene
from tests.unit.usecases.turns import Turns, Work

SEEDS = range(150)


@dataclass
class Rush:
    """`waited`: calls who are in line from the start. `came`: agents who come while everything happens."""

    scene: Scene = field(default_factory=Scene)
    waited: list[str] = field(default_factory=list[str])
    came: list[str] = field(default_factory=list[str])
    calls: list[str] = field(default_factory=list[str])
    agents: list[str] = field(default_factory=list[str])

    def world(self, hook: Callable[[str], None]) -> World:
        return self.scene.disturbed(before=hook)

    def waits(self, call_id: str, requirement: Data) -> None:
        self.scene.waits(call_id, requirement)
        self.waited.append(call_id)
        self.calls.append(call_id)

    def idles(self, agent_id: str, profile: Data) -> None:
        self.scene.idle(agent_id, profile)
        self.agents.append(agent_id)

    def agent_comes(self, agent_id: str, profile: Data) -> Work:
        """Into line, and then the look that the stream sets off."""
        self.scene.away(agent_id, profile)
        self.came.append(agent_id)
        self.agents.append(agent_id)

        def work(hook: Callable[[str], None]) -> None:
            world = self.world(hook)
            staffing.set_status(world, agent_id, AgentStatus.AVAILABLE)
            if self.scene.agent(agent_id).entry:
                self.scene.look(agent_id, world)

        return work

    def agent_leaves(self, agent_id: str) -> Work:
        return lambda hook: staffing.set_status(self.world(hook), agent_id, AgentStatus.OFFLINE)

    def calls_come(self, *call_ids: str, requirement: Data) -> Work:
        """A batch of the matcher."""
        self.scene.knows_queues(requirement)
        calls = [self.scene.call_of(call_id, requirement) for call_id in call_ids]
        for call in calls:
            self.scene.floor.commit(None, call)
            self.calls.append(call.id)
        return lambda hook: self.scene.match(*calls, requirement=requirement, world=self.world(hook))

    def hangs_up(self, call_id: str) -> Work:
        return lambda hook: calling.hang_up(self.world(hook), APP, call_id)

    def completes(self, call_id: str, agent_id: str) -> Work:
        """And becomes available again at once."""
        self.came.append(agent_id)

        def work(hook: Callable[[str], None]) -> None:
            world = self.world(hook)
            calling.complete(world, call_id, agent_id=agent_id)
            staffing.set_status(world, agent_id, AgentStatus.AVAILABLE)
            if self.scene.agent(agent_id).entry:
                self.scene.look(agent_id, world)

        return work

    def passed_over(self) -> list[str]:
        """Who was in line from the start and still is, while somebody later was served instead.

        By an agent of the same queue; and by an agent who came just now, of any queue that agent serves.
        """
        catalog = self.scene.world.catalog.fresh()
        calls = [self.scene.call(call_id) for call_id in self.calls]
        left = [call for call in calls if call.id in self.waited and call.status is CallStatus.WAITING]
        found: list[str] = []
        for taken in (call for call in calls if call.status is CallStatus.CONNECTED):
            agent = self.scene.agent(taken.agent or "")
            served = {queue.key for queue in catalog.queues_served_by(agent.pool)}
            for one in left:
                queues = served if agent.id in self.came else {taken.queue} & served
                if one.queue in queues and one.place < taken.place:
                    found.append(f"{one.id} was passed over when {agent.id} took {taken.id}")
        return found


def story_of_two_sides(rush: Rush) -> list[Work]:
    """The classical one: both come at once, and neither may miss the other."""
    return [rush.agent_comes("ann", SPANISH), rush.calls_come("call", requirement=SPANISH)]


def story_of_two_calls_and_an_agent(rush: Rush) -> list[Work]:
    return [
        rush.agent_comes("ann", BOTH),
        rush.calls_come("spanish", requirement=SPANISH),
        rush.calls_come("french", requirement=FRENCH),
    ]


def story_of_two_agents_and_a_call(rush: Rush) -> list[Work]:
    return [
        rush.agent_comes("ann", BOTH),
        rush.agent_comes("bea", SPANISH),
        rush.calls_come("call", requirement=SPANISH),
    ]


def story_of_those_who_wait(rush: Rush) -> list[Work]:
    rush.waits("waits-french", FRENCH)
    rush.waits("waits-spanish", SPANISH)
    rush.scene.later(5)
    return [
        rush.agent_comes("ann", BOTH),
        rush.agent_comes("bea", SPANISH),
        rush.calls_come("new-1", "new-2", requirement=SPANISH),
        rush.calls_come("new-french", requirement=FRENCH),
    ]


def story_of_leaving(rush: Rush) -> list[Work]:
    rush.waits("waits-french", FRENCH)
    rush.idles("ann", SPANISH)
    rush.idles("bea", SPANISH)
    rush.scene.later()
    return [
        rush.agent_leaves("ann"),
        rush.calls_come("new-1", "new-2", requirement=SPANISH),
        rush.agent_comes("cy", BOTH),
        rush.hangs_up("waits-french"),
        rush.hangs_up("new-1"),
    ]


def story_of_many_matchers(rush: Rush) -> list[Work]:
    for agent_id in ("ann", "bea", "cy", "dan"):
        rush.idles(agent_id, BOTH)
    rush.scene.later()
    return [
        rush.calls_come("s-1", "s-2", requirement=SPANISH),
        rush.calls_come("f-1", "f-2", requirement=FRENCH),
        rush.calls_come("any-1", "any-2", requirement={}),
    ]


def story_of_becoming_free(rush: Rush) -> list[Work]:
    rush.idles("ann", BOTH)
    rush.scene.match("talk")
    rush.calls.append("talk")
    rush.waits("waits-french", FRENCH)
    return [
        rush.completes("talk", "ann"),
        rush.hangs_up("talk"),
        rush.calls_come("new", requirement=SPANISH),
        rush.agent_comes("bea", SPANISH),
    ]


def story_of_a_sweep(rush: Rush) -> list[Work]:
    rush.waits("waits-spanish", SPANISH)
    rush.idles("ann", BOTH)
    rush.scene.later()
    return [
        lambda hook: sweep(rush.world(hook)),
        rush.calls_come("new", requirement=FRENCH),
        rush.agent_comes("bea", BOTH),
    ]


STORIES = [
    story_of_two_sides,
    story_of_two_calls_and_an_agent,
    story_of_two_agents_and_a_call,
    story_of_those_who_wait,
    story_of_leaving,
    story_of_many_matchers,
    story_of_becoming_free,
    story_of_a_sweep,
]


@pytest.mark.parametrize("story", STORIES, ids=lambda story: story.__name__.removeprefix("story_of_"))
def test_in_whatever_order_requests_come_no_promise_breaks(story: Callable[[Rush], list[Work]]) -> None:
    ends: set[tuple[tuple[str, str | None], ...]] = set()
    for seed in SEEDS:
        rush = Rush()
        Turns(seed).run(story(rush))
        broken = rush.scene.broken_promises(rush.agents, rush.calls) + rush.passed_over()
        assert not broken, f"seed {seed}: {broken}"
        ends.add(tuple((call_id, rush.scene.served_by(call_id)) for call_id in rush.calls))
    assert ends


def test_different_orders_lead_to_different_ends() -> None:
    """The turns are real: with one and the same order each time, the test above would show little."""
    ends: set[str | None] = set()
    for seed in SEEDS:
        rush = Rush()
        Turns(seed).run(story_of_two_agents_and_a_call(rush))
        ends.add(rush.scene.served_by("call"))
    assert ends == {"ann", "bea"}


def test_turns_of_a_seed_are_the_same_each_time() -> None:
    def taken(seed: int) -> list[tuple[str, str]]:
        rush = Rush()
        requests: list[tuple[str, str]] = []
        works = story_of_those_who_wait(rush)

        def noted(name: str, work: Work) -> Work:
            def with_notes(hook: Callable[[str], None]) -> object:
                return work(lambda request: (requests.append((name, request)), hook(request))[1])

            return with_notes

        Turns(seed).run([noted(str(number), work) for number, work in enumerate(works)])
        return requests

    assert taken(1) == taken(1)
    assert taken(1) != taken(2)


def test_what_goes_wrong_in_a_turn_is_raised() -> None:
    def fails(hook: Callable[[str], None]) -> None:
        hook("request")
        raise ZeroDivisionError

    def is_refused(hook: Callable[[str], None]) -> None:
        hook("request")
        raise Contention("others are here")

    Turns(0).run([is_refused, is_refused])
    with pytest.raises(ZeroDivisionError):
        Turns(0).run([is_refused, fails])
