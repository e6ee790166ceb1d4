"""The handlers as they are wired, on a simulated AWS: table, queue, correlation, metrics."""

import json
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import boto3
import pytest
from moto import mock_aws

from switchboard.world import Event
from tests.unit.handlers.front_desk import (
    CALLER_APP,
    ENVIRONMENT,
    LAMBDA,
    SUPERVISOR,
    Claims,
    FakeContext,
    event,
    load,
)

pytestmark = pytest.mark.filterwarnings("ignore:No application metrics", "ignore:datetime:DeprecationWarning")


@pytest.fixture
def handlers(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, ModuleType]]:
    for name, value in LAMBDA.items():
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("AWS_ENDPOINT_URL", raising=False)  # of the embedded AWS, if somebody works with it
    with mock_aws():
        boto3.client("dynamodb").create_table(
            TableName="floor",
            KeySchema=[
                {"AttributeName": "pk", "KeyType": "HASH"},
                {"AttributeName": "sk", "KeyType": "RANGE"},
            ],
            AttributeDefinitions=[
                {"AttributeName": "pk", "AttributeType": "S"},
                {"AttributeName": "sk", "AttributeType": "S"},
            ],
            BillingMode="PAY_PER_REQUEST",
        )
        sqs = boto3.client("sqs")
        url = sqs.create_queue(QueueName="voice.fifo", Attributes={"FifoQueue": "true"})["QueueUrl"]
        voice = {"arn": "arn:aws:sqs:eu-west-1:123456789012:voice.fifo", "url": url, "dead_letters": url}
        monkeypatch.setitem(ENVIRONMENT["calls_api"], "CALL_QUEUES", json.dumps({"voice": voice}))
        yield {job: load(job, monkeypatch) for job in ENVIRONMENT}


def ask(
    handler: ModuleType, verb: str, path: str, body: object = None, claims: Claims = SUPERVISOR
) -> dict[str, Any]:
    text = None if body is None else json.dumps(body)
    return handler.handler(event(verb, path, body=text, claims=claims), FakeContext())


def test_the_functions_work_on_one_table_and_the_call_carries_the_id_of_its_request(
    handlers: dict[str, ModuleType],
):
    agents, calls, lines = (handlers[job] for job in ("agent_availability", "calls_api", "line_settings"))

    registered = ask(agents, "PUT", "/agents/ana", {"name": "Ana", "profile": {"language": ["es"]}})
    available = ask(agents, "PUT", "/agents/ana/status", {"status": "available"})
    accepted = ask(calls, "POST", "/calls", {"requirement": {"language": ["es"]}}, CALLER_APP)
    hung_up = ask(calls, "DELETE", accepted["headers"]["Location"], claims=CALLER_APP)
    queues = ask(lines, "GET", "/queues")
    renamed = ask(lines, "PUT", f"/queues/{json.loads(queues['body'])['queues'][0]['key']}", {"label": "Es"})
    gone = ask(agents, "PUT", "/agents/ana/status", {"status": "offline"})
    removed = ask(agents, "DELETE", "/agents/ana")

    answers = [registered, available, accepted, hung_up, queues, renamed, gone, removed]
    assert [answer["statusCode"] for answer in answers] == [201, 200, 202, 200, 200, 200, 200, 204]
    assert json.loads(accepted["body"])["no_agent_online"] is False
    assert json.loads(hung_up["body"])["status"] == "abandoned"
    sqs = boto3.client("sqs")
    url = sqs.list_queues()["QueueUrls"][0]
    [message] = sqs.receive_message(QueueUrl=url, MessageAttributeNames=["All"])["Messages"]
    assert json.loads(message["Body"])["id"] == json.loads(accepted["body"])["id"]
    assert message["MessageAttributes"]["correlation_id"]["StringValue"] == "JKJaXmPLvHcESHA="


def test_events_are_counted_as_metrics(handlers: dict[str, ModuleType], capsys: pytest.CaptureFixture[str]):
    agents = handlers["agent_availability"]
    agents.tally(Event.CONTENDED)
    ask(agents, "GET", "/agents")

    [metrics] = [line for line in map(json.loads, capsys.readouterr().out.splitlines()) if "_aws" in line]
    assert metrics["Contended"] == [1.0]
    assert metrics["_aws"]["CloudWatchMetrics"][0]["Namespace"] == "Switchboard"


def test_a_table_that_is_not_there_is_503_and_tells_nothing_of_it(handlers: dict[str, ModuleType]):
    boto3.client("dynamodb").delete_table(TableName="floor")

    answer = ask(handlers["agent_availability"], "GET", "/agents/ana")

    assert (answer["statusCode"], answer["headers"]["Retry-After"]) == (503, "1")
    assert json.loads(answer["body"])["type"] == "/problems/unavailable"
    assert "floor" not in answer["body"]
