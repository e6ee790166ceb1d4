"""What lies behind the API, through AWS's own: table, queues, functions and their logs."""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Generator, Iterable, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self, cast

import boto3

from local.stack import DeployedStack
from tests.e2e.asker import eventually

if TYPE_CHECKING:
    from types_boto3_dynamodb import DynamoDBClient
    from types_boto3_sqs import SQSClient
    from types_boto3_sqs.type_defs import MessageTypeDef

type Item = dict[str, str | int]


@dataclass(frozen=True, slots=True)
class DeadLetter:
    """A message in a dead-letter queue."""

    body: str
    error_class: str
    reason: str

    @classmethod
    def of(cls, message: MessageTypeDef) -> Self:
        given = message.get("MessageAttributes") or {}
        attributes = {name: value.get("StringValue", "") for name, value in given.items()}
        return cls(message.get("Body", ""), attributes["error_class"], attributes["reason"])


class Backstage:
    """For what no user sees, and for what only an operator may do."""

    def __init__(self, stack: DeployedStack) -> None:
        self._stack = stack
        self.sqs: SQSClient = boto3.client("sqs", **stack.aws)
        self.dynamodb: DynamoDBClient = boto3.client("dynamodb", **stack.aws)
        self.functions: Any = boto3.client("lambda", **stack.aws)
        self.schedules: Any = boto3.client("scheduler", **stack.aws)
        self.gateway: Any = boto3.client("apigatewayv2", **stack.aws)
        self.users: Any = boto3.client("cognito-idp", **stack.aws)
        self._logs: Any = boto3.client("logs", **stack.aws)

    # --- table

    def table(self, *about: str) -> list[Item]:
        """The items whose text contains one of these, by key; all, if none are given."""
        pages = self.dynamodb.get_paginator("scan").paginate(TableName=self._stack.table_name)
        found = [
            {name: int(v["N"]) if "N" in v else v.get("S", "") for name, v in item.items()}
            for page in pages
            for item in page["Items"]
        ]
        chosen = [item for item in found if not about or any(text in json.dumps(item) for text in about)]
        return sorted(chosen, key=lambda item: (str(item["pk"]), str(item["sk"])))

    def quiet_table(self) -> list[Item]:
        """The whole table, once nobody writes any more."""

        def seen_twice() -> tuple[list[Item], list[Item]]:
            before = self.table()
            time.sleep(0.2)
            return before, self.table()

        return eventually(seen_twice, lambda two: two[0] == two[1])[1]

    def state(self, kind: str, id: str) -> Item | None:
        """The STATE item of an agent or call, as in `state("CALL", call_id)`."""
        answer = self.dynamodb.get_item(
            TableName=self._stack.table_name,
            Key={"pk": {"S": f"{kind}#{id}"}, "sk": {"S": "STATE"}},
            ConsistentRead=True,
        )
        item = answer.get("Item")
        return {n: int(v["N"]) if "N" in v else v.get("S", "") for n, v in item.items()} if item else None

    def put_back(self, item: Item) -> None:
        """Writes an item as it was read."""
        values = {n: {"N": str(v)} if isinstance(v, int) else {"S": v} for n, v in item.items()}
        self.dynamodb.put_item(TableName=self._stack.table_name, Item=cast(Any, values))

    def set_number(self, item: Mapping[str, str | int], attribute: str, value: int) -> None:
        """Writes one number into an item that is there."""
        self.dynamodb.update_item(
            TableName=self._stack.table_name,
            Key={"pk": {"S": str(item["pk"])}, "sk": {"S": str(item["sk"])}},
            UpdateExpression="SET #name = :value",
            ConditionExpression="attribute_exists(pk)",
            ExpressionAttributeNames={"#name": attribute},
            ExpressionAttributeValues={":value": {"N": str(value)}},
        )

    @contextmanager
    def full_catalog(self) -> Generator[None]:
        """As if there were as many pools and queues as there may be."""
        [catalog] = [item for item in self.table("CATALOG") if item["sk"] == "VERSION"]
        for kind in ("pools", "queues"):
            self.set_number(catalog, kind, 200)
        try:
            yield
        finally:
            for kind in ("pools", "queues"):
                self.set_number(catalog, kind, int(catalog[kind]))

    # --- queues

    def send(
        self, message: object, *, group: str, channel: str = "voice", deduplication: str | None = None
    ) -> str:
        """Sends it straight to the call queue, as JSON unless it is text; answers the message's id."""
        answer = self.sqs.send_message(
            QueueUrl=self._stack.call_queue_urls[channel],
            MessageBody=message if isinstance(message, str) else json.dumps(message),
            MessageGroupId=group,
            MessageDeduplicationId=deduplication or uuid.uuid4().hex,
        )
        return answer["MessageId"]

    def dead_letters(self, channel: str = "voice", *, at_least: int = 0) -> list[DeadLetter]:
        """Takes out what lies in the dead-letter queue, once there are so many."""
        queue = self._dead_letter_queue(channel)
        found: list[DeadLetter] = []

        def take() -> list[DeadLetter]:
            answer = self.sqs.receive_message(
                QueueUrl=queue, MaxNumberOfMessages=10, MessageAttributeNames=["All"]
            )
            for message in answer.get("Messages", []):
                found.append(DeadLetter.of(message))
                self.sqs.delete_message(QueueUrl=queue, ReceiptHandle=message.get("ReceiptHandle", ""))
            return found

        return eventually(take, lambda some: len(some) >= at_least)

    def messages_left(self, channel: str = "voice") -> int:
        """In the call queue, those in flight included."""
        counted = ("ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible")
        attributes = self._attributes(self._stack.call_queue_urls[channel])
        return sum(int(attributes[name]) for name in counted)

    def all_taken(self, channel: str = "voice") -> None:
        """Returns once the matcher is done with all that was sent."""
        eventually(lambda: self.messages_left(channel), lambda left: left == 0)

    @contextmanager
    def visibility(self, seconds: int, *, channel: str = "voice") -> Generator[None]:
        """How soon messages come back whose matcher died; the deployed 30 s are long to wait."""
        url = self._stack.call_queue_urls[channel]
        deployed = self._attributes(url)["VisibilityTimeout"]
        self.sqs.set_queue_attributes(QueueUrl=url, Attributes={"VisibilityTimeout": str(seconds)})
        try:
            yield
        finally:
            self.sqs.set_queue_attributes(QueueUrl=url, Attributes={"VisibilityTimeout": deployed})

    def _dead_letter_queue(self, channel: str) -> str:
        policy = json.loads(self._attributes(self._stack.call_queue_urls[channel])["RedrivePolicy"])
        return self.sqs.get_queue_url(QueueName=policy["deadLetterTargetArn"].split(":")[-1])["QueueUrl"]

    def _attributes(self, url: str) -> dict[str, str]:
        answer = self.sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["All"])
        return {str(name): value for name, value in answer["Attributes"].items()}

    # --- functions

    def invoke(self, job: str, event: object = None) -> Any:
        """What the function answers to an event."""
        answer = self.functions.invoke(FunctionName=self.function(job), Payload=json.dumps(event or {}))
        with answer["Payload"] as payload:
            told = json.loads(payload.read())
        assert "FunctionError" not in answer, told
        return told

    def function(self, job: str) -> str:
        """The name of the function that does the job."""
        return self._functions[job]["FunctionName"]

    @contextmanager
    def environment(self, job: str, **variables: str) -> Generator[None]:
        """These variables on top of those that the function has."""
        name, deployed = self.function(job), self._functions[job]["Environment"]["Variables"]
        self.functions.update_function_configuration(
            FunctionName=name, Environment={"Variables": {**deployed, **variables}}
        )
        try:
            yield
        finally:
            self.functions.update_function_configuration(
                FunctionName=name, Environment={"Variables": deployed}
            )

    @contextmanager
    def paused(self, job: str) -> Generator[None]:
        """The function gets neither messages nor stream records meanwhile; they wait."""
        mappings = self.functions.list_event_source_mappings(FunctionName=self.function(job))
        uuids = [mapping["UUID"] for mapping in mappings["EventSourceMappings"]]
        assert uuids
        try:
            for uuid_ in uuids:
                self.functions.update_event_source_mapping(UUID=uuid_, Enabled=False)
            yield
        finally:
            for uuid_ in uuids:
                self.functions.update_event_source_mapping(UUID=uuid_, Enabled=True)

    def log(self, job: str, **having: object) -> list[dict[str, Any]]:
        """The lines of the function's log that are JSON and have these values."""
        group = self._functions[job]["LoggingConfig"]["LogGroup"]
        pages = self._logs.get_paginator("filter_log_events").paginate(logGroupName=group)
        lines = _json_lines(event["message"] for page in pages for event in page["events"])
        return [line for line in lines if having.items() <= _hashable(line).items()]

    @cached_property
    def _functions(self) -> dict[str, Any]:
        pages = self.functions.get_paginator("list_functions").paginate()
        prefix = "Switchboard: "
        return {
            function["Description"].removeprefix(prefix): function
            for page in pages
            for function in page["Functions"]
            if function["Description"].startswith(prefix)
        }


def _json_lines(lines: Iterable[str]) -> Iterable[dict[str, Any]]:
    for line in lines:
        if line.startswith("{"):
            yield json.loads(line)


def _hashable(line: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in line.items() if not isinstance(value, dict | list)}
