"""Once a minute: pairs whom no look has paired. In good order there is nobody; a metric says so."""

from __future__ import annotations

import os
from typing import Any

from aws_lambda_powertools import Logger, Metrics, Tracer
from aws_lambda_powertools.metrics import MetricUnit
from aws_lambda_powertools.utilities.typing import LambdaContext

from switchboard import bootstrap, matching
from switchboard.settings import Settings
from switchboard.world import Event

logger = Logger()
tracer = Tracer()
metrics = Metrics()


def tally(event: Event) -> None:
    metrics.add_metric(event, MetricUnit.Count, 1)


world = bootstrap.world(Settings(os.environ), tally)


@logger.inject_lambda_context
@tracer.capture_lambda_handler
@metrics.log_metrics
def handler(_event: dict[str, Any], _context: LambdaContext) -> dict[str, int]:
    """Whatever the schedule sends; answers how many pairs were found."""
    found = matching.sweep(world)
    metrics.add_metric("Swept", MetricUnit.Count, 1)
    logger.info("swept", extra={"found": [(pair.call_id, pair.agent_id) for pair in found]})
    return {"found": len(found)}
