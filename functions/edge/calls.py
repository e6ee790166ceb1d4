"""The routes under /calls."""

from __future__ import annotations

import json
from enum import StrEnum
from typing import Annotated, Any

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Header
from aws_lambda_powertools.event_handler.request import Request
from pydantic import BaseModel, Field

from edge import times
from edge.api import asker_of
from edge.fields import Body, CallId, RequirementJson, Time
from edge.identity import ANY_AGENT, CALLER_APP, HEAD_START
from edge.problems import Kind, Refused
from edge.routing import Route, Tag, answered
from switchboard import calling, messages
from switchboard.calling import MOST_COUNTED, CallRequest
from switchboard.domain.calls import Call, CallStatus
from switchboard.domain.refusals import Invalid
from switchboard.domain.skills import CHANNEL
from switchboard.domain.texts import canonical, check_client, fingerprint
from switchboard.ports import CallQueues
from switchboard.world import World

IDEMPOTENCY_KEY = "Idempotency-Key"
LONGEST_KEY = 128


class IfNoAgent(StrEnum):
    """What shall happen to a call while nobody who could serve it is signed in."""

    WAIT = "wait"
    REFUSE = "refuse"


class CallBody(Body):
    """Whom the call needs."""

    channel: str | None = Field(
        default=None,
        description="How the caller calls; null: the first channel of this floor",
        examples=["voice"],
    )
    requirement: RequirementJson
    head_start_seconds: int = Field(
        default=0,
        ge=0,
        strict=True,
        description=f"Stand in line as if arrived so much earlier. Needs the scope `{HEAD_START}`; bounded",
    )
    if_no_agent: IfNoAgent = Field(
        default=IfNoAgent.WAIT,
        description="`wait` in line, or be refused, if nobody who could serve the call is signed in",
    )


class Place(BaseModel):
    """Where a call stands."""

    id: str = Field(examples=["3f0e9c0c3d3f4f0e8a8f5f7d5b1c2a90"])
    status: CallStatus
    position: int | None = Field(
        description="From 1 for the head of the line; null: not in line", examples=[3]
    )
    position_is_at_least: bool = Field(
        description=f"Whether more may stand ahead; positions are counted to {MOST_COUNTED + 1}"
    )


class AcceptedCall(Place):
    """A call that was accepted: it is matched or waits, and is not lost."""

    no_agent_online: bool = Field(description="Nobody who could serve the call is signed in right now")


class CallAnswer(Place):
    """A call as it is now."""

    channel: str = Field(examples=["voice"])
    requirement: dict[str, Any] | None = Field(
        description="As it was asked for, in the writing of the catalog",
        examples=[{"language": ["es", "fr"]}],
    )
    queue: str = Field(description="The key of the queue of all calls with this channel and requirement")
    head_start_seconds: int
    arrived_at: Time
    effective_arrival_at: Time = Field(description="What orders the line: arrival less the head start")
    waiting_since: Time | None = Field(description="When it came into line")
    look_started_at: Time | None = Field(description="When the look began that found the agent")
    connected_at: Time | None
    ended_at: Time | None
    agent: str | None = Field(description="Who serves or served it", examples=["ana"])


_READ = (Kind.NOT_FOUND, Kind.INVALID, Kind.CONTENTION, Kind.UNAVAILABLE)


