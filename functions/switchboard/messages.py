"""The message that carries a call in: written by the API, or by whoever may send to the queue.

    {"id": "…", "client": "…", "requirement": {"language": ["es"]}, "head_start_seconds": 0, "arrived_at": 1766…,
     "body": "…"}

Only `requirement` has to be there. `id` is the message's own by default; `arrived_at` (microseconds UTC) is the
queue's own timestamp by default; whoever gives an earlier one (the API, a redrive) is trusted by its permission
to send to the queue. The channel is the queue's.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, cast

from switchboard.domain.calls import Call
from switchboard.domain.catalog import Queue
from switchboard.domain.refusals import Invalid
from switchboard.domain.skills import CHANNEL, Requirement
from switchboard.domain.texts import canonical, check_client, check_id

FIELDS = frozenset({"id", "client", "requirement", "head_start_seconds", "arrived_at", "body"})
MAX_BODY_BYTES = 16 * 1024
DIRECT = "queue"
"""The client of calls whose message names none."""
CLOCK_SKEW = 60_000_000


def written(call: Call, requirement_text: str) -> str:
    """The message body of a call."""
    requirement = json.loads(requirement_text)
    requirement.pop(CHANNEL)
    return canonical(
        {
            "id": call.id,
            "client": call.client,
            "requirement": requirement,
            "head_start_seconds": call.head_start,
            "arrived_at": call.arrived_at,
            "body": call.body,
        }
    )


def read(
    text: str, *, message_id: str, sent_at: int, channel: str, max_head_start: int
) -> tuple[Call, Queue]:
    """The call in a message, and its queue. `sent_at` in microseconds UTC. Raises Invalid."""
    data = _object(text)
    queue = Queue(for_channel(data.get("requirement"), channel))
    client = data.get("client")
    body = data.get("body")
    call = Call.request(
        check_id(data.get("id", message_id), "id"),
        DIRECT if client is None else check_client(client, "client"),
        channel,
        queue.key,
        arrived_at=_number(data, "arrived_at", sent_at, max_head_start * 1_000_000, sent_at + CLOCK_SKEW),
        head_start=_number(data, "head_start_seconds", 0, 0, max_head_start),
        body="" if body in (None, "") else check_id(body, "body"),
    )
    return call, queue


def for_channel(requirement: object, channel: str, *, where: str = "requirement") -> Requirement:
    """The requirement of a call of this channel: what was asked for, and the channel. Raises Invalid."""
    if not isinstance(requirement, Mapping):
        raise Invalid(where, "must be an object from attribute to values")
    asked = cast(Mapping[str, object], requirement)
    if CHANNEL in asked:
        raise Invalid(f"{where}.{CHANNEL}", "is not part of the requirement; the queue says it")
    return Requirement.parse({**asked, CHANNEL: [channel]}, where=where)


def _object(text: str) -> Mapping[str, Any]:
    if len(text.encode(errors="surrogatepass")) > MAX_BODY_BYTES:
        raise Invalid("message", f"must have at most {MAX_BODY_BYTES} bytes")
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise Invalid("message", f"is not JSON: {error}") from None
    if not isinstance(data, dict):
        raise Invalid("message", "must be a JSON object")
    message = cast(dict[str, Any], data)
    if unknown := sorted(message.keys() - FIELDS):
        raise Invalid(unknown[0][:64], "is not a field of a call")
    return message


def _number(data: Mapping[str, Any], name: str, default: int, least: int, most: int) -> int:
    value = data.get(name, default)
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
        raise Invalid(name, f"must be a whole number from {least} to {most}")
    return value
