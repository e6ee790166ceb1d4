"""Settings that the embedded AWS's CloudFormation drops, set through its API from the same template."""

from collections.abc import Mapping
from typing import Any

import boto3

from local.servers import ClientArguments


def close_gaps(aws: ClientArguments, template: Mapping[str, Any], stack_name: str) -> None:
    """AWS takes them from the template: there is nothing to do there, and this refuses to."""
    if not aws["endpoint_url"].startswith("http://127.0.0.1:"):
        raise ValueError(f"not the embedded AWS: {aws['endpoint_url']}")
    physical_ids = _physical_ids(aws, stack_name)
    for logical_id, resource in template["Resources"].items():
        match resource:
            case {"Type": "AWS::DynamoDB::Table", "Properties": {"TimeToLiveSpecification": expiry}}:
                _set_expiry(aws, physical_ids[logical_id], expiry["AttributeName"])
            case {"Type": "AWS::ApiGatewayV2::Api", "Properties": {"CorsConfiguration": cors}}:
                apis = boto3.client("apigatewayv2", **aws)
                apis.update_api(ApiId=physical_ids[logical_id], CorsConfiguration=cors)
            case _:
                pass


def _physical_ids(aws: ClientArguments, stack_name: str) -> dict[str, str]:
    stacks = boto3.client("cloudformation", **aws)
    resources = stacks.describe_stack_resources(StackName=stack_name)["StackResources"]
    return {r["LogicalResourceId"]: r.get("PhysicalResourceId", "") for r in resources}


def _set_expiry(aws: ClientArguments, table_name: str, attribute: str) -> None:
    tables = boto3.client("dynamodb", **aws)
    found = tables.describe_time_to_live(TableName=table_name)["TimeToLiveDescription"]
    if found.get("TimeToLiveStatus") != "ENABLED":  # setting it twice is an error
        tables.update_time_to_live(
            TableName=table_name, TimeToLiveSpecification={"Enabled": True, "AttributeName": attribute}
        )
