"""What the API says of itself."""

from constructs import Construct

from infra.http_api import Routes, authorization
from infra.job_function import JobFunction
from infra.settings import Settings


class ApiDocument(Construct):
    """Serves the OpenAPI document, and the problem document of a path that does not exist."""

    def __init__(self, scope: Construct, id: str, *, settings: Settings, routes: Routes) -> None:
        super().__init__(scope, id)
        function = JobFunction(
            self,
            "Function",
            job="api_document",
            settings=settings,
            timeout=settings.timeouts.http,
            environment=authorization(settings),
        )
        routes.add(function, "GET /openapi.json")
        routes.add_default(function)
