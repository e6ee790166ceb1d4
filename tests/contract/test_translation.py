"""Whatever AWS answers, use cases hear Contention, Unavailable or a refusal: no ClientError gets past the adapter."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import boto3
import pytest
from botocore.exceptions import (
    ConnectionClosedError,
    ConnectTimeoutError,
    EndpointConnectionError,
    NoCredentialsError,
    ReadTimeoutError,
)
from botocore.stub import Stubber

from switchboard.adapters import items
from switchboard.adapters.dynamo_floor import DynamoFloor
from switchboard.domain.agents import AgentStatus
from switchboard.domain.calls import CallStatus
from switchboard.domain.catalog import Pool
from switchboard.domain.lines import Line
from switchboard.domain.refusals import CatalogFull, Contention, Moved, NotFound
from switchboard.domain.skills import Profile
from switchboard.ports import Floor, Outcome, Pairing, Unavailable
from tests.contract.lives import (
    ENDED_CALL_DAYS,
    NOW,
    POOL,
    agent,
    agent_in,
    call_in,
    idle,
    place_of,
    waiting,
)

if TYPE_CHECKING:
    from types_boto3_dynamodb import DynamoDBClient

ANN, HER_CALL = idle("ann"), waiting("her-call")
SPANISH = Pool(Profile.parse({"language": ["es"]}))
ATTENDING, CONNECTED = agent_in(AgentStatus.ATTENDING), call_in(CallStatus.CONNECTED)
PAIRING = Pairing(place_of(ANN), place_of(HER_CALL), NOW)

type Ask = Callable[[Floor], object]

METHODS: dict[str, tuple[str, Ask]] = {
    "agent": ("get_item", lambda floor: floor.agent("ann")),
    "call": ("get_item", lambda floor: floor.call("her-call")),
    "commit": ("update_item", lambda floor: floor.commit(None, ANN)),
    "remove": ("delete_item", lambda floor: floor.remove(ANN)),
    "enter": ("put_item", lambda floor: floor.enter(place_of(ANN))),
    "clear": ("batch_write_item", lambda floor: floor.clear([place_of(ANN)])),
    "heads": ("query", lambda floor: floor.heads(Line.of_pool(POOL), 1)),
    "ahead_of": ("query", lambda floor: floor.ahead_of(place_of(ANN), 1)),
    "claim": ("transact_write_items", lambda floor: floor.claim(PAIRING, at=NOW)),
    "part": (
        "transact_write_items",
        lambda floor: floor.part(
            (ATTENDING, ATTENDING.freed(now=NOW)), (CONNECTED, CONNECTED.completed(now=NOW))
        ),
    ),
    "catalog_version": ("get_item", lambda floor: floor.catalog_version()),
    "load_catalog": ("query", lambda floor: floor.load_catalog(1)),
    "add_to_catalog": ("transact_write_items", lambda floor: floor.add_to_catalog(SPANISH, at_most=1)),
    "change_in_catalog": ("transact_write_items", lambda floor: floor.change_in_catalog(SPANISH)),
    "list_on_roster": ("put_item", lambda floor: floor.list_on_roster("ann")),
    "strike_from_roster": ("delete_item", lambda floor: floor.strike_from_roster("ann")),
    "roster": ("query", lambda floor: floor.roster(1)),
    "agents": ("batch_get_item", lambda floor: floor.agents(["ann"])),
    "sign_in": ("put_item", lambda floor: floor.sign_in(POOL, "ann", epoch=5)),
    "sign_out": ("delete_item", lambda floor: floor.sign_out(POOL, "ann", epoch=6)),
    "anyone_signed_in": ("query", lambda floor: floor.anyone_signed_in(POOL)),
}
OTHERS_ARE_THERE = [
    "ProvisionedThroughputExceededException",
    "RequestLimitExceeded",
    "ThrottlingException",
    "TransactionConflictException",
    "TransactionInProgressException",
]
UNEXPECTED = [
    "AccessDeniedException",
    "ExpiredTokenException",
    "InternalServerError",
    "ResourceNotFoundException",
    "ServiceUnavailable",
    "ValidationException",
]
BROKEN_CONNECTIONS = [
    EndpointConnectionError(endpoint_url="http://table"),
    ConnectTimeoutError(endpoint_url="http://table"),
    ReadTimeoutError(endpoint_url="http://table"),
    ConnectionClosedError(endpoint_url="http://table"),
    NoCredentialsError(),
]


@pytest.fixture(scope="module")
def client() -> DynamoDBClient:
    """Of no table: all answers are made up here."""
    return boto3.client(
        "dynamodb", region_name="us-east-1", aws_access_key_id="test", aws_secret_access_key="test"
    )


@pytest.fixture
def stub(client: DynamoDBClient) -> Iterator[Stubber]:
    with Stubber(client) as stub:
        yield stub
        stub.assert_no_pending_responses()


@pytest.fixture
def stubbed_floor(client: DynamoDBClient) -> DynamoFloor:
    return DynamoFloor(client, "floor", ended_call_days=ENDED_CALL_DAYS)


def cancelled(stub: Stubber, *reasons: str | dict[str, Any]) -> None:
    """The next transaction is cancelled for these reasons, item by item."""
    given = [reason if isinstance(reason, dict) else {"Code": reason} for reason in reasons]
    stub.add_client_error(
        "transact_write_items",
        "TransactionCanceledException",
        http_status_code=400,
        modeled_fields={"CancellationReasons": given},
    )


def refused(owner: Any) -> dict[str, Any]:
    item = items.agent_item(owner) if hasattr(owner, "pool") else items.call_item(owner, ended_call_days=1)
    return {"Code": "ConditionalCheckFailed", "Item": items.marshal(item)}


def test_every_method_of_the_port_is_put_to_the_test() -> None:
    assert set(METHODS) == {name for name in vars(Floor) if not name.startswith("_")}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("code", OTHERS_ARE_THERE)
def test_throttling_and_conflicts_are_contention(
    stub: Stubber, stubbed_floor: DynamoFloor, method: str, code: str
) -> None:
    operation, ask = METHODS[method]
    stub.add_client_error(operation, code, http_status_code=400)
    with pytest.raises(Contention, match=code):
        ask(stubbed_floor)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("code", UNEXPECTED)
def test_any_other_error_is_unavailable_and_says_why(
    stub: Stubber, stubbed_floor: DynamoFloor, method: str, code: str
) -> None:
    operation, ask = METHODS[method]
    stub.add_client_error(operation, code, service_message="on a Friday", http_status_code=500)
    with pytest.raises(Unavailable, match=rf"{code}.*on a Friday"):
        ask(stubbed_floor)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("error", BROKEN_CONNECTIONS, ids=lambda error: type(error).__name__)
def test_a_broken_connection_is_unavailable(client: DynamoDBClient, method: str, error: Exception) -> None:
    def break_off(**_: object) -> None:
        raise error

    client.meta.events.register_first("before-call.dynamodb", break_off)  # pyright: ignore[reportUnknownMemberType]
    try:
        with pytest.raises(Unavailable):
            METHODS[method][1](DynamoFloor(client, "floor", ended_call_days=ENDED_CALL_DAYS))
    finally:
        client.meta.events.unregister("before-call.dynamodb", break_off)  # pyright: ignore[reportUnknownMemberType]


@pytest.mark.parametrize(
    "method", [name for name, (operation, _) in METHODS.items() if "transact" in operation]
)
@pytest.mark.parametrize(
    "reasons",
    [
        ("TransactionConflict", "None"),
        ("None", "TransactionConflict"),
        ("TransactionConflict", "TransactionConflict"),
        ("ThrottlingError", "None"),
        ("None", "ProvisionedThroughputExceeded"),
    ],
)
def test_a_transaction_cancelled_by_others_is_contention(
    stub: Stubber, stubbed_floor: DynamoFloor, method: str, reasons: tuple[str, str]
) -> None:
    cancelled(stub, *reasons)
    with pytest.raises(Contention):
        METHODS[method][1](stubbed_floor)


@pytest.mark.parametrize(
    "method", [name for name, (operation, _) in METHODS.items() if "transact" in operation]
)
@pytest.mark.parametrize("reason", ["ValidationError", "ItemCollectionSizeLimitExceeded", "None"])
def test_a_transaction_cancelled_for_another_reason_is_unavailable(
    stub: Stubber, stubbed_floor: DynamoFloor, method: str, reason: str
) -> None:
    cancelled(stub, reason, "None")
    with pytest.raises(Unavailable):
        METHODS[method][1](stubbed_floor)


def test_a_transaction_cancelled_without_a_reason_is_unavailable(
    stub: Stubber, stubbed_floor: DynamoFloor
) -> None:
    stub.add_client_error("transact_write_items", "TransactionCanceledException", http_status_code=400)
    with pytest.raises(Unavailable):
        stubbed_floor.claim(PAIRING, at=NOW)


def test_who_is_gone_is_known_though_others_were_at_the_other_item(
    stub: Stubber, stubbed_floor: DynamoFloor
) -> None:
    away, abandoned = ANN.away(now=NOW + 1), HER_CALL.abandoned(now=NOW + 1)
    cancelled(stub, refused(away), "TransactionConflict")
    cancelled(stub, "TransactionConflict", refused(abandoned))
    assert stubbed_floor.claim(PAIRING, at=NOW) == Outcome(agent_gone=True, agent=away)
    assert stubbed_floor.claim(PAIRING, at=NOW) == Outcome(call_gone=True, call=abandoned)


def test_a_refused_condition_brings_what_was_found(stub: Stubber, stubbed_floor: DynamoFloor) -> None:
    away = ANN.away(now=NOW + 1)
    for operation in ("update_item", "delete_item"):
        stub.add_client_error(
            operation,
            "ConditionalCheckFailedException",
            http_status_code=400,
            modeled_fields={"Item": items.marshal(items.agent_item(away))},
        )
    for ask in (
        lambda: stubbed_floor.commit(ANN, ANN.offline(now=NOW + 2)),
        lambda: stubbed_floor.remove(ANN),
    ):
        with pytest.raises(Moved) as refusal:
            ask()
        assert refusal.value.found == away


def test_a_refused_condition_of_an_absent_item_brings_nobody(
    stub: Stubber, stubbed_floor: DynamoFloor
) -> None:
    stub.add_client_error("update_item", "ConditionalCheckFailedException", http_status_code=400)
    with pytest.raises(Moved) as refusal:
        stubbed_floor.commit(agent(), agent().away(now=NOW))
    assert refusal.value.found is None


def test_a_full_catalog_and_an_unknown_item_are_refusals(stub: Stubber, stubbed_floor: DynamoFloor) -> None:
    cancelled(stub, "None", "ConditionalCheckFailed")
    with pytest.raises(CatalogFull):
        stubbed_floor.add_to_catalog(SPANISH, at_most=1)
    cancelled(stub, "ConditionalCheckFailed", "ConditionalCheckFailed")
    stubbed_floor.add_to_catalog(SPANISH, at_most=1)
    cancelled(stub, "ConditionalCheckFailed", "None")
    with pytest.raises(NotFound):
        stubbed_floor.change_in_catalog(SPANISH)


def test_what_a_batch_left_undone_is_contention(stub: Stubber, stubbed_floor: DynamoFloor) -> None:
    key = items.marshal(items.entry_key(place_of(ANN)))
    stub.add_response("batch_write_item", {"UnprocessedItems": {"floor": [{"DeleteRequest": {"Key": key}}]}})
    with pytest.raises(Contention):
        stubbed_floor.clear([place_of(ANN)])
    stub.add_response(
        "batch_get_item",
        {
            "Responses": {"floor": []},
            "UnprocessedKeys": {"floor": {"Keys": [items.marshal(items.agent_key("ann"))]}},
        },
    )
    with pytest.raises(Contention):
        stubbed_floor.agents(["ann"])
