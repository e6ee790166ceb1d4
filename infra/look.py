"""The look across: whoever came to a line is paired even if the one who wrote them in has died."""

from aws_cdk import Duration
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_sqs as sqs
from aws_cdk.aws_lambda_event_sources import DynamoEventSource, SqsDlq
from constructs import Construct

from infra.job_function import JobFunction
from infra.settings import Settings
from infra.table import FloorTable

WAKES_SOMEONE = {"dynamodb": {"NewImage": {"wake": {"S": lambda_.FilterRule.exists()}}}}


class Look(Construct):
    """Follows the table's stream, but only where a state change carries `wake`."""

    def __init__(self, scope: Construct, id: str, *, settings: Settings, table: FloorTable) -> None:
        super().__init__(scope, id)
        function = JobFunction(
            self,
            "Function",
            job="look",
            settings=settings,
            timeout=settings.timeouts.look,
            environment=table.environment,
        )
        table.grant(
            function,
            "dynamodb:GetItem",
            "dynamodb:Query",
            "dynamodb:UpdateItem",
            "dynamodb:BatchWriteItem",
        )
        self.dead_letters = sqs.Queue(
            self,
            "DeadLetters",
            retention_period=Duration.days(14),
            encryption=sqs.QueueEncryption.SQS_MANAGED,
            enforce_ssl=settings.tls_only,
        )
        function.add_event_source(self._stream(table))

    def _stream(self, table: FloorTable) -> DynamoEventSource:
        return DynamoEventSource(
            table,
            starting_position=lambda_.StartingPosition.TRIM_HORIZON,
            filters=[lambda_.FilterCriteria.filter(WAKES_SOMEONE)],
            batch_size=10,
            parallelization_factor=10,
            report_batch_item_failures=True,
            bisect_batch_on_error=True,
            retry_attempts=5,
            # The sweep finds within a minute whoever is given up here, so nobody waits behind a broken record.
            max_record_age=Duration.seconds(60),
            on_failure=SqsDlq(self.dead_letters),
        )
