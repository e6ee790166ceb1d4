"""What DynamoDB and SQS answer, in the words of the ports. No ClientError gets past here."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, cast

from botocore.exceptions import BotoCoreError, ClientError

from switchboard.adapters.items import Item, unmarshal
from switchboard.domain.refusals import Contention
from switchboard.ports import Unavailable

_CONTENTION = {
    "TransactionConflictException",
    "TransactionInProgressException",
    "ProvisionedThroughputExceededException",
    "ThrottlingException",
    "RequestLimitExceeded",
    "RequestThrottled",
}
_CONTENDED = {"TransactionConflict", "ThrottlingError", "ProvisionedThroughputExceeded"}


@contextmanager
def translated() -> Generator[None]:
    """Throttling and conflicts become Contention, anything else unexpected Unavailable."""
    try:
        yield
    except ClientError as error:
        code = error.response.get("Error", {}).get("Code", "")
        if code in _CONTENTION:
            raise Contention(f"others are at the same items: {code}") from error
        raise Unavailable(str(error)) from error
    except BotoCoreError as error:
        raise Unavailable(str(error)) from error


@dataclass(frozen=True, slots=True)
class Reason:
    """Whether an item's condition failed in a cancelled transaction, and the item that failed it."""

    refused: bool
    item: Item | None


def cancellations(cancelled: ClientError) -> list[Reason]:
    """For each item of a cancelled transaction, in order. Raises Contention if no condition failed."""
    answer = cast(Mapping[str, Any], cancelled.response)
    codes = [reason.get("Code", "None") for reason in answer.get("CancellationReasons", [])]
    if "ConditionalCheckFailed" not in codes:
        if not _CONTENDED.isdisjoint(codes):
            raise Contention(f"others are at the same items: {', '.join(codes)}") from cancelled
        raise cancelled
    return [
        Reason(code == "ConditionalCheckFailed", unmarshal(reason["Item"]) if reason.get("Item") else None)
        for code, reason in zip(codes, answer["CancellationReasons"], strict=True)
    ]


def failed_item(refused: ClientError) -> Item | None:
    """The item that failed a condition, if there is one."""
    item = cast(Mapping[str, Any], refused.response).get("Item")
    return unmarshal(item) if item else None
