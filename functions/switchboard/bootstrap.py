"""Puts use cases and adapters together, once per Lambda environment."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor, wait

import boto3
from botocore.config import Config

from switchboard.adapters.dynamo_floor import DynamoFloor
from switchboard.adapters.sqs_queues import SqsCallQueues
from switchboard.catalog_reader import CatalogReader
from switchboard.settings import Settings
from switchboard.world import Event, World

HANDS = 16
"""Requests at once; the connection pools have as many places."""
CLIENT = Config(
    retries={"mode": "standard", "total_max_attempts": 3},
    connect_timeout=1,
    read_timeout=2,
    max_pool_connections=HANDS,
    tcp_keepalive=True,
)

_hands = ThreadPoolExecutor(HANDS)


def world(settings: Settings, tally: Callable[[Event], None]) -> World:
    """The floor on the table of this stack. Reads TABLE_NAME, ENDED_CALL_DAYS, JOIN_GRACE_SECONDS."""
    floor = DynamoFloor(
        boto3.client("dynamodb", config=CLIENT),
        settings["TABLE_NAME"],
        ended_call_days=settings.number("ENDED_CALL_DAYS"),
    )
    return World(
        floor=floor,
        catalog=CatalogReader(floor, now),
        clock=now,
        chance=random.SystemRandom(),
        pause=time.sleep,
        together=together,
        tally=tally,
        join_grace=settings.number("JOIN_GRACE_SECONDS") * 1_000_000,
    )


def call_queues(
    settings: Settings, *, correlation_id: Callable[[], str | None] = lambda: None
) -> SqsCallQueues:
    """The call queues of this stack. Reads CALL_QUEUES."""
    client = boto3.client("sqs", config=CLIENT)
    return SqsCallQueues(client, settings.call_queues, correlation_id=correlation_id)


def now() -> int:
    """Microseconds UTC."""
    return time.time_ns() // 1000


def together[T, R](function: Callable[[T], R], items: Iterable[T], /) -> list[R]:
    """Side by side in threads; waits for all, then raises what the first that failed raised."""
    several = list(items)
    if len(several) == 1:
        return [function(several[0])]
    futures = [_hands.submit(function, item) for item in several]
    wait(futures)
    return [future.result() for future in futures]
