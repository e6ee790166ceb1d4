"""The one table that is the truth."""

from aws_cdk import RemovalPolicy
from aws_cdk import aws_dynamodb as dynamodb
from constructs import Construct

from infra.settings import Settings


class FloorTable(dynamodb.Table):
    """Agents, calls and the lines they stand in; its stream starts every `look`.

    A plain table, not a `TableV2`: that one is a global table, whose transactions hold in one region only.
    """

    def __init__(self, scope: Construct, id: str, *, settings: Settings) -> None:
        super().__init__(
            scope,
            id,
            partition_key=dynamodb.Attribute(name="pk", type=dynamodb.AttributeType.STRING),
            sort_key=dynamodb.Attribute(name="sk", type=dynamodb.AttributeType.STRING),
            billing_mode=dynamodb.BillingMode.PAY_PER_REQUEST,
            stream=dynamodb.StreamViewType.NEW_AND_OLD_IMAGES,
            time_to_live_attribute="expires_at",
            point_in_time_recovery_specification=dynamodb.PointInTimeRecoverySpecification(
                point_in_time_recovery_enabled=True
            ),
            deletion_protection=not settings.local,
            removal_policy=RemovalPolicy.DESTROY if settings.local else RemovalPolicy.RETAIN,
        )
        self.environment = {
            "TABLE_NAME": self.table_name,
            "ENDED_CALL_DAYS": str(settings.ended_call_days),
            "JOIN_GRACE_SECONDS": str(settings.join_grace_seconds),
        }
        """What a function that works on it has to know."""
