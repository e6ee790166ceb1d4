"""Alarms on what lies in a dead-letter queue."""

from typing import Any

from tests.infra.stack_template import StackTemplate


def dead_letter_queues(template: StackTemplate) -> set[str]:
    queues = template.of_type("AWS::SQS::Queue")
    return {logical_id for logical_id, queue in queues.items() if "RedrivePolicy" not in queue}


def test_a_single_dead_letter_in_any_queue_raises_an_alarm(template: StackTemplate):
    alarms = template.of_type("AWS::CloudWatch::Alarm").values()
    watched = {alarm["Dimensions"][0]["Value"]["Fn::GetAtt"][0] for alarm in alarms}
    assert watched == dead_letter_queues(template)
    for alarm in alarms:
        assert alarm["MetricName"] == "ApproximateNumberOfMessagesVisible"
        assert (alarm["Threshold"], alarm["ComparisonOperator"]) == (0, "GreaterThanThreshold")


def test_alarms_go_to_an_encrypted_topic_if_there_is_an_address(template: StackTemplate, template_of: Any):
    assert not template.of_type("AWS::SNS::Topic")
    mailed: StackTemplate = template_of(alarm_email="floor@example.com")
    (topic_id, topic), *others = mailed.of_type("AWS::SNS::Topic").items()
    assert not others
    assert topic["KmsMasterKeyId"]["Fn::GetAtt"][0] in mailed.of_type("AWS::KMS::Key")
    (policy,) = mailed.of_type("AWS::SNS::TopicPolicy").values()
    assert policy["PolicyDocument"]["Statement"][0]["Condition"] == {"Bool": {"aws:SecureTransport": "false"}}
    alarms = mailed.of_type("AWS::CloudWatch::Alarm").values()
    assert all(alarm["AlarmActions"] == [{"Ref": topic_id}] for alarm in alarms)
    (subscription,) = mailed.of_type("AWS::SNS::Subscription").values()
    assert subscription["Endpoint"] == "floor@example.com"


def test_cloudwatch_may_use_the_key_of_the_topic(template_of: Any):
    (key,) = template_of(alarm_email="floor@example.com").of_type("AWS::KMS::Key").values()
    (statement,) = (
        s for s in key["KeyPolicy"]["Statement"] if s["Principal"] == {"Service": "cloudwatch.amazonaws.com"}
    )
    assert set(statement["Action"]) == {"kms:Decrypt", "kms:GenerateDataKey*"}


def test_the_embedded_aws_has_nobody_to_alarm(local: StackTemplate):
    assert not local.of_type("AWS::CloudWatch::Alarm")
