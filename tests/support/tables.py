"""Tables as the stack deploys them: made from the synthesised template, so that infra and adapter cannot drift."""

from __future__ import annotations

import itertools
from functools import cache
from typing import TYPE_CHECKING, Any

from aws_cdk import App, Stack
from aws_cdk.assertions import Template

from infra.settings import Settings
from infra.table import FloorTable

if TYPE_CHECKING:
    from types_boto3_dynamodb import DynamoDBClient

_numbers = itertools.count()


@cache
def table_definition() -> dict[str, Any]:
    """What CreateTable needs, as the template has it."""
    stack = Stack(App(), "Tables")
    FloorTable(stack, "Table", settings=Settings(stage="local"))
    (resource,) = Template.from_stack(stack).find_resources("AWS::DynamoDB::Table").values()
    properties = resource["Properties"]
    return {
        **{name: properties[name] for name in ("KeySchema", "AttributeDefinitions", "BillingMode")},
        "StreamSpecification": {**properties["StreamSpecification"], "StreamEnabled": True},
    }


def new_table(client: DynamoDBClient) -> str:
    """An empty table; answers its name."""
    name = f"floor-{next(_numbers)}"
    client.create_table(TableName=name, **table_definition())
    return name
