"""The net below the looks."""

from __future__ import annotations

import pytest
from moto import mock_aws

from switchboard import staffing
from switchboard.domain.agents import AgentStatus
from switchboard.domain.calls import Call
from switchboard.domain.catalog import Queue
from switchboard.domain.skills import Profile, Requirement
from switchboard.matching import Incoming, match
from tests.support.worlds import Clock, world_on
from tests.unit.handlers.back_office import BackOffice


def test_a_pair_that_no_look_has_made_is_found_and_reported(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with mock_aws():
        office = BackOffice(monkeypatch, "sweep")
        long_ago = world_on(office.floor, clock=Clock())
        queue = Queue(Requirement.parse({"language": ["es"]}))
        call = Call.request("call-1", "app", "voice", queue.key, arrived_at=long_ago.clock())
        match(long_ago, queue, [Incoming(call)], max_queues=200)
        staffing.register(long_ago, "ana", "Ana", Profile.parse({"language": ["es"]}), max_pools=200)
        staffing.set_status(long_ago, "ana", AgentStatus.AVAILABLE)

        assert office.invoke({}) == {"found": 1}
        assert office.invoke({}) == {"found": 0}

        found = office.floor.call("call-1")
        assert found is not None
        assert found.agent == "ana"
        assert '"SweepFound":[1.0]' in capsys.readouterr().out.replace(" ", "")
