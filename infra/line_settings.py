"""The lines of the floor and what may be set of them."""

from constructs import Construct

from infra.http_api import Routes, authorization
from infra.job_function import JobFunction
from infra.settings import Settings
from infra.table import FloorTable


class LineSettings(Construct):
    """Lists the catalog's queues and pools; changes the settings of one."""

    def __init__(
        self, scope: Construct, id: str, *, settings: Settings, table: FloorTable, routes: Routes
    ) -> None:
        super().__init__(scope, id)
        function = JobFunction(
            self,
            "Function",
            job="line_settings",
            settings=settings,
            timeout=settings.timeouts.http,
            environment={**table.environment, **authorization(settings)},
        )
        table.grant(function, "dynamodb:GetItem", "dynamodb:Query", "dynamodb:UpdateItem")
        routes.add(
            function,
            "GET /queues",
            "GET /queues/{key}",
            "PUT /queues/{key}",
            "GET /pools",
            "GET /pools/{key}",
            "PUT /pools/{key}",
        )
