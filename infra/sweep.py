"""The net below the protocol: in good order it never catches anything."""

from aws_cdk import Duration
from aws_cdk import aws_scheduler as scheduler
from aws_cdk.aws_scheduler_targets import LambdaInvoke
from constructs import Construct

from infra.job_function import JobFunction
from infra.settings import Settings
from infra.table import FloorTable

EVERY = Duration.minutes(1)


class Sweep(Construct):
    """Once a minute, pairs any waiting head of a line with an idle agent who serves it."""

    def __init__(self, scope: Construct, id: str, *, settings: Settings, table: FloorTable) -> None:
        super().__init__(scope, id)
        function = JobFunction(
            self,
            "Function",
            job="sweep",
            settings=settings,
            timeout=settings.timeouts.sweep,
            environment=table.environment,
        )
        table.grant(
            function,
            "dynamodb:GetItem",
            "dynamodb:Query",
            "dynamodb:UpdateItem",
            "dynamodb:BatchWriteItem",
        )
        # Retrying, here or in the schedule, would only crowd the next run, which does the same work.
        function.configure_async_invoke(retry_attempts=0, max_event_age=EVERY)
        scheduler.Schedule(
            self,
            "Schedule",
            schedule=scheduler.ScheduleExpression.rate(EVERY),
            target=LambdaInvoke(function, retry_attempts=0, max_event_age=EVERY),
        )
