"""What holds for the stack as a whole."""

from tests.infra.stack_template import StackTemplate

NAMES = {
    "TableName",
    "QueueName",
    "FunctionName",
    "RoleName",
    "LogGroupName",
    "TopicName",
    "AlarmName",
    "UserPoolName",
    "ClientName",
}


def test_nothing_has_a_physical_name_so_stages_can_share_an_account(template: StackTemplate):
    for logical_id, resource in template.resources.items():
        named = NAMES & set(resource.get("Properties", {}))
        # The name of a table is also what a policy or an alarm refers to: only a text would fix it.
        assert not [name for name in named if isinstance(resource["Properties"][name], str)], logical_id


def test_the_outputs_are_what_a_user_of_the_stack_needs(template: StackTemplate):
    assert set(template.body["Outputs"]) == {
        "ApiUrl",
        "TokenUrl",
        "UserPoolId",
        "CallerClientId",
        "SupervisingClientId",
        "WebClientId",
        "TableName",
        "VoiceCallQueueUrl",
        "ChatCallQueueUrl",
    }


def test_no_custom_resource_helps_out(template: StackTemplate):
    types = {resource["Type"] for resource in template.resources.values()}
    assert not [
        type_ for type_ in types if type_.startswith(("Custom::", "AWS::CloudFormation::CustomResource"))
    ]
