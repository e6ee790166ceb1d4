"""Many at once, on the deployed stack: nobody is served twice, nobody is lost, everybody is served in the end."""

from __future__ import annotations

import random
import threading
from concurrent.futures import ThreadPoolExecutor

from tests.e2e.asker import PATIENCE, eventually
from tests.e2e.backstage import Backstage
from tests.e2e.floor import Floor
from tests.e2e.promises import broken_promises, served_twice_at_once

AGENTS, CALLS, CALLERS, DESKS = 10, 30, 8, 4
LANGUAGES = ("en", "es", "fr")


def test_thirty_calls_and_ten_agents_who_come_at_once_are_all_served_and_nobody_twice(
    floor: Floor, backstage: Backstage
) -> None:
    agents = [floor.register(f"agent{n}", language=[LANGUAGES[n % 3], "en"]) for n in range(AGENTS)]
    over = threading.Event()

    def serve(some: list[str]) -> None:
        """Completes whatever they attend, and has them back in line."""
        while not over.wait(0.05):
            for agent in some:
                if call := floor.agent(agent)["call"]:
                    floor.complete(call)
                    floor.become("available", agent)

    def call(n: int) -> str:
        return floor.call(language=random.Random(n).choice(LANGUAGES))

    with ThreadPoolExecutor(CALLERS + DESKS) as threads:
        desks = [threads.submit(serve, agents[n::DESKS]) for n in range(DESKS)]
        try:
            coming = threads.submit(floor.become, "available", *agents)
            calls = list(threads.map(call, range(CALLS)))
            coming.result()
            all_ended(floor, calls)
        finally:
            over.set()
        for desk in desks:
            desk.result()

    ended = floor.read_all(calls)
    assert len({call["id"] for call in ended}) == CALLS
    assert {call["status"] for call in ended} == {"completed"}
    assert {call["agent"] for call in ended} <= set(agents)
    assert served_twice_at_once(ended) == []
    assert broken_promises(backstage.quiet_table()) == []
    assert {floor.agent(agent)["status"] for agent in agents} == {"available"}


def test_more_callers_than_agents_leave_the_others_in_line_in_order(
    floor: Floor, backstage: Backstage
) -> None:
    with ThreadPoolExecutor(CALLERS) as threads:
        agents = list(threads.map(floor.available, [f"agent{n}" for n in range(4)]))
        asked = [threads.submit(floor.call) for _ in range(12)]
    calls = [one.result() for one in asked]
    eventually(lambda: statuses(floor, calls), lambda seen: seen == ["connected"] * 4 + ["waiting"] * 8)

    everyone = floor.read_all(calls)
    assert {call["agent"] for call in everyone if call["agent"]} == set(agents)
    waiting = sorted((call for call in everyone if call["position"]), key=lambda call: call["arrived_at"])
    assert [call["position"] for call in waiting] == list(range(1, 9))
    assert broken_promises(backstage.quiet_table()) == []


def statuses(floor: Floor, calls: list[str]) -> list[str]:
    return sorted(call["status"] for call in floor.read_all(calls))


def all_ended(floor: Floor, calls: list[str]) -> None:
    """Returns once all are completed."""
    for call in calls:
        floor.once("completed", call, within=3 * PATIENCE)
