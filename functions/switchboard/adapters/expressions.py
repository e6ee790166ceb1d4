"""Update expressions from plain values."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NotRequired, TypedDict

from switchboard.adapters.items import Item, Value, marshal

if TYPE_CHECKING:
    from types_boto3_dynamodb.type_defs import AttributeValueTypeDef

KEY = ("pk", "sk")


class ConditionArguments(TypedDict):
    """What every conditional write has."""

    Key: dict[str, AttributeValueTypeDef]
    ConditionExpression: str
    ExpressionAttributeNames: NotRequired[dict[str, str]]
    ExpressionAttributeValues: dict[str, AttributeValueTypeDef]


class UpdateArguments(ConditionArguments):
    """What UpdateItem and the Update of a transaction share."""

    UpdateExpression: str


@dataclass(slots=True)
class Change:
    """One conditional update. Every attribute goes by a name of its own (`#status`), so none can be a reserved word."""

    key: Item
    condition: str
    seen: Item
    _set: Item = field(default_factory=dict[str, Value])
    _add: Item = field(default_factory=dict[str, Value])
    _remove: list[str] = field(default_factory=list[str])

    def set(self, **values: Value) -> None:
        self._set.update({name: value for name, value in values.items() if name not in KEY})

    def add(self, **values: int) -> None:
        self._add.update(values)

    def remove(self, *names: str) -> None:
        self._remove += names

    def update(self) -> UpdateArguments:
        clauses = [
            ("SET", [f"#{name} = :{name}" for name in self._set]),
            ("ADD", [f"#{name} :{name}" for name in self._add]),
            ("REMOVE", [f"#{name}" for name in self._remove]),
        ]
        expression = " ".join(f"{verb} {', '.join(parts)}" for verb, parts in clauses if parts)
        return {**self.condition_only(), "UpdateExpression": expression}

    def condition_only(self) -> ConditionArguments:
        names = {*self._set, *self._add, *self._remove, *(["status"] if "#status" in self.condition else [])}
        values = {f":{name}": value for name, value in (self._set | self._add).items()} | self.seen
        arguments: ConditionArguments = {
            "Key": marshal(self.key),
            "ConditionExpression": self.condition,
            "ExpressionAttributeValues": marshal(values),
        }
        if names:
            arguments["ExpressionAttributeNames"] = {f"#{name}": name for name in sorted(names)}
        return arguments


def change_of(before: Item, after: Item, condition: str, seen: Item) -> Change:
    """The update that turns one item into the other and touches nothing else."""
    change = Change({name: after[name] for name in KEY}, condition, seen)
    change.set(**{name: value for name, value in after.items() if before.get(name) != value})
    change.remove(*(name for name in before if name not in after))
    return change
