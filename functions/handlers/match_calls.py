"""Takes calls from their queues: each is paired at once, or put in line and looked for again."""

from __future__ import annotations

import os
import random
from collections import defaultdict
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from aws_lambda_powertools import Logger, Metrics, Tracer
from aws_lambda_powertools.metrics import MetricUnit
from aws_lambda_powertools.utilities.data_classes import SQSEvent
from aws_lambda_powertools.utilities.data_classes.sqs_event import SQSRecord
from aws_lambda_powertools.utilities.typing import LambdaContext

from switchboard import bootstrap, messages
from switchboard.adapters.sqs_queues import BrokenMessage
from switchboard.claiming import Match
from switchboard.domain.catalog import Queue
from switchboard.domain.refusals import CatalogFull, Contention, Invalid
from switchboard.matching import Incoming, match
from switchboard.ports import Unavailable
from switchboard.settings import Settings
from switchboard.world import Event

SOON = (1, 5)
"""Seconds after which what failed in passing comes again."""

BATCH = 10
PASSING = (Contention, Unavailable)

logger = Logger()
tracer = Tracer()
metrics = Metrics()
settings = Settings(os.environ)
MAX_QUEUES = settings.number("MAX_QUEUES")
MAX_HEAD_START = settings.number("MAX_HEAD_START_SECONDS")


def tally(event: Event) -> None:
    metrics.add_metric(event, MetricUnit.Count, 1)


world = bootstrap.world(settings, tally)
desks = ThreadPoolExecutor(BATCH)
"""A queue each. Not the hands of `world.together`: those are what each of these waits for."""
queues = bootstrap.call_queues(settings)


@dataclass(frozen=True, slots=True)
class Delivery:
    """A message and the call in it."""

    record: SQSRecord
    channel: str
    queue: Queue
    incoming: Incoming


@logger.inject_lambda_context
@tracer.capture_lambda_handler
@metrics.log_metrics
def handler(event: dict[str, Any], _context: LambdaContext) -> dict[str, Any]:
    """An SQS batch; answers which messages shall come again."""
    records = list(SQSEvent(event).records)
    metrics.add_metric("CallsReceived", MetricUnit.Count, len(records))
    failed: set[str] = set()
    by_queue: dict[str, list[Delivery]] = defaultdict(list)
    for record in records:
        try:
            if delivery := _opened(record):
                by_queue[delivery.queue.key].append(delivery)
        except PASSING as passing:
            logger.warning("comes again", extra={"message_id": record.message_id, "reason": str(passing)})
            failed.add(record.message_id)
        except Exception:  # a defect of ours in reading one message must not hold up the others
            logger.exception("comes again", extra={"message_id": record.message_id})
            failed.add(record.message_id)
    for some in desks.map(_matched, by_queue.values()):
        failed.update(record.message_id for record in some)
    again = list(_with_later_ones_of_their_group(records, failed))
    world.together(_soon_again, again)
    logger.info("batch done", extra={"messages": len(records), "again": len(again)})
    return {"batchItemFailures": [{"itemIdentifier": record.message_id} for record in again]}


def _opened(record: SQSRecord) -> Delivery | None:
    """The call in the message; one that can never be a call goes to the dead-letter queue, and holds up nobody."""
    sent_at = int(record.attributes.sent_timestamp or 0) * 1000
    channel = _channel(record)
    try:
        call, queue = messages.read(
            record.body,
            message_id=record.message_id,
            sent_at=sent_at,
            channel=channel,
            max_head_start=MAX_HEAD_START,
        )
    except Invalid as refusal:
        _bury(record, record.message_id, refusal, str(refusal))
        return None
    seen_before = int(record.attributes.approximate_receive_count) > 1
    return Delivery(record, channel, queue, Incoming(call, seen_before))


def _matched(deliveries: list[Delivery]) -> list[SQSRecord]:
    """Match the calls of one queue; answers the messages that shall come again."""
    try:
        return _match_or_bury(deliveries)
    except PASSING as passing:
        logger.warning("comes again", extra={"queue": deliveries[0].queue.key, "reason": str(passing)})
    except Exception:  # a defect of ours in one call must not hold up the others
        if len(deliveries) > 1:
            return [record for one in deliveries for record in _matched([one])]
        logger.exception("comes again", extra={"call": deliveries[0].incoming.call.id})
    return [one.record for one in deliveries]


def _match_or_bury(deliveries: list[Delivery]) -> list[SQSRecord]:
    incoming = [one.incoming for one in deliveries]
    try:
        _log(deliveries, match(world, deliveries[0].queue, incoming, max_queues=MAX_QUEUES))
    except CatalogFull as refusal:
        for one in deliveries:
            _bury(one.record, one.incoming.call.id, refusal, refusal.reason)
    return []


def _log(deliveries: Iterable[Delivery], found: list[Match]) -> None:
    agents = {pair.call_id: pair.agent_id for pair in found}
    for one in deliveries:
        call_id = one.incoming.call.id
        logger.info(
            "matched" if call_id in agents else "not matched now",
            extra={
                "call": call_id,
                "agent": agents.pop(call_id, None),
                "correlation_id": _correlation(one.record),
            },
        )
    for call_id, agent_id in agents.items():
        logger.info("matched, waited longer", extra={"call": call_id, "agent": agent_id})


def _bury(record: SQSRecord, dead_letter_id: str, refusal: Exception, reason: str) -> None:
    error_class = type(refusal).__name__
    queues.bury(
        _channel(record),
        BrokenMessage(
            id=dead_letter_id,
            body=record.body,
            sent_at=int(record.attributes.sent_timestamp or 0) * 1000,
            error_class=error_class,
            reason=reason,
        ),
    )
    metrics.add_metric("CallsBroken", MetricUnit.Count, 1)
    logger.error("dead letter", extra={"call": dead_letter_id, "error_class": error_class, "reason": reason})


def _with_later_ones_of_their_group(records: list[SQSRecord], failed: set[str]) -> Iterable[SQSRecord]:
    """The failed, and whatever stands behind them in their group, so that the group keeps its order."""
    stopped: set[str] = set()
    for record in records:
        group = record.attributes.message_group_id or ""
        if record.message_id in failed or group in stopped:
            stopped.add(group)
            yield record


def _soon_again(record: SQSRecord) -> None:
    try:
        queues.soon_again(_channel(record), record.receipt_handle, seconds=random.randint(*SOON))
    except PASSING as passing:  # then it comes when its visibility timeout is over
        logger.warning("comes later", extra={"message_id": record.message_id, "reason": str(passing)})


def _channel(record: SQSRecord) -> str:
    return queues.channel_of(record.event_source_arn)


def _correlation(record: SQSRecord) -> str:
    attribute = record.message_attributes.get("correlation_id")
    return str((attribute and attribute.get("stringValue")) or record.message_id)
