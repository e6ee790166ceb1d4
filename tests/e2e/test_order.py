"""Who gets whom: the longest idle agent, the earliest call, and what may change that."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import local
from tests.e2e.asker import Asker
from tests.e2e.floor import Floor

EXAMPLE: dict[str, Any] = json.loads(
    (Path(local.__path__[0]) / "published_example.json").read_text(encoding="utf-8")
)


def test_the_longest_idle_agent_who_serves_is_taken_first(floor: Floor) -> None:
    ana = floor.available("ana", language=["en"])
    ben = floor.available("ben", language=["en", "es"])
    floor.available("fred", language=["fr"])
    cleo = floor.available("cleo", language=["es"])
    dan = floor.available("dan", language=["es", "en"])

    calls = [floor.call(language=language) for language in ("es", "es", "en", "en")]

    assert floor.connected(*calls) == [ben, cleo, ana, dan]


def test_who_completes_a_call_stands_behind_those_who_were_idle_meanwhile(floor: Floor) -> None:
    ana, ben = floor.available("ana"), floor.available("ben")
    assert floor.connected(floor.call()) == [ana]

    floor.free_again(ana)

    assert floor.connected(floor.call(), floor.call()) == [ben, ana]


def test_an_attribute_left_out_is_a_wildcard(floor: Floor) -> None:
    remy = floor.available("remy", language=["en"], gender=["T"])
    ella = floor.available("ella", language=["fr"], gender=["F"])
    omar = floor.available("omar", language=["fr"], gender=["M"], billing=3)

    anyone, a_woman, whoever_knows_billing = (
        floor.call(),
        floor.call(gender="F"),
        floor.call(billing={"min": 2}),
    )

    assert floor.connected(anyone, a_woman, whoever_knows_billing) == [remy, ella, omar]


def test_a_call_may_need_all_of_some_values_or_any_of_them(floor: Floor) -> None:
    floor.available("ana", skills=["loans"])
    ben = floor.available("ben", skills=["loans", "tax"])
    cleo = floor.available("cleo", skills=["tax"])

    both = floor.call(skills={"all": ["tax", "loans"]})
    assert floor.connected(both) == [ben]
    assert floor.connected(floor.call(skills={"any": ["tax", "fines"]})) == [cleo]


def test_a_call_of_another_channel_is_not_for_an_agent_who_does_not_take_it(floor: Floor) -> None:
    floor.available("ana", channel=["voice"])
    ben = floor.available("ben", channel=["chat"])
    both = floor.available("cleo")

    assert floor.connected(floor.call(channel="chat"), floor.call(channel="chat")) == [ben, both]


def test_waiting_calls_of_one_queue_are_served_in_the_order_of_their_arrival(floor: Floor) -> None:
    calls = [floor.call() for _ in range(5)]
    floor.waiting(*calls)

    ana = floor.available("ana")

    served: list[str | None] = []
    for _ in calls:
        floor.connected(calls[len(served)])
        served.append(floor.agent(ana)["call"])
        floor.free_again(ana)
    assert served == calls


def test_an_agent_serves_two_queues_by_arrival_whatever_the_queue(floor: Floor) -> None:
    calls = [floor.call(language=language) for language in ("es", "en", "en", "es", "en")]
    floor.waiting(*calls)

    ana = floor.available("ana", language=["en", "es"])

    for call in calls:
        assert floor.connected(call) == [ana]
        floor.free_again(ana)


def test_a_head_start_counts_as_an_earlier_arrival_in_its_own_queue_and_others(floor: Floor) -> None:
    first, second = floor.call(language="es"), floor.call(language="en")
    floor.waiting(first, second)
    urgent = floor.call(head_start=60, language="en")
    floor.waiting(urgent)
    assert [call["position"] for call in floor.read_all((urgent, second))] == [1, 2]

    ana = floor.available("ana", language=["en", "es"])

    for call in (urgent, first, second):
        assert floor.connected(call) == [ana]
        floor.free_again(ana)


def test_a_queue_may_take_the_agent_who_came_last(floor: Floor, supervisor: Asker) -> None:
    queue = floor.read(floor.call())["queue"]
    ana = floor.available("ana")
    floor.free_again(ana)
    assert supervisor.told("GET", f"/queues/{queue}")["order"] == "longest_idle"

    settings = {"label": "Newest first", "order": "latest_idle"}
    changed = supervisor.told("PUT", f"/queues/{queue}", settings)
    assert {"key": queue, **settings}.items() <= changed.items()
    assert floor.agent(ana)["pool"] in changed["pools"]
    assert supervisor.told("GET", f"/queues/{queue}") == changed
    # A first look may trust a copy of the catalog some seconds old; a call of a new queue makes the matcher read it.
    floor.waiting(floor.call(language="none"))

    ben, cleo = floor.available("ben"), floor.available("cleo")
    assert floor.connected(*(floor.call() for _ in range(3))) == [cleo, ben, ana]


def test_the_published_example_gets_the_agents_it_expects(floor: Floor) -> None:
    """As each became available, so they do here: in that order."""
    idle = [agent for agent in EXAMPLE["agents"] if agent["status"] == "queued"]
    ids = {
        agent["name"]: floor.register(agent["id"], language=agent["languages"], gender=agent["gender"])
        for agent in EXAMPLE["agents"]
    }
    for agent in sorted(idle, key=lambda agent: agent["available_since"]):
        floor.become("available", ids[agent["name"]])
    [busy] = [agent["name"] for agent in EXAMPLE["agents"] if agent["status"] == "attendingCall"]

    for expected in EXAMPLE["expected"]:
        assert floor.connected(floor.call(**expected["call"])) == [ids[expected["agent"]]]

    assert floor.agent(ids[busy])["status"] == "offline"
    assert floor.agent(ids["Ellen"])["status"] == "available"
