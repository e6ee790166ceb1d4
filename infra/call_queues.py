"""The way in for calls: one FIFO queue per channel, each with a dead-letter queue."""

from typing import Any

from aws_cdk import CfnOutput, Duration, Stack
from aws_cdk import aws_sqs as sqs
from constructs import Construct

from infra.names import pascal
from infra.settings import Settings


class CallQueues(Construct):
    """`queues` and `dead_letters` by channel."""

    def __init__(self, scope: Construct, id: str, *, settings: Settings) -> None:
        super().__init__(scope, id)
        self._settings = settings
        self.dead_letters = {channel: self._dead_letters(channel) for channel in settings.channels}
        self.queues = {channel: self._queue(channel) for channel in settings.channels}

    @property
    def environment(self) -> dict[str, str]:
        """What a function that sends or takes calls has to know."""
        addresses = {
            channel: {
                "arn": queue.queue_arn,
                "url": queue.queue_url,
                "dead_letters": self.dead_letters[channel].queue_url,
            }
            for channel, queue in self.queues.items()
        }
        return {"CALL_QUEUES": Stack.of(self).to_json_string(addresses)}

    def _queue(self, channel: str) -> sqs.Queue:
        queue = self._fifo(
            f"{pascal(channel)}Calls",
            retention_period=Duration.days(4),
            # https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-configure.html asks for six times.
            visibility_timeout=Duration.seconds(6 * self._settings.timeouts.match_calls),
            dead_letter_queue=sqs.DeadLetterQueue(queue=self.dead_letters[channel], max_receive_count=3),
        )
        CfnOutput(Stack.of(self), f"{pascal(channel)}CallQueueUrl", value=queue.queue_url)
        return queue

    def _dead_letters(self, channel: str) -> sqs.Queue:
        return self._fifo(f"{pascal(channel)}DeadLetters", retention_period=Duration.days(14))

    def _fifo(self, id: str, **what_differs: Any) -> sqs.Queue:
        return sqs.Queue(
            self,
            id,
            fifo=True,
            # Both together are "high throughput": limits count per group, which is per line.
            deduplication_scope=sqs.DeduplicationScope.MESSAGE_GROUP,
            fifo_throughput_limit=sqs.FifoThroughputLimit.PER_MESSAGE_GROUP_ID,
            encryption=sqs.QueueEncryption.SQS_MANAGED,
            enforce_ssl=self._settings.tls_only,
            **what_differs,
        )
