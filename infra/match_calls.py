"""The matcher."""

from aws_cdk.aws_lambda_event_sources import SqsEventSource
from constructs import Construct

from infra.call_queues import CallQueues
from infra.job_function import JobFunction
from infra.settings import Settings
from infra.table import FloorTable


class MatchCalls(Construct):
    """Takes calls from every channel's queue, finds each an agent or a place in line."""

    def __init__(
        self,
        scope: Construct,
        id: str,
        *,
        settings: Settings,
        table: FloorTable,
        call_queues: CallQueues,
    ) -> None:
        super().__init__(scope, id)
        function = JobFunction(
            self,
            "Function",
            job="match_calls",
            settings=settings,
            timeout=settings.timeouts.match_calls,
            environment={
                **table.environment,
                **call_queues.environment,
                "MAX_QUEUES": str(settings.max_queues),
                "MAX_HEAD_START_SECONDS": str(settings.max_head_start_seconds),
            },
        )
        table.grant(
            function,
            "dynamodb:GetItem",
            "dynamodb:Query",
            "dynamodb:PutItem",
            "dynamodb:UpdateItem",
            "dynamodb:BatchWriteItem",
        )
        for queue in call_queues.queues.values():
            function.add_event_source(SqsEventSource(queue, batch_size=10, report_batch_item_failures=True))
        for dead_letters in call_queues.dead_letters.values():
            # What can never succeed it moves there itself, so that it holds up nobody.
            dead_letters.grant(function, "sqs:SendMessage")
