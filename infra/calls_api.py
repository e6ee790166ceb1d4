"""Calls, as those see them who make and end them."""

from constructs import Construct

from infra.call_queues import CallQueues
from infra.http_api import Routes, authorization
from infra.job_function import JobFunction
from infra.settings import Settings
from infra.table import FloorTable


class CallsApi(Construct):
    """Takes calls in by sending them to their channel's queue; reads, abandons and completes them in the table."""

    def __init__(
        self,
        scope: Construct,
        id: str,
        *,
        settings: Settings,
        table: FloorTable,
        call_queues: CallQueues,
        routes: Routes,
    ) -> None:
        super().__init__(scope, id)
        function = JobFunction(
            self,
            "Function",
            job="calls_api",
            settings=settings,
            timeout=settings.timeouts.http,
            environment={
                **table.environment,
                **call_queues.environment,
                "MAX_QUEUES": str(settings.max_queues),
                "MAX_HEAD_START_SECONDS": str(settings.max_head_start_seconds),
                **authorization(settings),
            },
        )
        table.grant(
            function,
            "dynamodb:GetItem",
            "dynamodb:Query",
            "dynamodb:UpdateItem",
            "dynamodb:BatchWriteItem",
        )
        for queue in call_queues.queues.values():
            queue.grant(function, "sqs:SendMessage")
        routes.add(
            function, "POST /calls", "GET /calls/{id}", "DELETE /calls/{id}", "POST /calls/{id}/complete"
        )
