"""The whole of Switchboard on one screen."""

from aws_cdk import CfnOutput, Stack
from constructs import Construct

from infra.agent_availability import AgentAvailability
from infra.alarms import Alarms
from infra.api_document import ApiDocument
from infra.call_queues import CallQueues
from infra.calls_api import CallsApi
from infra.http_api import HttpApi, Routes
from infra.line_settings import LineSettings
from infra.look import Look
from infra.match_calls import MatchCalls
from infra.settings import Settings
from infra.sweep import Sweep
from infra.table import FloorTable
from infra.token_issuer import token_issuer


class SwitchboardStack(Stack):
    """One table is the truth, queues carry calls in, functions run the code, an HTTP API fronts it."""

    def __init__(self, scope: Construct, id: str, *, settings: Settings) -> None:
        super().__init__(scope, id, description="Switchboard: a caller gets an agent")
        table = FloorTable(self, "Table", settings=settings)
        call_queues = CallQueues(self, "CallQueues", settings=settings)

        api = HttpApi(self, "Api", settings=settings)
        issuer = token_issuer(self, settings=settings, web_origins=[api.api_endpoint, *settings.cors_origins])
        routes = Routes(api, issuer)
        AgentAvailability(self, "AgentAvailability", settings=settings, table=table, routes=routes)
        CallsApi(self, "CallsApi", settings=settings, table=table, call_queues=call_queues, routes=routes)
        LineSettings(self, "LineSettings", settings=settings, table=table, routes=routes)
        ApiDocument(self, "ApiDocument", settings=settings, routes=routes)

        MatchCalls(self, "MatchCalls", settings=settings, table=table, call_queues=call_queues)
        look = Look(self, "Look", settings=settings, table=table)
        Sweep(self, "Sweep", settings=settings, table=table)

        if not settings.local:
            dead_letters = {**call_queues.dead_letters, "look": look.dead_letters}
            Alarms(self, "Alarms", dead_letters=dead_letters, email=settings.alarm_email)

        CfnOutput(self, "ApiUrl", value=api.api_endpoint)
        CfnOutput(self, "TableName", value=table.table_name)
