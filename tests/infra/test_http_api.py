"""The HTTP API: which routes there are, and that none of them is open."""

from typing import Any

from tests.infra.stack_template import StackTemplate

ROUTES = {
    "agent_availability": {
        "GET /agents",
        "PUT /agents/{id}",
        "GET /agents/{id}",
        "DELETE /agents/{id}",
        "PUT /agents/{id}/status",
    },
    "calls_api": {"POST /calls", "GET /calls/{id}", "DELETE /calls/{id}", "POST /calls/{id}/complete"},
    "line_settings": {
        "GET /queues",
        "GET /queues/{key}",
        "PUT /queues/{key}",
        "GET /pools",
        "GET /pools/{key}",
        "PUT /pools/{key}",
    },
    "api_document": {"GET /openapi.json", "$default"},
}
ORIGIN = "https://desk.example.com"


def routes_by_job(template: StackTemplate) -> dict[str, set[str]]:
    functions = template.of_type("AWS::Lambda::Function")
    integrations = template.of_type("AWS::ApiGatewayV2::Integration")
    found: dict[str, set[str]] = {}
    for route in template.of_type("AWS::ApiGatewayV2::Route").values():
        integration = integrations[route["Target"]["Fn::Join"][1][1]["Ref"]]
        handler: str = functions[integration["IntegrationUri"]["Fn::GetAtt"][0]]["Handler"]
        found.setdefault(handler.split(".")[1], set()).add(route["RouteKey"])
    return found


def test_each_route_leads_to_the_function_that_serves_it(template: StackTemplate):
    assert routes_by_job(template) == ROUTES


def test_every_route_takes_a_token(template: StackTemplate):
    routes = template.of_type("AWS::ApiGatewayV2::Route").values()
    assert all(route["AuthorizationType"] == "JWT" for route in routes)
    assert len({route["AuthorizerId"]["Ref"] for route in routes}) == 1


def test_browsers_are_not_admitted_unless_their_origin_is_named(template: StackTemplate):
    (api,) = template.of_type("AWS::ApiGatewayV2::Api").values()
    assert "CorsConfiguration" not in api


def test_a_named_origin_may_ask_for_every_verb_and_only_its_preflight_needs_no_token(template_of: Any):
    template: StackTemplate = template_of(cors_origins=[ORIGIN])
    (api,) = template.of_type("AWS::ApiGatewayV2::Api").values()
    cors = api["CorsConfiguration"]
    assert cors["AllowOrigins"] == [ORIGIN]
    assert set(cors["AllowMethods"]) == {"GET", "POST", "PUT", "PATCH", "DELETE"}
    assert {"authorization", "content-type", "idempotency-key"} <= set(cors["AllowHeaders"])
    routes = template.of_type("AWS::ApiGatewayV2::Route").values()
    assert [r["RouteKey"] for r in routes if r["AuthorizationType"] != "JWT"] == ["OPTIONS /{proxy+}"]


def test_requests_are_throttled_and_logged(template_of: Any):
    template: StackTemplate = template_of(throttle_rate=7, throttle_burst=9)
    (stage,) = template.of_type("AWS::ApiGatewayV2::Stage").values()
    assert stage["DefaultRouteSettings"] == {"ThrottlingRateLimit": 7, "ThrottlingBurstLimit": 9}
    assert '"requestId": "$context.requestId"' in stage["AccessLogSettings"]["Format"]
    assert stage["AccessLogSettings"]["DestinationArn"]["Fn::GetAtt"][0] in template.of_type(
        "AWS::Logs::LogGroup"
    )
