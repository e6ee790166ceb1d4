"""Requests to one DynamoDB table, in plain values: one method, one request."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, cast

from switchboard.adapters.expressions import Change
from switchboard.adapters.items import Item, marshal, unmarshal
from switchboard.adapters.translation import Reason, cancellations, failed_item, translated
from switchboard.domain.refusals import Contention

if TYPE_CHECKING:
    from types_boto3_dynamodb import DynamoDBClient
    from types_boto3_dynamodb.type_defs import TransactWriteItemTypeDef

MOST_IN_A_BATCH = 25


class Refused(Exception):
    """A condition failed; `item` is what stands there, None if nothing does."""

    def __init__(self, item: Item | None) -> None:
        super().__init__("a condition failed")
        self.item = item


class DynamoTable:
    """`client` may be shared by threads. Any method may raise Contention or Unavailable."""

    def __init__(self, client: DynamoDBClient, name: str) -> None:
        self._client = client
        self._name = name

    def get(self, key: Item) -> Item | None:
        """Strongly consistent."""
        with translated():
            answer = self._client.get_item(TableName=self._name, Key=marshal(key), ConsistentRead=True)
        return unmarshal(answer["Item"]) if "Item" in answer else None

    def get_several(self, keys: Sequence[Item]) -> list[Item]:
        """Those of up to 100 that are there, in no order; may be some milliseconds old."""
        with translated():
            answer = self._client.batch_get_item(
                RequestItems={self._name: {"Keys": [marshal(key) for key in keys]}}
            )
        if answer["UnprocessedKeys"]:
            raise Contention("the table is throttled")
        return [unmarshal(item) for item in answer["Responses"][self._name]]

    def first_of(
        self,
        pk: str,
        limit: int,
        *,
        after: Item | None = None,
        newest_first: bool = False,
        consistent: bool = True,
    ) -> list[Item]:
        """The first items of a partition, beginning behind the key `after`."""
        start = {"ExclusiveStartKey": marshal(after)} if after else {}
        with translated():
            answer = self._client.query(
                TableName=self._name,
                KeyConditionExpression="pk = :pk",
                ExpressionAttributeValues=marshal({":pk": pk}),
                ConsistentRead=consistent,
                ScanIndexForward=not newest_first,
                Limit=limit,
                **cast(Any, start),
            )
        return [unmarshal(item) for item in answer["Items"]]

    def all_of(self, pk: str) -> Iterator[Item]:
        """Every item of a partition, strongly consistent; a request for each MB."""
        with translated():
            pages = self._client.get_paginator("query").paginate(
                TableName=self._name,
                KeyConditionExpression="pk = :pk",
                ExpressionAttributeValues=marshal({":pk": pk}),
                ConsistentRead=True,
            )
            for page in pages:
                yield from map(unmarshal, page["Items"])

    def count_before(self, key: Item, limit: int) -> int:
        """How many items stand before this key in its partition, counted up to `limit`; milliseconds old at most."""
        with translated():
            answer = self._client.query(
                TableName=self._name,
                KeyConditionExpression="pk = :pk AND sk < :sk",
                ExpressionAttributeValues=marshal({f":{name}": key[name] for name in ("pk", "sk")}),
                Select="COUNT",
                Limit=limit,
            )
        return answer["Count"]

    def put(self, item: Item) -> None:
        with translated():
            self._client.put_item(TableName=self._name, Item=marshal(item))

    def delete(self, key: Item) -> None:
        with translated():
            self._client.delete_item(TableName=self._name, Key=marshal(key))

    def delete_several(self, keys: Sequence[Item]) -> None:
        """A request for each 25; one that is not there is no error."""
        for start in range(0, len(keys), MOST_IN_A_BATCH):
            some = keys[start : start + MOST_IN_A_BATCH]
            with translated():
                answer = self._client.batch_write_item(
                    RequestItems={self._name: [{"DeleteRequest": {"Key": marshal(key)}} for key in some]}
                )
            if answer["UnprocessedItems"]:
                raise Contention("the table is throttled")

    def update(self, change: Change) -> None:
        """Raises Refused."""
        with translated():
            try:
                self._client.update_item(
                    TableName=self._name,
                    **change.update(),
                    ReturnValuesOnConditionCheckFailure="ALL_OLD",
                )
            except self._client.exceptions.ConditionalCheckFailedException as refusal:
                raise Refused(failed_item(refusal)) from None

    def delete_if(self, change: Change) -> None:
        """Delete on the condition of a change that sets nothing. Raises Refused."""
        with translated():
            try:
                self._client.delete_item(
                    TableName=self._name,
                    **change.condition_only(),
                    ReturnValuesOnConditionCheckFailure="ALL_OLD",
                )
            except self._client.exceptions.ConditionalCheckFailedException as refusal:
                raise Refused(failed_item(refusal)) from None

    def transact(self, changes: Sequence[Change]) -> list[Reason] | None:
        """All of it or nothing. None if it was done, else for each change whether it was refused, and by what.

        Raises Contention if no condition stood in the way.
        """
        writes: list[TransactWriteItemTypeDef] = [
            {
                "Update": {
                    "TableName": self._name,
                    **change.update(),
                    "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
                }
            }
            for change in changes
        ]
        with translated():
            try:
                self._client.transact_write_items(TransactItems=writes)
            except self._client.exceptions.TransactionCanceledException as cancelled:
                return cancellations(cancelled)
        return None