class CallRoutes:
    """Calls, as caller apps make and follow them and agents complete them."""

    def __init__(
        self,
        world: World,
        queues: CallQueues,
        *,
        channels: list[str],
        max_queues: int,
        max_head_start: int,
    ) -> None:
        self._world = world
        self._queues = queues
        self._channels = channels
        self._max_queues = max_queues
        self._max_head_start = max_head_start

    @Route(
        "POST",
        "/calls",
        tag=Tag.CALLS,
        summary="Request a call",
        right=CALLER_APP,
        answers={202: "The call is accepted"},
        headers={"Location": "The path of the call"},
        refusals=(Kind.NO_AGENT_ONLINE, Kind.CATALOG_FULL, Kind.CONTENTION, Kind.UNAVAILABLE),
        has_body=True,
    )
    def post_call(
        self,
        request: Request,
        body: CallBody,
        idempotency_key: Annotated[
            str | None,
            Header(
                alias=IDEMPOTENCY_KEY,
                pattern=rf"^[\x21-\x7e]{{1,{LONGEST_KEY}}}$",
                description="Repeating a request with its key meets its own call; the same key with another body is 422",
            ),
        ] = None,
    ) -> Response[AcceptedCall]:
        """The call gets the agent who can serve it and has been idle longest, at once or from its place in line."""
        asker = asker_of(request)
        if body.head_start_seconds and HEAD_START not in asker.scopes:
            raise Refused(Kind.FORBIDDEN, f"a head start needs the scope {HEAD_START}")
        wanted = self._request(asker.client, body, idempotency_key)
        accepted = calling.request_call(self._world, self._queues, wanted, max_queues=self._max_queues)
        call = accepted.call
        return answered(
            AcceptedCall(**self._place(call), no_agent_online=accepted.no_agent_online),
            202,
            {"Location": f"/calls/{call.id}"},
        )

    @Route("GET", "/calls/{id}", tag=Tag.CALLS, summary="Read a call", right=CALLER_APP, refusals=_READ)
    def get_call(self, request: Request, id: CallId) -> Response[CallAnswer]:
        """Only the client that made the call can see it; to others it does not exist."""
        return answered(self._told(calling.find(self._world, asker_of(request).client, id)))

    @Route(
        "DELETE",
        "/calls/{id}",
        tag=Tag.CALLS,
        summary="Hang up",
        right=CALLER_APP,
        answers={200: "The call, which has ended"},
        refusals=(*_READ, Kind.MOVED),
    )
    def delete_call(self, request: Request, id: CallId) -> Response[CallAnswer]:
        """A call not served yet is abandoned, a connected one completed. Hanging up twice is hanging up once."""
        return answered(self._told(calling.hang_up(self._world, asker_of(request).client, id)))

    @Route(
        "POST",
        "/calls/{id}/complete",
        tag=Tag.CALLS,
        summary="Complete a call",
        right=ANY_AGENT,
        answers={200: "The call, which has ended"},
        refusals=(*_READ, Kind.ILLEGAL_MOVE, Kind.MOVED),
    )
    def post_complete(self, request: Request, id: CallId) -> Response[CallAnswer]:
        """The agent goes to wrap-up. Agents complete their own calls, supervisors any; twice is once."""
        asker = asker_of(request)
        agent_id = None if asker.is_supervisor else asker.agent_id
        return answered(self._told(calling.complete(self._world, id, agent_id=agent_id)))

    def _request(self, client: str, body: CallBody, key: str | None) -> CallRequest:
        channel = self._channels[0] if body.channel is None else body.channel
        if channel not in self._channels:
            raise Invalid("channel", f"must be one of {', '.join(self._channels)}")
        if body.head_start_seconds > self._max_head_start:
            raise Invalid("head_start_seconds", f"must be at most {self._max_head_start}")
        requirement = messages.for_channel(body.requirement, channel)
        meaning = [channel, requirement.text, body.head_start_seconds, body.if_no_agent.value]
        return CallRequest(
            client=check_client(client, "sub"),
            channel=channel,
            requirement=requirement,
            body=fingerprint(canonical(meaning)),
            head_start=body.head_start_seconds,
            idempotency_key=key,
            refuse_if_no_agent=body.if_no_agent is IfNoAgent.REFUSE,
        )

    def _place(self, call: Call) -> dict[str, Any]:
        position = calling.position(self._world, call)
        return {
            "id": call.id,
            "status": call.status,
            "position": position,
            "position_is_at_least": position is not None and position > MOST_COUNTED,
        }

    def _told(self, call: Call) -> CallAnswer:
        return CallAnswer(
            **self._place(call),
            channel=call.channel,
            requirement=self._requirement_of(call),
            queue=call.queue,
            head_start_seconds=call.head_start,
            arrived_at=times.written(call.arrived_at),
            effective_arrival_at=times.written(call.effective_arrival),
            waiting_since=times.written(call.waiting_since),
            look_started_at=times.written(call.look_started_at),
            connected_at=times.written(call.connected_at),
            ended_at=times.written(call.ended_at),
            agent=call.agent,
        )

    def _requirement_of(self, call: Call) -> dict[str, Any] | None:
        catalog = self._world.catalog
        queue = catalog.at_hand().queues.get(call.queue) or catalog.fresh().queues.get(call.queue)
        if queue is None:
            return None
        requirement: dict[str, Any] = json.loads(queue.requirement.text)
        return {name: need for name, need in requirement.items() if name != CHANNEL}
