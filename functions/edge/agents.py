"""The routes under /agents."""

from __future__ import annotations

import json
from collections.abc import Sequence
from enum import StrEnum
from typing import Annotated, Any

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Query
from pydantic import BaseModel, Field

from edge import times
from edge.fields import AgentId, Body, ProfileJson, Time
from edge.identity import SUPERVISOR, THE_AGENT
from edge.problems import Kind
from edge.routing import Route, Tag, answered
from switchboard import staffing
from switchboard.domain.agents import Agent, AgentStatus
from switchboard.domain.catalog import Catalog
from switchboard.domain.refusals import Invalid
from switchboard.domain.skills import CHANNEL, Profile
from switchboard.domain.texts import ID_PATTERN, MAX_LABEL_LENGTH, clean
from switchboard.world import World

PAGE = 50
LONGEST_PAGE = 100


class Registration(Body):
    """An agent's name, and what it can do."""

    name: str = Field(description=f"1 to {MAX_LABEL_LENGTH} characters", examples=["Ana Torres"])
    profile: ProfileJson


class Choice(StrEnum):
    """What an agent can choose to be."""

    AVAILABLE = "available"
    AWAY = "away"
    OFFLINE = "offline"


class StatusChange(Body):
    """What the agent shall be."""

    status: Choice = Field(examples=["available"])


class AgentAnswer(BaseModel):
    """An agent as it is now."""

    id: str = Field(examples=["ana"])
    name: str = Field(examples=["Ana Torres"])
    status: AgentStatus
    status_since: Time
    idle_since: Time | None = Field(description="While available: since when, which is its place in line")
    profile: dict[str, Any] = Field(examples=[{"channel": ["chat", "voice"], "language": ["en", "es"]}])
    pool: str = Field(description="The key of the pool of all agents with this profile")
    call: str | None = Field(description="While attending: the call it serves")
    last_call: str | None = Field(description="In wrap-up: the call that just ended")
    registered_at: Time


class AgentPage(BaseModel):
    """Some of the agents, in the order of their ids."""

    agents: list[AgentAnswer]
    next: str | None = Field(description="Ask for the next page with this as `after`; null: this is the last")


class AgentRoutes:
    """Agents, kept by supervisors; each says itself when it is available."""

    def __init__(self, world: World, *, channels: Sequence[str], max_pools: int) -> None:
        self._world = world
        self._channels = channels
        self._max_pools = max_pools

    @Route(
        "PUT",
        "/agents/{id}",
        tag=Tag.AGENTS,
        summary="Register an agent",
        right=SUPERVISOR,
        answers={200: "The agent was there; name and profile are as given now", 201: "The agent is new"},
        refusals=(Kind.CATALOG_FULL, Kind.MOVED, Kind.CONTENTION, Kind.UNAVAILABLE),
        has_body=True,
    )
    def put_agent(self, id: AgentId, body: Registration) -> Response[AgentAnswer]:
        """Have an agent with this name and profile. Doing it twice is doing it once.

        A profile that leaves out `channel` takes calls of every channel. An agent who is in line moves to the line
        of the new profile and keeps its place by idle time.
        """
        name = clean(body.name, "name", longest=MAX_LABEL_LENGTH)
        agent, new = staffing.register(
            self._world, id, name, self._profile(body.profile), max_pools=self._max_pools
        )
        return answered(self._told(agent), 201 if new else 200)

    @Route(
        "GET",
        "/agents/{id}",
        tag=Tag.AGENTS,
        summary="Read an agent",
        right=THE_AGENT,
        refusals=(Kind.NOT_FOUND, Kind.INVALID, Kind.CONTENTION, Kind.UNAVAILABLE),
    )
    def get_agent(self, id: AgentId) -> Response[AgentAnswer]:
        """Status, profile and, while attending, the call."""
        return answered(self._told(staffing.find(self._world, id)))

    @Route(
        "DELETE",
        "/agents/{id}",
        tag=Tag.AGENTS,
        summary="Remove an agent",
        right=SUPERVISOR,
        answers={204: "The agent is gone"},
        refusals=(
            Kind.NOT_FOUND,
            Kind.ILLEGAL_MOVE,
            Kind.MOVED,
            Kind.INVALID,
            Kind.CONTENTION,
            Kind.UNAVAILABLE,
        ),
    )
    def delete_agent(self, id: AgentId) -> Response[None]:
        """Only an agent who is offline can be removed; a second time there is none."""
        staffing.remove(self._world, id)
        return Response(status_code=204)

    @Route(
        "GET",
        "/agents",
        tag=Tag.AGENTS,
        summary="List agents",
        right=SUPERVISOR,
        answers={200: "A page of agents"},
        refusals=(Kind.INVALID, Kind.CONTENTION, Kind.UNAVAILABLE),
    )
    def get_agents(
        self,
        limit: Annotated[int, Query(ge=1, le=LONGEST_PAGE, description="How many at most")] = PAGE,
        after: Annotated[
            str | None, Query(pattern=f"^{ID_PATTERN}$", description="Begin behind this id")
        ] = None,
    ) -> Response[AgentPage]:
        """All registered agents by id, a page at a time. A page may have fewer than `limit` and not be the last."""
        agents, following = staffing.listed(self._world, limit, after=after)
        return answered(AgentPage(agents=[self._told(agent) for agent in agents], next=following))

    @Route(
        "PUT",
        "/agents/{id}/status",
        tag=Tag.AGENTS,
        summary="Become available, away or offline",
        right=THE_AGENT,
        refusals=(Kind.NOT_FOUND, Kind.ILLEGAL_MOVE, Kind.MOVED, Kind.CONTENTION, Kind.UNAVAILABLE),
        has_body=True,
    )
    def put_status(self, id: AgentId, body: StatusChange) -> Response[AgentAnswer]:
        """Who becomes available joins the end of its line. Asking for the status one has changes nothing.

        An agent who attends a call completes that first.
        """
        agent = staffing.set_status(self._world, id, AgentStatus(body.status))
        return answered(self._told(agent))

    def _profile(self, given: dict[str, Any]) -> Profile:
        profile = Profile.parse({CHANNEL: list(self._channels), **given})
        known = profile.skills[CHANNEL]
        if isinstance(known, int) or not known <= set(self._channels):
            raise Invalid(f"profile.{CHANNEL}", f"must be some of {', '.join(self._channels)}")
        return profile

    def _told(self, agent: Agent) -> AgentAnswer:
        attending = agent.status is AgentStatus.ATTENDING
        return AgentAnswer(
            id=agent.id,
            name=agent.name,
            status=agent.status,
            status_since=times.written(agent.status_since),
            idle_since=times.written(agent.entry.time if agent.entry else None),
            profile=_profile_of(agent, self._catalog_with(agent.pool)),
            pool=agent.pool,
            call=agent.call if attending else None,
            last_call=None if attending else agent.call,
            registered_at=times.written(agent.registered_at),
        )

    def _catalog_with(self, pool: str) -> Catalog:
        catalog = self._world.catalog.at_hand()
        return catalog if pool in catalog.pools else self._world.catalog.fresh()


def _profile_of(agent: Agent, catalog: Catalog) -> dict[str, Any]:
    return json.loads(catalog.pools[agent.pool].profile.text)
