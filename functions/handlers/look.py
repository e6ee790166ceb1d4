"""Looks for a call for each agent who came into line, as the table's stream tells."""

from __future__ import annotations

import os
from typing import Any

from aws_lambda_powertools import Logger, Metrics, Tracer
from aws_lambda_powertools.metrics import MetricUnit
from aws_lambda_powertools.utilities.typing import LambdaContext

from switchboard import bootstrap
from switchboard.adapters.items import agent_from, unmarshal
from switchboard.claiming import Match
from switchboard.domain.refusals import Contention
from switchboard.matching import look_for_call
from switchboard.ports import Unavailable
from switchboard.settings import Settings
from switchboard.world import Event

logger = Logger()
tracer = Tracer()
metrics = Metrics()
settings = Settings(os.environ)


def tally(event: Event) -> None:
    metrics.add_metric(event, MetricUnit.Count, 1)


world = bootstrap.world(settings, tally)


@logger.inject_lambda_context
@tracer.capture_lambda_handler
@metrics.log_metrics
def handler(event: dict[str, Any], _context: LambdaContext) -> dict[str, Any]:
    """A batch of STATE changes that carry `wake`; answers the first that failed, from which the stream goes on."""
    metrics.add_metric("Looks", MetricUnit.Count, len(event["Records"]))
    failed = [number for record in event["Records"] if (number := _failed(record))]
    return {"batchItemFailures": [{"itemIdentifier": number} for number in failed[:1]]}


def _failed(record: dict[str, Any]) -> str | None:
    """The number of the record if its look has to be done again; the others of its batch are looked at all the same."""
    try:
        _look(record)
    except (Contention, Unavailable) as passing:
        logger.warning("comes again", extra={"reason": str(passing)})
    except Exception:  # a defect of ours in one look must not hold up the others
        logger.exception("comes again")
    else:
        return None
    return str(record["dynamodb"]["SequenceNumber"])


def _look(record: dict[str, Any]) -> None:
    """The agent as the stream has it may have moved on; then the claim finds its entry dead, and that is that."""
    agent = agent_from(unmarshal(record["dynamodb"]["NewImage"]))
    if agent.entry is None:
        logger.warning("wake without an entry", extra={"agent": agent.id})
        return
    found = look_for_call(world, agent.entry)
    outcome = {"call": found.call_id} if isinstance(found, Match) else {"nobody": found.name.lower()}
    logger.info("looked", extra={"agent": agent.id, **outcome})
