"""The table and the stream that starts the looks."""

import json

from tests.infra.stack_template import StackTemplate


def test_the_table_is_keyed_expires_streams_and_can_be_restored(template: StackTemplate):
    (table,) = template.of_type("AWS::DynamoDB::Table").values()
    assert table["KeySchema"] == [
        {"AttributeName": "pk", "KeyType": "HASH"},
        {"AttributeName": "sk", "KeyType": "RANGE"},
    ]
    assert {a["AttributeName"]: a["AttributeType"] for a in table["AttributeDefinitions"]} == {
        "pk": "S",
        "sk": "S",
    }
    assert table["BillingMode"] == "PAY_PER_REQUEST"
    assert table["StreamSpecification"] == {"StreamViewType": "NEW_AND_OLD_IMAGES"}
    assert table["TimeToLiveSpecification"] == {"AttributeName": "expires_at", "Enabled": True}
    assert table["PointInTimeRecoverySpecification"] == {"PointInTimeRecoveryEnabled": True}


def test_a_real_table_outlives_its_stack_and_a_local_one_does_not(
    template: StackTemplate, local: StackTemplate
):
    policies = [
        (resource["DeletionPolicy"], resource["Properties"].get("DeletionProtectionEnabled", False))
        for stage in (template, local)
        for resource in stage.resources.values()
        if resource["Type"] == "AWS::DynamoDB::Table"
    ]
    assert policies == [("Retain", True), ("Delete", False)]


def test_the_look_follows_only_changes_that_wake_someone_and_never_stops_at_a_broken_one(
    template: StackTemplate,
):
    mappings = template.of_type("AWS::Lambda::EventSourceMapping").values()
    (stream,) = (mapping for mapping in mappings if "StartingPosition" in mapping)
    (pattern,) = (json.loads(each["Pattern"]) for each in stream["FilterCriteria"]["Filters"])
    assert pattern == {"dynamodb": {"NewImage": {"wake": {"S": [{"exists": True}]}}}}
    assert stream["ParallelizationFactor"] == 10
    assert stream["FunctionResponseTypes"] == ["ReportBatchItemFailures"]
    assert stream["BisectBatchOnFunctionError"] is True
    assert stream["MaximumRetryAttempts"] == 5
    assert stream["MaximumRecordAgeInSeconds"] == 60
