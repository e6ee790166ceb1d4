"""The matcher's batch: what is acknowledged, what comes again, what is buried."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from moto import mock_aws

from switchboard import staffing
from switchboard.domain.agents import AgentStatus
from switchboard.domain.calls import CallStatus
from switchboard.domain.refusals import Contention
from switchboard.domain.skills import Profile
from switchboard.ports import Unavailable
from tests.unit.handlers.back_office import BackOffice

SPANISH = {"requirement": {"language": ["es"]}}


@pytest.fixture
def office(monkeypatch: pytest.MonkeyPatch) -> Iterator[BackOffice]:
    with mock_aws():
        yield BackOffice(monkeypatch, "match_calls")


def available(office: BackOffice, agent_id: str, *languages: str) -> None:
    profile = Profile.parse({"language": list(languages), "channel": ["voice"]})
    staffing.register(office.world, agent_id, agent_id, profile, max_pools=200)
    staffing.set_status(office.world, agent_id, AgentStatus.AVAILABLE)


def fill_catalog(office: BackOffice) -> None:
    """As many queues as there may be; one after the other, for moto's transactions are none between threads."""
    for language in ("aa", "bb", "cc"):
        office.send({"requirement": {"language": [language]}}, group=language)
        assert again(office.invoke(office.received())) == []


def again(answer: dict[str, Any]) -> list[str]:
    return [failure["itemIdentifier"] for failure in answer["batchItemFailures"]]


def test_a_call_sent_straight_to_the_queue_is_matched_and_acknowledged(office: BackOffice) -> None:
    available(office, "ana", "es")
    message_id = office.send(SPANISH)
    event = office.received()

    assert again(office.invoke(event)) == []

    call = office.floor.call(message_id)
    assert call is not None
    assert (call.status, call.agent, call.client) == (CallStatus.CONNECTED, "ana", "queue")
    assert call.arrived_at == int(event["Records"][0]["attributes"]["SentTimestamp"]) * 1000


def test_a_call_that_nobody_can_serve_waits_and_is_acknowledged(office: BackOffice) -> None:
    message_id = office.send(SPANISH)

    assert again(office.invoke(office.received())) == []

    call = office.floor.call(message_id)
    assert call is not None
    assert call.status is CallStatus.WAITING


@pytest.mark.parametrize(
    ("body", "error_class", "reason"),
    [
        ("not json", "Invalid", "message: is not JSON"),
        ({"requirement": {"language": []}}, "Invalid", "requirement.language: must have 1 to 50 values"),
        ({**SPANISH, "priority": 1}, "Invalid", "priority: is not a field of a call"),
    ],
)
def test_a_poison_message_is_buried_with_its_reason_and_holds_up_nobody(
    office: BackOffice, body: object, error_class: str, reason: str
) -> None:
    first, poison, last = office.send(SPANISH), office.send(body), office.send({**SPANISH, "client": "x"})

    assert again(office.invoke(office.received())) == []

    (dead,) = office.dead()
    attributes = {name: value["StringValue"] for name, value in dead["MessageAttributes"].items()}
    assert attributes["error_class"] == error_class
    assert attributes["reason"].startswith(reason)
    assert int(attributes["arrived_at"]) > 0
    assert dead["Attributes"]["MessageGroupId"] == poison
    for good in (first, last):
        call = office.floor.call(good)
        assert call is not None
        assert call.status is CallStatus.WAITING


def test_one_queue_too_many_is_buried_under_the_id_of_its_call(office: BackOffice) -> None:
    fill_catalog(office)
    office.send({"id": "call-4", "requirement": {"language": ["dd"]}})

    assert again(office.invoke(office.received())) == []

    (dead,) = office.dead()
    assert dead["MessageAttributes"]["error_class"]["StringValue"] == "CatalogFull"
    assert dead["Attributes"]["MessageGroupId"] == "call-4"


@pytest.mark.parametrize("trouble", [Contention("others"), Unavailable("no answer"), KeyError("a defect")])
def test_what_fails_in_passing_comes_again_soon_with_all_that_stands_behind_it(
    office: BackOffice, monkeypatch: pytest.MonkeyPatch, trouble: Exception
) -> None:
    real = office.module.match

    def match(world: Any, queue: Any, incoming: Any, *, max_queues: int) -> Any:
        if "fr" in queue.requirement.text:
            raise trouble
        return real(world, queue, incoming, max_queues=max_queues)

    monkeypatch.setattr(office.module, "match", match)
    before = office.send(SPANISH, group="one")
    failing = office.send({"requirement": {"language": ["fr"]}}, group="one")
    behind = office.send({**SPANISH, "client": "x"}, group="one")
    other = office.send({**SPANISH, "client": "y"}, group="two")

    assert again(office.invoke(office.received())) == [failing, behind]

    assert office.floor.call(before) is not None
    assert office.floor.call(other) is not None
    assert office.floor.call(failing) is None


def test_what_cannot_even_be_buried_comes_again_and_holds_up_no_other(
    office: BackOffice, monkeypatch: pytest.MonkeyPatch
) -> None:
    def bury(*_: object) -> None:
        raise Unavailable("no answer")

    monkeypatch.setattr(office.module.queues, "bury", bury)
    fill_catalog(office)
    one_too_many = office.send({"requirement": {"language": ["dd"]}}, group="dd")
    poison = office.send("not json", group="ee")
    good = office.send({"requirement": {"language": ["aa"]}, "client": "x"}, group="ff")

    assert set(again(office.invoke(office.received()))) == {one_too_many, poison}

    assert office.floor.call(good) is not None


def test_a_defect_in_one_call_holds_up_no_other_of_its_queue(
    office: BackOffice, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = office.module.match

    def match(world: Any, queue: Any, incoming: Any, *, max_queues: int) -> Any:
        if any(one.call.client == "strange" for one in incoming):
            raise KeyError("a defect")
        return real(world, queue, incoming, max_queues=max_queues)

    monkeypatch.setattr(office.module, "match", match)
    good, strange = office.send(SPANISH, group="a"), office.send({**SPANISH, "client": "strange"}, group="b")

    assert again(office.invoke(office.received())) == [strange]

    assert office.floor.call(good) is not None


def test_a_message_that_comes_again_does_only_what_is_left_to_do(office: BackOffice) -> None:
    available(office, "ana", "es")
    message_id = office.send(SPANISH)
    event = office.received()
    office.invoke(event)
    served = office.floor.call(message_id)
    event["Records"][0]["attributes"]["ApproximateReceiveCount"] = "2"

    assert again(office.invoke(event)) == []

    assert office.floor.call(message_id) == served
