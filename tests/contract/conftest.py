"""One floor after the other: in memory, on moto, on AWS's own engine. Whoever implements `ports.Floor` is held to this."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import boto3
import pytest
from hypothesis import HealthCheck, settings
from moto import mock_aws

from switchboard.adapters.dynamo_floor import DynamoFloor
from switchboard.adapters.memory_floor import MemoryFloor
from switchboard.ports import Floor
from tests.contract.lives import ENDED_CALL_DAYS
from tests.contract.wire import Wire
from tests.support.tables import new_table

if TYPE_CHECKING:
    from types_boto3_dynamodb import DynamoDBClient

# One floor serves all examples of a property: each takes ids that no other has.
settings.register_profile(
    "contract", deadline=None, max_examples=10, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
settings.load_profile("contract")


@pytest.fixture(scope="session")
def moto_client() -> DynamoDBClient:
    """Works inside of `mock_aws` only; to make one takes as long as a dozen tests."""
    with mock_aws():
        return boto3.client("dynamodb", region_name="us-east-1")


@pytest.fixture(params=["memory", "moto", "dynamodb_local"])
def floor(request: pytest.FixtureRequest) -> Iterator[Floor]:
    """An empty floor."""
    if request.param == "memory":
        yield MemoryFloor()
    elif request.param == "dynamodb_local":
        yield request.getfixturevalue("dynamo_floor")()
    else:
        client: DynamoDBClient = request.getfixturevalue("moto_client")
        with mock_aws():
            yield DynamoFloor(client, new_table(client), ended_call_days=ENDED_CALL_DAYS)


@pytest.fixture
def wire(dynamodb_local: DynamoDBClient) -> Iterator[Wire]:
    """All requests to DynamoDB Local."""
    with Wire(dynamodb_local) as wire:
        yield wire


@pytest.fixture
def table(dynamodb_local: DynamoDBClient) -> str:
    """An empty table of DynamoDB Local."""
    return new_table(dynamodb_local)


@pytest.fixture
def floor_on_table(dynamodb_local: DynamoDBClient, table: str) -> DynamoFloor:
    return DynamoFloor(dynamodb_local, table, ended_call_days=ENDED_CALL_DAYS)
