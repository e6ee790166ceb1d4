"""Call queues on SQS: what is sent is what the matcher reads, and what AWS refuses is heard in the ports' words."""

from __future__ import annotations

import json
import re
import string
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import boto3
import pytest
from botocore.exceptions import EndpointConnectionError
from botocore.stub import Stubber
from moto import mock_aws

from switchboard import messages
from switchboard.adapters.sqs_queues import MAX_REASON, BrokenMessage, SqsCallQueues
from switchboard.domain.calls import Call
from switchboard.domain.catalog import Queue
from switchboard.domain.refusals import Contention
from switchboard.domain.skills import CHANNEL, Requirement
from switchboard.ports import Unavailable
from switchboard.settings import CallQueueAddress
from tests.contract.lives import NOW

if TYPE_CHECKING:
    from types_boto3_sqs import SQSClient

REQUIREMENT = Requirement.parse({"language": ["es", "fr"], "billing": {"min": 2}, CHANNEL: ["voice"]})
CALL = Call.request(
    "the-call", "app|one", "voice", REQUIREMENT.key, arrived_at=NOW, head_start=60, body="fingerprint"
)
BROKEN = BrokenMessage(
    id="message-1", body="{broken", sent_at=NOW, error_class="Invalid", reason="message: is not JSON"
)
LEGAL_ID = re.compile(f"[{re.escape(string.ascii_letters + string.digits + string.punctuation)}]{{1,128}}")


@pytest.fixture
def client() -> Iterator[SQSClient]:
    with mock_aws():
        yield boto3.client("sqs", region_name="us-east-1")


@pytest.fixture
def addresses(client: SQSClient) -> dict[str, CallQueueAddress]:
    def made(name: str) -> str:
        return client.create_queue(QueueName=f"{name}.fifo", Attributes={"FifoQueue": "true"})["QueueUrl"]

    return {
        channel: CallQueueAddress(
            arn=f"arn:aws:sqs:us-east-1:123456789012:{channel}.fifo",
            url=made(channel),
            dead_letters=made(f"{channel}-dead"),
        )
        for channel in ("voice", "chat")
    }


@pytest.fixture
def queues(client: SQSClient, addresses: dict[str, CallQueueAddress]) -> SqsCallQueues:
    return SqsCallQueues(client, addresses)


def received(client: SQSClient, url: str) -> list[dict[str, Any]]:
    answer = client.receive_message(
        QueueUrl=url,
        MaxNumberOfMessages=10,
        MessageSystemAttributeNames=["All"],
        MessageAttributeNames=["All"],
    )
    return [dict(message) for message in answer.get("Messages", [])]


def test_a_call_that_was_sent_is_read_as_it_was(
    client: SQSClient, queues: SqsCallQueues, addresses: dict[str, CallQueueAddress]
) -> None:
    queues.send(CALL, REQUIREMENT.text)
    (message,) = received(client, addresses["voice"].url)
    call, queue = messages.read(
        message["Body"], message_id="other", sent_at=NOW + 5, channel="voice", max_head_start=60
    )
    assert (call, queue) == (CALL, Queue(REQUIREMENT))
    assert message["Attributes"]["MessageGroupId"] == REQUIREMENT.key
    assert received(client, addresses["chat"].url) == []


def test_each_channel_has_a_queue_of_its_own(
    client: SQSClient, queues: SqsCallQueues, addresses: dict[str, CallQueueAddress]
) -> None:
    queues.send(replace(CALL, channel="chat"), REQUIREMENT.text)
    assert received(client, addresses["voice"].url) == []
    assert len(received(client, addresses["chat"].url)) == 1


def test_the_same_call_is_one_message_and_another_body_another(
    client: SQSClient, queues: SqsCallQueues, addresses: dict[str, CallQueueAddress]
) -> None:
    for call in (CALL, replace(CALL, arrived_at=NOW + 1), replace(CALL, body="another")):
        queues.send(call, REQUIREMENT.text)
    first, second = received(client, addresses["voice"].url)
    bodies = [json.loads(message["Body"])["body"] for message in (first, second)]
    assert bodies == ["fingerprint", "another"]


@pytest.mark.parametrize("call_id", ["a", "-_" * 32])
@pytest.mark.parametrize("body", ["", "b" * 64])
def test_ids_are_legal_in_sqs(
    client: SQSClient,
    queues: SqsCallQueues,
    addresses: dict[str, CallQueueAddress],
    call_id: str,
    body: str,
) -> None:
    queues.send(replace(CALL, id=call_id, body=body), REQUIREMENT.text)
    (message,) = received(client, addresses["voice"].url)
    for name in ("MessageGroupId", "MessageDeduplicationId"):
        assert LEGAL_ID.fullmatch(message["Attributes"][name])


