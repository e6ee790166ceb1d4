"""The stream's consumer: each agent who came into line is looked for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from moto import mock_aws

from switchboard import staffing
from switchboard.adapters.items import agent_item, marshal
from switchboard.claiming import Match
from switchboard.domain.agents import Agent, AgentStatus
from switchboard.domain.calls import Call, CallStatus
from switchboard.domain.catalog import Queue
from switchboard.domain.refusals import Contention
from switchboard.domain.skills import Profile, Requirement
from switchboard.matching import Incoming, match
from tests.unit.handlers.back_office import BackOffice

SPANISH = Queue(Requirement.parse({"language": ["es"], "channel": ["voice"]}))


@pytest.fixture
def office(monkeypatch: pytest.MonkeyPatch) -> Iterator[BackOffice]:
    with mock_aws():
        yield BackOffice(monkeypatch, "look")


def comes(office: BackOffice, agent_id: str) -> Agent:
    profile = Profile.parse({"language": ["es"], "channel": ["voice"]})
    staffing.register(office.world, agent_id, agent_id, profile, max_pools=200)
    return staffing.set_status(office.world, agent_id, AgentStatus.AVAILABLE)


def waits(office: BackOffice, call_id: str) -> None:
    call = Call.request(call_id, "app", "voice", SPANISH.key, arrived_at=office.world.clock())
    match(office.world, SPANISH, [Incoming(call)], max_queues=200)


def record(agent: Agent, number: int) -> dict[str, Any]:
    return {"dynamodb": {"NewImage": marshal(agent_item(agent)), "SequenceNumber": str(number)}}


def test_an_agent_who_came_gets_the_call_that_waits(office: BackOffice) -> None:
    waits(office, "call-1")
    ana = comes(office, "ana")

    assert office.invoke({"Records": [record(ana, 1)]}) == {"batchItemFailures": []}

    call = office.floor.call("call-1")
    assert call is not None
    assert (call.status, call.agent) == (CallStatus.CONNECTED, "ana")


def test_an_agent_who_has_left_again_gets_nobody(office: BackOffice) -> None:
    waits(office, "call-1")
    ana = comes(office, "ana")
    staffing.set_status(office.world, "ana", AgentStatus.AWAY)

    assert office.invoke({"Records": [record(ana, 1)]}) == {"batchItemFailures": []}

    call = office.floor.call("call-1")
    assert call is not None
    assert call.status is CallStatus.WAITING


@pytest.mark.parametrize("trouble", [Contention("others"), KeyError("a defect")])
def test_a_look_that_fails_comes_again_and_holds_up_nobody(
    office: BackOffice, monkeypatch: pytest.MonkeyPatch, trouble: Exception
) -> None:
    waits(office, "call-1")
    ana, bob = comes(office, "ana"), comes(office, "bob")
    real = office.module.look_for_call

    def look_for_call(world: Any, entry: Any) -> Match | None:
        if entry.owner == "ana":
            raise trouble
        return real(world, entry)

    monkeypatch.setattr(office.module, "look_for_call", look_for_call)

    answer = office.invoke({"Records": [record(ana, 1), record(bob, 2)]})

    assert answer == {"batchItemFailures": [{"itemIdentifier": "1"}]}
    call = office.floor.call("call-1")
    assert call is not None
    assert call.agent == "bob"
