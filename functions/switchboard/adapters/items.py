"""Agents, calls, entries and catalog items as DynamoDB items, and back.

    item           pk              sk                              holds
    agent          AGENT#id        STATE                           name pool status epoch registered_at status_since
                                                                   entry call wake
    call           CALL#id         STATE                           client channel queue status epoch arrived_at
                                                                   head_start body entry agent waiting_since
                                                                   look_started_at connected_at ended_at expires_at
    agent's entry  IDLE#pool       since#agent#epoch#attempt       joined_at
    call's entry   WAIT#queue      arrival#call#epoch#attempt      joined_at
    catalog        CATALOG         VERSION                         version pools queues
                                   POOL#key                        text label
                                   QUEUE#key                       text label line_order
    roster         ROSTER          agent id
    staff          STAFF#pool      agent id                        epoch

Times are integers, microseconds UTC; `expires_at` is in seconds, as TTL wants it. `wake` is there while an agent
stands in line; the stream's `look` consumer is filtered on it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from switchboard.domain.agents import Agent, AgentStatus
from switchboard.domain.calls import Call, CallStatus
from switchboard.domain.catalog import Order, Pool, Queue
from switchboard.domain.lines import Entry, Line, Side
from switchboard.domain.skills import Profile, Requirement

if TYPE_CHECKING:
    from types_boto3_dynamodb.type_defs import AttributeValueTypeDef

type Value = str | int
type Item = dict[str, Value]

STATE = "STATE"
CATALOG = "CATALOG"
ROSTER = "ROSTER"
WAKE = "look"

VERSION_KEY: Item = {"pk": CATALOG, "sk": "VERSION"}

_LINE = {Side.AGENTS: "IDLE#", Side.CALLS: "WAIT#"}


def marshal(values: Mapping[str, Value]) -> dict[str, AttributeValueTypeDef]:
    """Plain values as DynamoDB wants them on the wire."""
    return {
        name: {"N": str(value)} if isinstance(value, int) else {"S": value} for name, value in values.items()
    }


def unmarshal(item: Mapping[str, AttributeValueTypeDef]) -> Item:
    """Back from the wire. All of this table's attributes are text or whole numbers."""
    return {name: int(value["N"]) if "N" in value else value.get("S", "") for name, value in item.items()}


def agent_key(agent_id: str) -> Item:
    return {"pk": f"AGENT#{agent_id}", "sk": STATE}


def call_key(call_id: str) -> Item:
    return {"pk": f"CALL#{call_id}", "sk": STATE}


def line_key(line: Line) -> str:
    return f"{_LINE[line.side]}{line.key}"


def entry_key(entry: Entry) -> Item:
    return {"pk": line_key(entry.line), "sk": entry.key}


def entry_item(entry: Entry) -> Item:
    return entry_key(entry) | {"joined_at": entry.joined_at}


def entry_from(line: Line, item: Item) -> Entry:
    return Entry.parse(line, _text(item, "sk"), joined_at=_number(item, "joined_at"))


def agent_item(agent: Agent) -> Item:
    return agent_key(agent.id) | _present(
        name=agent.name,
        pool=agent.pool,
        status=agent.status.value,
        epoch=agent.epoch,
        registered_at=agent.registered_at,
        status_since=agent.status_since,
        entry=agent.entry.key if agent.entry else None,
        call=agent.call,
        wake=WAKE if agent.entry else None,
    )


def agent_from(item: Item) -> Agent:
    pool = _text(item, "pool")
    entry = item.get("entry")
    return Agent(
        id=_text(item, "pk").partition("#")[2],
        name=_text(item, "name"),
        pool=pool,
        status=AgentStatus(_text(item, "status")),
        epoch=_number(item, "epoch"),
        registered_at=_number(item, "registered_at"),
        status_since=_number(item, "status_since"),
        entry=Entry.parse(Line.of_pool(pool), str(entry)) if entry else None,
        call=_maybe_text(item, "call"),
    )


def call_item(call: Call, *, ended_call_days: int) -> Item:
    ended = call.ended_at if call.ended else None
    return call_key(call.id) | _present(
        client=call.client,
        channel=call.channel,
        queue=call.queue,
        status=call.status.value,
        epoch=call.epoch,
        arrived_at=call.arrived_at,
        head_start=call.head_start,
        body=call.body,
        entry=call.entry.key if call.entry else None,
        agent=call.agent,
        waiting_since=call.waiting_since,
        look_started_at=call.look_started_at,
        connected_at=call.connected_at,
        ended_at=call.ended_at,
        expires_at=ended // 1_000_000 + ended_call_days * 86_400 if ended else None,
    )


def call_from(item: Item) -> Call:
    queue = _text(item, "queue")
    entry = item.get("entry")
    return Call(
        id=_text(item, "pk").partition("#")[2],
        client=_text(item, "client"),
        channel=_text(item, "channel"),
        queue=queue,
        status=CallStatus(_text(item, "status")),
        epoch=_number(item, "epoch"),
        arrived_at=_number(item, "arrived_at"),
        head_start=_number(item, "head_start"),
        body=_text(item, "body"),
        entry=Entry.parse(Line.of_queue(queue), str(entry)) if entry else None,
        agent=_maybe_text(item, "agent"),
        waiting_since=_maybe_number(item, "waiting_since"),
        look_started_at=_maybe_number(item, "look_started_at"),
        connected_at=_maybe_number(item, "connected_at"),
        ended_at=_maybe_number(item, "ended_at"),
    )


def roster_key(agent_id: str) -> Item:
    return {"pk": ROSTER, "sk": agent_id}


def staff_of(pool: str) -> str:
    return f"STAFF#{pool}"


def staff_key(pool: str, agent_id: str) -> Item:
    return {"pk": staff_of(pool), "sk": agent_id}


def catalog_key(item: Pool | Queue) -> Item:
    return {"pk": CATALOG, "sk": f"{'POOL' if isinstance(item, Pool) else 'QUEUE'}#{item.key}"}


def catalog_item(item: Pool | Queue) -> Item:
    if isinstance(item, Pool):
        return catalog_key(item) | _present(text=item.profile.text, label=item.label)
    return catalog_key(item) | _present(
        text=item.requirement.text, label=item.label, line_order=item.order.value
    )


def pool_from(item: Item) -> Pool:
    return Pool(Profile.from_text(_text(item, "text")), _maybe_text(item, "label"))


def queue_from(item: Item) -> Queue:
    return Queue(
        Requirement.from_text(_text(item, "text")),
        _maybe_text(item, "label"),
        Order(_text(item, "line_order")),
    )


def _present(**values: Value | None) -> Item:
    return {name: value for name, value in values.items() if value is not None}


def _text(item: Item, name: str) -> str:
    return str(item[name])


def _number(item: Item, name: str) -> int:
    return int(item[name])


def _maybe_text(item: Item, name: str) -> str | None:
    return str(item[name]) if name in item else None


def _maybe_number(item: Item, name: str) -> int | None:
    return int(item[name]) if name in item else None
