"""What all functions have in common."""

from collections.abc import Mapping

from aws_cdk import Duration, RemovalPolicy
from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_logs as logs
from constructs import Construct

from infra.bundling import functions_code
from infra.settings import Settings

ARCHITECTURES = {"arm64": lambda_.Architecture.ARM_64, "x86_64": lambda_.Architecture.X86_64}


class JobFunction(lambda_.Function):
    """The Lambda that does one job: `handlers/<job>.py`, its log group, a role that may write to just that."""

    def __init__(
        self,
        scope: Construct,
        id: str,
        *,
        job: str,
        settings: Settings,
        timeout: int,
        environment: Mapping[str, str],
    ) -> None:
        log_group = logs.LogGroup(
            scope, "Logs", retention=logs.RetentionDays.ONE_MONTH, removal_policy=RemovalPolicy.DESTROY
        )
        # CDK's own role carries a managed policy that may create log groups and write to any.
        role = iam.Role(scope, "Role", assumed_by=iam.ServicePrincipal("lambda.amazonaws.com"))
        log_group.grant(role, "logs:CreateLogStream", "logs:PutLogEvents")
        super().__init__(
            scope,
            id,
            description=f"Switchboard: {job}",
            runtime=lambda_.Runtime.PYTHON_3_13,
            architecture=ARCHITECTURES[settings.lambda_architecture],
            handler=f"handlers.{job}.handler",
            code=functions_code(settings.lambda_architecture),
            # Lambda gives CPU in proportion to memory: less makes cold starts slow, and calls no cheaper.
            memory_size=1024,
            timeout=Duration.seconds(timeout),
            tracing=lambda_.Tracing.DISABLED if settings.local else lambda_.Tracing.ACTIVE,
            role=role,
            log_group=log_group,
            environment={**_powertools(job, settings), **environment},
        )


def _powertools(job: str, settings: Settings) -> dict[str, str]:
    tracing = {"POWERTOOLS_TRACE_DISABLED": "true"} if settings.local else {}
    return {
        "POWERTOOLS_SERVICE_NAME": job,
        "POWERTOOLS_METRICS_NAMESPACE": "Switchboard",
        "POWERTOOLS_LOG_LEVEL": settings.log_level,
        **tracing,
    }
