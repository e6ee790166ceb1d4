"""What runs behind the API without AWS: a function's handler on a table and queues in memory (moto)."""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Mapping
from typing import Any, cast

import boto3
import pytest

from switchboard.adapters.dynamo_floor import DynamoFloor
from switchboard.world import World
from tests.support.tables import new_table
from tests.support.worlds import world_on
from tests.unit.handlers.front_desk import LAMBDA, FakeContext

CHANNEL = "voice"


class BackOffice:
    """One function, imported anew with just the environment that it is deployed with."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, job: str, **settings: str) -> None:
        for name, value in {**LAMBDA, "AWS_REGION": LAMBDA["AWS_DEFAULT_REGION"]}.items():
            monkeypatch.setenv(name, value)
        monkeypatch.delenv("AWS_ENDPOINT_URL", raising=False)
        self.sqs = boto3.client("sqs")
        self.calls = self._queue("calls.fifo")
        self.dead_letters = self._queue("dead.fifo")
        dynamodb = boto3.client("dynamodb")
        table = new_table(dynamodb)
        self.floor = DynamoFloor(dynamodb, table, ended_call_days=21)
        address = {"arn": self._arn(self.calls), "url": self.calls, "dead_letters": self.dead_letters}
        environment = {
            "TABLE_NAME": table,
            "CALL_QUEUES": json.dumps({CHANNEL: address}),
            "ENDED_CALL_DAYS": "21",
            "JOIN_GRACE_SECONDS": "60",
            "MAX_QUEUES": "3",
            "MAX_HEAD_START_SECONDS": "3600",
            **settings,
        }
        for name, value in environment.items():
            monkeypatch.setenv(name, value)
        sys.modules.pop(f"handlers.{job}", None)
        self.module = importlib.import_module(f"handlers.{job}")

    @property
    def world(self) -> World:
        """For what others do meanwhile; its clock is the handler's."""
        return world_on(self.floor, clock=self.module.world.clock)

    def invoke(self, event: Mapping[str, Any]) -> dict[str, Any]:
        return self.module.handler(event, FakeContext())

    def send(self, body: object, *, group: str = "group") -> str:
        """A message in the call queue; answers its id."""
        text = body if isinstance(body, str) else json.dumps(body)
        return self.sqs.send_message(
            QueueUrl=self.calls,
            MessageBody=text,
            MessageGroupId=group,
            MessageDeduplicationId=str(hash((text, group))),
        )["MessageId"]

    def received(self, *, times: int = 1) -> dict[str, Any]:
        """All messages of the call queue as an event source mapping hands them over."""
        messages = self.sqs.receive_message(
            QueueUrl=self.calls,
            MaxNumberOfMessages=10,
            AttributeNames=["All"],
            MessageAttributeNames=["All"],
        ).get("Messages", [])
        return {"Records": [self._record(cast("dict[str, Any]", message), times) for message in messages]}

    def dead(self) -> list[dict[str, Any]]:
        answer = self.sqs.receive_message(
            QueueUrl=self.dead_letters,
            MaxNumberOfMessages=10,
            AttributeNames=["All"],
            MessageAttributeNames=["All"],
        )
        return cast("list[dict[str, Any]]", answer.get("Messages", []))

    def _record(self, message: dict[str, Any], times: int) -> dict[str, Any]:
        return {
            "messageId": message["MessageId"],
            "receiptHandle": message["ReceiptHandle"],
            "body": message["Body"],
            "attributes": {**message["Attributes"], "ApproximateReceiveCount": str(times)},
            "messageAttributes": {},
            "eventSource": "aws:sqs",
            "eventSourceARN": self._arn(self.calls),
            "awsRegion": LAMBDA["AWS_DEFAULT_REGION"],
        }

    def _queue(self, name: str) -> str:
        return self.sqs.create_queue(QueueName=name, Attributes={"FifoQueue": "true"})["QueueUrl"]

    def _arn(self, url: str) -> str:
        answer = self.sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["QueueArn"])
        return answer["Attributes"]["QueueArn"]
