"""Each function: what it may do, what it is told, how long it may run, and that it exists."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.infra.stack_template import StackTemplate, as_list

FUNCTIONS = Path(__file__).parents[2] / "functions"

LOGS = {"logs:CreateLogStream", "logs:PutLogEvents"}
TRACES = {"xray:PutTraceSegments", "xray:PutTelemetryRecords"}
CONSUME = {
    "sqs:ReceiveMessage",
    "sqs:ChangeMessageVisibility",
    "sqs:GetQueueUrl",
    "sqs:DeleteMessage",
    "sqs:GetQueueAttributes",
}
FOLLOW_STREAM = {
    "dynamodb:DescribeStream",
    "dynamodb:GetRecords",
    "dynamodb:GetShardIterator",
    "dynamodb:ListStreams",
}
HAND_ON_FAILURES = {"sqs:SendMessage", "sqs:GetQueueAttributes", "sqs:GetQueueUrl"}

# A transaction is allowed by the actions of its parts; a batch has an action of its own.
CHANGE = {"dynamodb:GetItem", "dynamodb:Query", "dynamodb:UpdateItem"}
PAIR = CHANGE | {"dynamodb:BatchWriteItem"}
JOIN = PAIR | {"dynamodb:PutItem"}

ACTIONS = {
    "agent_availability": JOIN | {"dynamodb:BatchGetItem", "dynamodb:DeleteItem"},
    "calls_api": PAIR | {"sqs:SendMessage"},
    "line_settings": CHANGE,
    "api_document": set[str](),
    "match_calls": JOIN | CONSUME | {"sqs:SendMessage"},
    "look": PAIR | FOLLOW_STREAM | HAND_ON_FAILURES,
    "sweep": PAIR,
}

POWERTOOLS = {"POWERTOOLS_SERVICE_NAME", "POWERTOOLS_METRICS_NAMESPACE", "POWERTOOLS_LOG_LEVEL"}
AUTHORIZATION = {"SCOPE_PREFIX", "GROUPS_CLAIM", "AGENT_ID_CLAIM"}
FLOOR = {"TABLE_NAME", "ENDED_CALL_DAYS", "JOIN_GRACE_SECONDS"}
CALLS = {"CALL_QUEUES", "MAX_QUEUES", "MAX_HEAD_START_SECONDS"}

SETTINGS = {
    "agent_availability": FLOOR | {"CHANNELS", "MAX_POOLS"} | AUTHORIZATION,
    "calls_api": FLOOR | CALLS | AUTHORIZATION,
    "line_settings": FLOOR | AUTHORIZATION,
    "api_document": AUTHORIZATION,
    "match_calls": FLOOR | CALLS,
    "look": FLOOR,
    "sweep": FLOOR,
}
JOBS = sorted(ACTIONS)

FROM_THE_RUNTIME = {"AWS_REGION": "us-east-1", "AWS_DEFAULT_REGION": "us-east-1"}


def test_there_are_no_functions_but_these(template: StackTemplate):
    assert sorted(template.functions) == JOBS


@pytest.mark.parametrize("job", JOBS)
def test_a_function_may_do_exactly_what_its_job_takes(template: StackTemplate, job: str):
    assert template.allowed_actions(job) == ACTIONS[job] | LOGS | TRACES


@pytest.mark.parametrize("job", JOBS)
def test_a_function_is_told_exactly_what_it_reads(template: StackTemplate, job: str):
    assert set(template.environment(job)) == SETTINGS[job] | POWERTOOLS


def test_only_actions_without_a_resource_of_their_own_are_allowed_on_all(template: StackTemplate):
    for policy in template.of_type("AWS::IAM::Policy").values():
        for statement in policy["PolicyDocument"]["Statement"]:
            if statement["Resource"] == "*":
                assert set(as_list(statement["Action"])) <= TRACES | {"dynamodb:ListStreams"}


def test_no_function_may_scan_the_table(template: StackTemplate):
    assert "dynamodb:Scan" not in json.dumps(template.body)
    assert "dynamodb:*" not in json.dumps(template.body)


@pytest.mark.parametrize("job", JOBS)
def test_a_handler_imports_with_the_environment_it_is_given(template: StackTemplate, job: str):
    handler: str = template.functions[job]["Handler"]
    module, function = handler.rsplit(".", 1)
    given = {name: _resolved(value) for name, value in template.environment(job).items()}
    subprocess.run(
        [sys.executable, "-c", f"from {module} import {function}; assert callable({function})"],
        env={"PYTHONPATH": str(FUNCTIONS), **FROM_THE_RUNTIME, **given},
        check=True,
    )


def test_the_matcher_and_the_api_know_the_queues_of_every_channel(template: StackTemplate):
    for job in ("calls_api", "match_calls"):
        addresses = json.loads(_resolved(template.environment(job)["CALL_QUEUES"]))
        assert list(addresses) == ["voice", "chat"]
        assert all(set(of_channel) == {"arn", "url", "dead_letters"} for of_channel in addresses.values())


def test_functions_run_python_3_13_on_arm_with_one_asset(template: StackTemplate):
    functions = template.functions.values()
    assert {f["Runtime"] for f in functions} == {"python3.13"}
    assert [f["Architectures"] for f in functions] == [["arm64"]] * len(functions)
    assert len({json.dumps(f["Code"], sort_keys=True) for f in functions}) == 1


def test_real_stages_trace_and_local_ones_do_not(template: StackTemplate, local: StackTemplate):
    assert all(f["TracingConfig"] == {"Mode": "Active"} for f in template.functions.values())
    assert not any("TracingConfig" in f for f in local.functions.values())
    assert all(local.environment(job)["POWERTOOLS_TRACE_DISABLED"] == "true" for job in JOBS)


@pytest.mark.parametrize(
    ("stage", "seconds"),
    [
        ("prod", {"http": 10, "match_calls": 30, "look": 30, "sweep": 50}),
        ("local", {"http": 10, "match_calls": 5, "look": 5, "sweep": 10}),
    ],
)
def test_timeouts_are_short_where_a_kill_is_to_be_watched(
    template_of: Any, stage: str, seconds: dict[str, int]
):
    for job, function in template_of(stage=stage).functions.items():
        assert function["Timeout"] == seconds.get(job, seconds["http"])


@pytest.mark.parametrize(("stage", "grace"), [("prod", "100"), ("local", "20")])
def test_the_join_grace_is_twice_the_longest_timeout(template_of: Any, stage: str, grace: str):
    template = template_of(stage=stage)
    assert 2 * max(f["Timeout"] for f in template.functions.values()) == int(grace)
    told = [template.environment(job).get("JOIN_GRACE_SECONDS") for job in JOBS]
    assert {value for value in told if value} == {grace}


def test_every_function_writes_to_a_log_group_of_its_own_that_forgets(template: StackTemplate):
    groups = [f["LoggingConfig"]["LogGroup"]["Ref"] for f in template.functions.values()]
    assert len(set(groups)) == len(groups)
    assert all(group["RetentionInDays"] == 30 for group in template.of_type("AWS::Logs::LogGroup").values())


def test_the_sweep_runs_every_minute_and_is_not_retried(template: StackTemplate):
    (schedule,) = template.of_type("AWS::Scheduler::Schedule").values()
    assert schedule["ScheduleExpression"] == "rate(1 minute)"
    assert schedule["Target"]["RetryPolicy"] == {"MaximumEventAgeInSeconds": 60, "MaximumRetryAttempts": 0}
    (invocation,) = template.of_type("AWS::Lambda::EventInvokeConfig").values()
    assert invocation["MaximumRetryAttempts"] == 0


def _resolved(value: Any) -> str:
    """A template's value as text, with logical ids in place of what only AWS knows."""
    match value:
        case str():
            return value
        case {"Fn::Join": [separator, parts]}:
            return str(separator).join(_resolved(part) for part in parts)
        case {"Fn::GetAtt": [logical_id, attribute]}:
            return f"{logical_id}.{attribute}"
        case {"Ref": logical_id}:
            return str(logical_id)
        case _:
            raise AssertionError(f"not known how to resolve {value}")
