"""The queues: order, patience, retention, and where what fails ends up."""

from typing import Any

import pytest

from tests.infra.stack_template import Resource, StackTemplate

FOUR_DAYS = 4 * 24 * 3600
FOURTEEN_DAYS = 14 * 24 * 3600


def call_queues(template: StackTemplate) -> dict[str, Resource]:
    queues = template.of_type("AWS::SQS::Queue")
    return {logical_id: queue for logical_id, queue in queues.items() if "RedrivePolicy" in queue}


def dead_letter_queue_of(template: StackTemplate, queue: Resource) -> Resource:
    target: str = queue["RedrivePolicy"]["deadLetterTargetArn"]["Fn::GetAtt"][0]
    return template.of_type("AWS::SQS::Queue")[target]


@pytest.mark.parametrize("channels", [["voice", "chat"], ["voice"], ["voice", "chat", "video_call"]])
def test_each_channel_has_a_call_queue_with_a_dead_letter_queue_of_its_own(
    template_of: Any, channels: list[str]
):
    template: StackTemplate = template_of(channels=channels)
    queues = call_queues(template).values()
    assert len(queues) == len(channels)
    assert len({q["RedrivePolicy"]["deadLetterTargetArn"]["Fn::GetAtt"][0] for q in queues}) == len(channels)


def test_a_call_that_failed_three_times_is_kept_longer_than_one_that_waits(template: StackTemplate):
    for queue in call_queues(template).values():
        assert queue["RedrivePolicy"]["maxReceiveCount"] == 3
        assert queue["MessageRetentionPeriod"] == FOUR_DAYS
        assert dead_letter_queue_of(template, queue)["MessageRetentionPeriod"] == FOURTEEN_DAYS


def test_calls_keep_their_order_within_a_line_at_high_throughput(template: StackTemplate):
    for queue in call_queues(template).values():
        for fifo in (queue, dead_letter_queue_of(template, queue)):
            assert fifo["FifoQueue"] is True
            assert fifo["DeduplicationScope"] == "messageGroup"
            assert fifo["FifoThroughputLimit"] == "perMessageGroupId"
            assert "ContentBasedDeduplication" not in fifo


@pytest.mark.parametrize("stage", ["prod", "local"])
def test_a_message_stays_invisible_for_six_runs_of_the_matcher(template_of: Any, stage: str):
    template: StackTemplate = template_of(stage=stage)
    for queue in call_queues(template).values():
        assert queue["VisibilityTimeout"] == 6 * template.functions["match_calls"]["Timeout"]


def test_the_matcher_takes_ten_calls_from_each_queue_and_answers_for_each_alone(template: StackTemplate):
    mappings = [
        mapping
        for mapping in template.of_type("AWS::Lambda::EventSourceMapping").values()
        if "StartingPosition" not in mapping
    ]
    assert {m["EventSourceArn"]["Fn::GetAtt"][0] for m in mappings} == set(call_queues(template))
    assert all(m["BatchSize"] == 10 for m in mappings)
    assert all(m["FunctionResponseTypes"] == ["ReportBatchItemFailures"] for m in mappings)


def test_every_queue_is_encrypted_and_refuses_plain_http(template: StackTemplate):
    queues = template.of_type("AWS::SQS::Queue")
    assert all(queue["SqsManagedSseEnabled"] is True for queue in queues.values())
    protected = {
        queue["Ref"]
        for policy in template.of_type("AWS::SQS::QueuePolicy").values()
        if policy["PolicyDocument"]["Statement"][0]["Effect"] == "Deny"
        and policy["PolicyDocument"]["Statement"][0]["Condition"]
        == {"Bool": {"aws:SecureTransport": "false"}}
        for queue in policy["Queues"]
    }
    assert protected == set(queues)


def test_plain_http_is_refused_only_where_there_is_tls(local: StackTemplate):
    assert not local.of_type("AWS::SQS::QueuePolicy")


def test_what_no_look_could_finish_is_kept_for_a_fortnight(template: StackTemplate):
    (stream,) = (
        m for m in template.of_type("AWS::Lambda::EventSourceMapping").values() if "StartingPosition" in m
    )
    destination = stream["DestinationConfig"]["OnFailure"]["Destination"]["Fn::GetAtt"][0]
    assert template.of_type("AWS::SQS::Queue")[destination]["MessageRetentionPeriod"] == FOURTEEN_DAYS
