"""A synthesised template, asked in the project's own words."""

from collections.abc import Mapping
from typing import Any

type Resource = dict[str, Any]


class StackTemplate:
    def __init__(self, body: Mapping[str, Any]) -> None:
        self.body = body
        self.resources: dict[str, Resource] = body["Resources"]

    def of_type(self, type_: str) -> dict[str, Resource]:
        """Properties by logical id."""
        return {
            logical_id: resource.get("Properties", {})
            for logical_id, resource in self.resources.items()
            if resource["Type"] == type_
        }

    @property
    def functions(self) -> dict[str, Resource]:
        """Properties by job."""
        found = self.of_type("AWS::Lambda::Function").values()
        return {str(properties["Handler"]).split(".")[1]: properties for properties in found}

    def environment(self, job: str) -> dict[str, Any]:
        return self.functions[job]["Environment"]["Variables"]

    def allowed_actions(self, job: str) -> set[str]:
        """All that the function's role may do, from whichever construct it comes."""
        role = {"Ref": self.functions[job]["Role"]["Fn::GetAtt"][0]}
        assert "ManagedPolicyArns" not in self.resources[role["Ref"]]["Properties"]
        policies = self.of_type("AWS::IAM::Policy").values()
        statements = [
            statement
            for policy in policies
            if role in policy["Roles"]
            for statement in policy["PolicyDocument"]["Statement"]
        ]
        assert {statement["Effect"] for statement in statements} == {"Allow"}
        return {action for statement in statements for action in as_list(statement["Action"])}


def as_list(value: str | list[str]) -> list[str]:
    """IAM writes a list of one as text."""
    return [value] if isinstance(value, str) else value
