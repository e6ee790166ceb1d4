"""The HTTP API, throttled and logged, and its routes: none of them without a token."""

import json

from aws_cdk import Duration, RemovalPolicy
from aws_cdk import aws_apigatewayv2 as apigwv2
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_logs as logs
from aws_cdk.aws_apigatewayv2_authorizers import HttpJwtAuthorizer
from aws_cdk.aws_apigatewayv2_integrations import HttpLambdaIntegration
from constructs import Construct

from infra.settings import Settings
from infra.token_issuer import TokenIssuer

ACCESS_LOG = {
    "requestId": "$context.requestId",
    "time": "$context.requestTime",
    "route": "$context.routeKey",
    "path": "$context.path",
    "status": "$context.status",
    "latencyMs": "$context.responseLatency",
    "client": "$context.authorizer.claims.client_id",
    "refusal": "$context.authorizer.error",
    "error": "$context.integrationErrorMessage",
}


class HttpApi(apigwv2.HttpApi):
    """One stage, `$default`: the paths are those of the API document."""

    def __init__(self, scope: Construct, id: str, *, settings: Settings) -> None:
        super().__init__(scope, id, create_default_stage=False, cors_preflight=_cors(settings))
        self.admits_browsers = bool(settings.cors_origins)
        access_logs = logs.LogGroup(
            self, "AccessLogs", retention=logs.RetentionDays.ONE_MONTH, removal_policy=RemovalPolicy.DESTROY
        )
        # The stage of CDK's second level takes access logs only as a class written for the purpose.
        apigwv2.CfnStage(
            self,
            "Stage",
            api_id=self.api_id,
            stage_name="$default",
            auto_deploy=True,
            access_log_settings=apigwv2.CfnStage.AccessLogSettingsProperty(
                destination_arn=access_logs.log_group_arn, format=json.dumps(ACCESS_LOG)
            ),
            default_route_settings=apigwv2.CfnStage.RouteSettingsProperty(
                throttling_rate_limit=settings.throttle_rate, throttling_burst_limit=settings.throttle_burst
            ),
        )


class Routes:
    """Adds routes that only a valid token of this issuer passes. What it may do there, the function decides."""

    def __init__(self, api: HttpApi, issuer: TokenIssuer) -> None:
        self._api = api
        self._authorizer = HttpJwtAuthorizer("Tokens", issuer.url, jwt_audience=list(issuer.audience))

    def add(self, function: lambda_.IFunction, *routes: str) -> None:
        """`routes`: as in `GET /agents/{id}`."""
        integration = HttpLambdaIntegration("Integration", function)
        for verb, path in (route.split(" ") for route in routes):
            self._api.add_routes(
                path=path,
                methods=[apigwv2.HttpMethod(verb)],
                integration=integration,
                authorizer=self._authorizer,
            )

    def add_default(self, function: lambda_.IFunction) -> None:
        """Whatever matches no route."""
        integration = HttpLambdaIntegration("NoRoute", function)
        apigwv2.HttpRoute(
            self._api,
            "NoRoute",
            http_api=self._api,
            route_key=apigwv2.HttpRouteKey.DEFAULT,
            integration=integration,
            authorizer=self._authorizer,
        )
        if self._api.admits_browsers:
            # A browser's preflight carries no token; without this route it would meet the default's authorizer.
            # https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-cors.html
            self._api.add_routes(
                path="/{proxy+}", methods=[apigwv2.HttpMethod.OPTIONS], integration=integration
            )


def authorization(settings: Settings) -> dict[str, str]:
    """What a function that answers requests has to know about tokens."""
    return {
        "SCOPE_PREFIX": settings.scope_prefix,
        "GROUPS_CLAIM": settings.groups_claim,
        "AGENT_ID_CLAIM": settings.agent_id_claim,
    }


def _cors(settings: Settings) -> apigwv2.CorsPreflightOptions | None:
    if not settings.cors_origins:
        return None
    return apigwv2.CorsPreflightOptions(
        allow_origins=list(settings.cors_origins),
        allow_methods=[apigwv2.CorsHttpMethod(verb) for verb in ("GET", "POST", "PUT", "PATCH", "DELETE")],
        allow_headers=["authorization", "content-type", "idempotency-key"],
        expose_headers=["location", "retry-after"],
        max_age=Duration.hours(1),
    )
