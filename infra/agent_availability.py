"""Who the agents are, and whether they are there."""

import json

from constructs import Construct

from infra.http_api import Routes, authorization
from infra.job_function import JobFunction
from infra.settings import Settings
from infra.table import FloorTable


class AgentAvailability(Construct):
    """Registers agents, and takes them into and out of the line."""

    def __init__(
        self, scope: Construct, id: str, *, settings: Settings, table: FloorTable, routes: Routes
    ) -> None:
        super().__init__(scope, id)
        function = JobFunction(
            self,
            "Function",
            job="agent_availability",
            settings=settings,
            timeout=settings.timeouts.http,
            environment={
                **table.environment,
                "CHANNELS": json.dumps(settings.channels),
                "MAX_POOLS": str(settings.max_pools),
                **authorization(settings),
            },
        )
        table.grant(
            function,
            "dynamodb:GetItem",
            "dynamodb:BatchGetItem",
            "dynamodb:Query",
            "dynamodb:PutItem",
            "dynamodb:UpdateItem",
            "dynamodb:DeleteItem",
            "dynamodb:BatchWriteItem",
        )
        routes.add(
            function,
            "GET /agents",
            "PUT /agents/{id}",
            "GET /agents/{id}",
            "DELETE /agents/{id}",
            "PUT /agents/{id}/status",
        )
