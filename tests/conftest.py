"""Servers that suites share, one of each for a test process, started when first needed and stopped at the end."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import boto3
import pytest
from botocore.config import Config

from local.servers import DynamoDBLocal
from switchboard.adapters.dynamo_floor import DynamoFloor
from tests.support.tables import new_table

if TYPE_CHECKING:
    from types_boto3_dynamodb import DynamoDBClient

ENDED_CALL_DAYS = 21


def pytest_configure() -> None:
    """Whoever has a shell for the embedded AWS, or for an account, tests neither of them by that."""
    for name in [name for name in os.environ if name.startswith(("AWS_", "SWITCHBOARD_"))]:
        del os.environ[name]


@pytest.fixture(scope="session")
def dynamodb_local(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DynamoDBClient]:
    """AWS's own engine."""
    with DynamoDBLocal(tmp_path_factory.mktemp("dynamodb")) as server:
        yield boto3.client(
            "dynamodb",
            **server.client,
            config=Config(max_pool_connections=32, retries={"mode": "standard", "total_max_attempts": 3}),
        )


@pytest.fixture
def dynamo_floor(dynamodb_local: DynamoDBClient) -> Callable[[], DynamoFloor]:
    """Makes floors on empty tables of DynamoDB Local."""
    return lambda: DynamoFloor(dynamodb_local, new_table(dynamodb_local), ended_call_days=ENDED_CALL_DAYS)
