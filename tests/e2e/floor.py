"""A floor for one test: agents and calls of one team, whom no other test's agents serve."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, TypedDict

from tests.e2e.asker import PATIENCE, Asker, eventually


class AgentAnswer(TypedDict):
    """As GET /agents/{id} tells it."""

    id: str
    name: str
    status: str
    status_since: str
    idle_since: str | None
    profile: dict[str, Any]
    pool: str
    call: str | None
    last_call: str | None
    registered_at: str


class CallAnswer(TypedDict):
    """As GET /calls/{id} tells it."""

    id: str
    status: str
    position: int | None
    position_is_at_least: bool
    channel: str
    requirement: dict[str, Any] | None
    queue: str
    head_start_seconds: int
    arrived_at: str
    effective_arrival_at: str
    waiting_since: str | None
    look_started_at: str | None
    connected_at: str | None
    ended_at: str | None
    agent: str | None


@dataclass(frozen=True, slots=True)
class Floor:
    """Skills and needs are written as keywords: `language=["es"]`."""

    supervisor: Asker
    caller: Asker
    team: str

    # --- agents

    def register(self, name: str, **skills: object) -> str:
        """An agent who is offline; the id is the team and the name."""
        agent_id = f"{self.team}-{name}"
        body = {"name": name.title(), "profile": {"team": self.team, **skills}}
        assert self.supervisor.send("PUT", f"/agents/{agent_id}", body).status_code in (200, 201)
        return agent_id

    def available(self, name: str, **skills: object) -> str:
        """An agent who stands in line; answers the id."""
        agent_id = self.register(name, **skills)
        self.become("available", agent_id)
        return agent_id

    def become(self, status: str, *agent_ids: str) -> None:
        """One after the other."""
        for agent_id in agent_ids:
            self.supervisor.told("PUT", f"/agents/{agent_id}/status", {"status": status})

    def agent(self, agent_id: str) -> AgentAnswer:
        return self.supervisor.told("GET", f"/agents/{agent_id}")

    # --- calls

    def needing(self, **needs: object) -> dict[str, Any]:
        """The requirement of a call for this team."""
        return {"team": self.team, **needs}

    def call(self, head_start: int = 0, channel: str = "voice", **needs: object) -> str:
        """Requests a call; answers its id."""
        wanted = {
            "channel": channel,
            "requirement": self.needing(**needs),
            "head_start_seconds": head_start,
        }
        return self.caller.told("POST", "/calls", wanted, status=202)["id"]

    def connected(self, *call_ids: str) -> list[str | None]:
        """Whom the calls got, once all of them got somebody."""
        return [self.once("connected", call_id)["agent"] for call_id in call_ids]

    def waiting(self, *call_ids: str) -> None:
        """Returns once all of them stand in line."""
        for call_id in call_ids:
            self.once("waiting", call_id)

    def once(self, status: str, call_id: str, *, within: float = PATIENCE) -> CallAnswer:
        """The call as soon as it has this status; one sent straight to the queue need not be there yet."""

        def look() -> CallAnswer | None:
            answer = self.caller.send("GET", f"/calls/{call_id}")
            assert answer.status_code in (200, 404), answer.text
            return answer.json() if answer.status_code == 200 else None

        call = eventually(look, lambda call: call is not None and call["status"] == status, within=within)
        assert call
        return call

    def read(self, call_id: str) -> CallAnswer:
        return self.caller.told("GET", f"/calls/{call_id}")

    def read_all(self, call_ids: Iterable[str]) -> list[CallAnswer]:
        return [self.read(call_id) for call_id in call_ids]

    def hang_up(self, call_id: str) -> CallAnswer:
        return self.caller.told("DELETE", f"/calls/{call_id}")

    def complete(self, call_id: str) -> CallAnswer:
        return self.supervisor.told("POST", f"/calls/{call_id}/complete")

    def free_again(self, agent_id: str) -> None:
        """The agent completes the call it attends, once it does, and stands in line again."""
        attending = eventually(lambda: self.agent(agent_id), lambda agent: agent["status"] == "attending")
        self.complete(attending["call"] or "")
        self.become("available", agent_id)
