"""Call queues and their dead-letter queues on SQS."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from switchboard import messages
from switchboard.adapters.translation import translated
from switchboard.domain.calls import Call
from switchboard.domain.texts import fingerprint
from switchboard.settings import CallQueueAddress

if TYPE_CHECKING:
    from types_boto3_sqs import SQSClient
    from types_boto3_sqs.type_defs import MessageAttributeValueTypeDef

NOT_IN_SQS = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What SQS refuses in attributes. https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SendMessage.html"""
MAX_REASON = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class BrokenMessage:
    """A message that can never become a call. `id`: the call's, or the message's own; `sent_at` in microseconds UTC."""

    id: str
    body: str
    sent_at: int
    error_class: str
    reason: str


class SqsCallQueues:
    """Implements ports.CallQueues; the correlation id of the moment, if there is one, goes along as an attribute."""

    def __init__(
        self,
        client: SQSClient,
        queues: Mapping[str, CallQueueAddress],
        *,
        correlation_id: Callable[[], str | None] = lambda: None,
    ) -> None:
        self._client = client
        self._queues = queues
        self._channels = {queue.arn: channel for channel, queue in queues.items()}
        self._correlation_id = correlation_id

    def send(self, call: Call, requirement_text: str) -> None:
        correlation_id = self._correlation_id()
        correlation = {"correlation_id": _text(correlation_id)} if correlation_id else {}
        with translated():
            self._client.send_message(
                QueueUrl=self._queues[call.channel].url,
                MessageBody=messages.written(call, requirement_text),
                MessageGroupId=call.queue,
                # A repeat is dropped, but not another request under the same key: its caller may be the one who is told 202.
                MessageDeduplicationId=fingerprint(f"{call.id} {call.body}"),
                MessageAttributes=correlation,
            )

    def channel_of(self, queue_arn: str) -> str:
        """The channel whose calls come in by this queue. Raises KeyError."""
        return self._channels[queue_arn]

    def bury(self, channel: str, message: BrokenMessage) -> None:
        """Put what can never succeed into the dead-letter queue, with the reason, in a group of its own."""
        with translated():
            self._client.send_message(
                QueueUrl=self._queues[channel].dead_letters,
                MessageBody=message.body,
                MessageGroupId=message.id,
                MessageDeduplicationId=message.id,
                MessageAttributes={
                    "error_class": _text(message.error_class),
                    "reason": _text(NOT_IN_SQS.sub("?", message.reason)[:MAX_REASON]),
                    "arrived_at": {"DataType": "Number", "StringValue": str(message.sent_at)},
                },
            )

    def soon_again(self, channel: str, receipt_handle: str, *, seconds: int) -> None:
        """Have a message that failed in passing visible again in so many seconds."""
        with translated():
            self._client.change_message_visibility(
                QueueUrl=self._queues[channel].url, ReceiptHandle=receipt_handle, VisibilityTimeout=seconds
            )


def _text(value: str) -> MessageAttributeValueTypeDef:
    return {"DataType": "String", "StringValue": value}