def test_the_correlation_id_goes_along_where_there_is_one(
    client: SQSClient, addresses: dict[str, CallQueueAddress]
) -> None:
    ids = iter(["from-the-api", None])
    queues = SqsCallQueues(client, addresses, correlation_id=lambda: next(ids))
    queues.send(CALL, REQUIREMENT.text)
    queues.send(replace(CALL, id="other", queue="other"), REQUIREMENT.text)
    attributes = [
        message.get("MessageAttributes", {}) for message in received(client, addresses["voice"].url)
    ]
    assert [one.get("correlation_id", {}).get("StringValue") for one in attributes] == ["from-the-api", None]


def test_what_is_broken_is_buried_with_the_reason_in_a_group_of_its_own(
    client: SQSClient, queues: SqsCallQueues, addresses: dict[str, CallQueueAddress]
) -> None:
    queues.bury("chat", BROKEN)
    (message,) = received(client, addresses["chat"].dead_letters)
    told = {name: one["StringValue"] for name, one in message["MessageAttributes"].items()}
    assert message["Body"] == BROKEN.body
    assert message["Attributes"]["MessageGroupId"] == BROKEN.id
    assert told == {"error_class": "Invalid", "reason": BROKEN.reason, "arrived_at": str(NOW)}


@pytest.mark.parametrize(
    ("reason", "told"),
    [("a\x00b\x1fc", "a?b?c"), ("half \ud800 a pair", "half ? a pair"), ("x" * 900, "x" * MAX_REASON)],
)
def test_reasons_are_told_in_what_sqs_takes(
    client: SQSClient,
    queues: SqsCallQueues,
    addresses: dict[str, CallQueueAddress],
    reason: str,
    told: str,
) -> None:
    queues.bury("voice", replace(BROKEN, reason=reason))
    (message,) = received(client, addresses["voice"].dead_letters)
    assert message["MessageAttributes"]["reason"]["StringValue"] == told


def test_what_failed_in_passing_is_visible_again_soon(
    client: SQSClient, queues: SqsCallQueues, addresses: dict[str, CallQueueAddress]
) -> None:
    queues.send(CALL, REQUIREMENT.text)
    (message,) = received(client, addresses["voice"].url)
    assert received(client, addresses["voice"].url) == []
    queues.soon_again("voice", message["ReceiptHandle"], seconds=0)
    assert len(received(client, addresses["voice"].url)) == 1


def test_a_queue_belongs_to_one_channel(
    queues: SqsCallQueues, addresses: dict[str, CallQueueAddress]
) -> None:
    assert [queues.channel_of(address.arn) for address in addresses.values()] == ["voice", "chat"]
    with pytest.raises(KeyError):
        queues.channel_of("arn:aws:sqs:us-east-1:123456789012:other.fifo")


METHODS: dict[str, tuple[str, Callable[[SqsCallQueues], None]]] = {
    "send": ("send_message", lambda queues: queues.send(CALL, REQUIREMENT.text)),
    "bury": ("send_message", lambda queues: queues.bury("voice", BROKEN)),
    "soon_again": (
        "change_message_visibility",
        lambda queues: queues.soon_again("voice", "receipt", seconds=1),
    ),
}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    ("code", "heard"),
    [
        ("RequestThrottled", Contention),
        ("ThrottlingException", Contention),
        ("AccessDenied", Unavailable),
        ("AWS.SimpleQueueService.NonExistentQueue", Unavailable),
        ("InternalError", Unavailable),
    ],
)
def test_no_error_of_the_client_escapes(
    client: SQSClient, queues: SqsCallQueues, method: str, code: str, heard: type[Exception]
) -> None:
    operation, ask = METHODS[method]
    with Stubber(client) as stub:
        stub.add_client_error(operation, code)
        with pytest.raises(heard, match=code):
            ask(queues)


@pytest.mark.parametrize("method", METHODS)
def test_a_broken_connection_is_unavailable(client: SQSClient, queues: SqsCallQueues, method: str) -> None:
    def break_off(**_: object) -> None:
        raise EndpointConnectionError(endpoint_url="https://queue")

    client.meta.events.register_first("before-call.sqs", break_off)  # pyright: ignore[reportUnknownMemberType]
    with pytest.raises(Unavailable):
        METHODS[method][1](queues)
