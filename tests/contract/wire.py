"""What goes over the wire to DynamoDB, and what it costs by AWS's published rules.

Units are counted from the requests themselves: DynamoDB Local leaves out of its answers what transactions cost
more. https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/read-write-operations.html
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self, cast

if TYPE_CHECKING:
    from types_boto3_dynamodb import DynamoDBClient

IN_A_TRANSACTION = 2
KILOBYTE = 1024


@dataclass(slots=True)
class Request:
    """One request. `reported`: the units that the engine says it consumed, None where it answered with an error."""

    operation: str
    parameters: Mapping[str, Any]
    reported: float | None = None

    @property
    def writes(self) -> int:
        """How many items it writes or deletes."""
        match self.operation:
            case "PutItem" | "UpdateItem" | "DeleteItem":
                return 1
            case "BatchWriteItem":
                return sum(len(some) for some in self.parameters["RequestItems"].values())
            case "TransactWriteItems":
                return len(self.parameters["TransactItems"])
            case _:
                return 0

    @property
    def write_units(self) -> int:
        """For items of up to 1 KB, successful or not."""
        return self.writes * (IN_A_TRANSACTION if self.operation == "TransactWriteItems" else 1)

    @property
    def read_units(self) -> float:
        """As the engine reports them; AWS charges for what was not found too, where DynamoDB Local reports nothing."""
        if self.writes:
            return 0
        return max(self.reported or 0, 1 if self.parameters.get("ConsistentRead") else 0.5)


@dataclass(slots=True)
class Wire:
    """Takes down every request of a client while it is open."""

    client: DynamoDBClient
    requests: list[Request] = field(default_factory=list[Request])

    def __enter__(self) -> Self:
        events = self.client.meta.events
        events.register("before-parameter-build.dynamodb", self._sent)  # pyright: ignore[reportUnknownMemberType]
        events.register("after-call.dynamodb", self._answered)  # pyright: ignore[reportUnknownMemberType]
        return self

    def __exit__(self, *_: object) -> None:
        events = self.client.meta.events
        events.unregister("before-parameter-build.dynamodb", self._sent)  # pyright: ignore[reportUnknownMemberType]
        events.unregister("after-call.dynamodb", self._answered)  # pyright: ignore[reportUnknownMemberType]

    def clear(self) -> None:
        self.requests.clear()

    @property
    def operations(self) -> list[str]:
        return [request.operation for request in self.requests]

    @property
    def write_units(self) -> int:
        return sum(request.write_units for request in self.requests)

    @property
    def read_units(self) -> float:
        return sum(request.read_units for request in self.requests)

    def _sent(self, params: dict[str, Any], model: Any, context: dict[str, Any], **_: object) -> None:
        if model.name != "CreateTable":
            params["ReturnConsumedCapacity"] = "TOTAL"
        context["taken_down"] = Request(model.name, params)
        self.requests.append(context["taken_down"])

    def _answered(self, parsed: dict[str, Any], context: dict[str, Any], **_: object) -> None:
        consumed: Any = parsed.get("ConsumedCapacity")
        if consumed:
            tables = cast(list[Mapping[str, float]], consumed if isinstance(consumed, list) else [consumed])
            context["taken_down"].reported = sum(table["CapacityUnits"] for table in tables)


def size(item: Mapping[str, str | int]) -> int:
    """Bytes of an item as DynamoDB counts them: names, texts, and numbers at a byte for two digits and one more.

    https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/CapacityUnitCalculations.html
    """
    return sum(
        len(name.encode())
        + (len(value.encode()) if isinstance(value, str) else (len(str(value)) + 1) // 2 + 1)
        for name, value in item.items()
    )
