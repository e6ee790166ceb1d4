"""The message that carries a call in: what is written is read again, and what is broken is refused by name."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from switchboard import messages
from switchboard.domain.calls import Call, CallStatus
from switchboard.domain.catalog import Queue
from switchboard.domain.lines import Entry
from switchboard.domain.refusals import Invalid
from switchboard.domain.skills import Requirement
from tests.unit.domain.strategies import (
    SQS_CHARACTERS,
    Need,
    ids,
    levels,
    requirement_data,
    wide_requirements,
    wide_values,
)

SENT, SECOND = 1_766_000_000_000_000, 1_000_000
MAX_HEAD_START = 3600
ASKED = {"language": ["es"]}
SQS_BODY = re.compile("[\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]*")
"""https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SendMessage.html"""

slowly = settings(deadline=None)


def read(message: object, *, message_id: str = "m-1", sent_at: int = SENT) -> tuple[Call, Queue]:
    text = message if isinstance(message, str) else json.dumps(message)
    return messages.read(
        text, message_id=message_id, sent_at=sent_at, channel="voice", max_head_start=MAX_HEAD_START
    )


@st.composite
def calls(draw: st.DrawFn) -> tuple[Call, Requirement]:
    asks: dict[str, Need] = draw(wide_requirements)
    requirement = messages.for_channel(
        {name: need for name, need in requirement_data(asks).items() if name != "channel"}, "voice"
    )
    call = Call.request(
        draw(ids),
        draw(st.text(st.characters(min_codepoint=0x20, max_codepoint=0x7E), min_size=1, max_size=255)),
        "voice",
        requirement.key,
        arrived_at=draw(st.integers(MAX_HEAD_START * SECOND, SENT)),
        head_start=draw(st.integers(0, MAX_HEAD_START)),
        body=draw(st.just("") | ids),
    )
    return call, requirement


@slowly
@given(calls())
def test_a_written_call_is_read_again_with_its_queue(written: tuple[Call, Requirement]) -> None:
    call, requirement = written
    again, queue = read(messages.written(call, requirement.text))

    assert again == call
    assert queue.requirement == requirement
    assert queue.key == call.queue


@slowly
@given(calls())
def test_a_written_call_is_a_body_that_sqs_takes_and_the_reader_too(
    written: tuple[Call, Requirement],
) -> None:
    call, requirement = written
    text = messages.written(call, requirement.text)

    assert SQS_BODY.fullmatch(text)
    assert len(text.encode()) <= messages.MAX_BODY_BYTES


def test_a_written_message_is_json_that_leaves_the_channel_to_the_queue() -> None:
    requirement = Requirement.parse({"language": "es", "billing": {"min": 2}, "channel": "voice"})
    call = Call.request(
        "c-1", "app", "voice", requirement.key, arrived_at=SENT - 5, head_start=30, body="F00"
    )

    assert json.loads(messages.written(call, requirement.text)) == {
        "id": "c-1",
        "client": "app",
        "requirement": {"language": ["es"], "billing": {"min": 2}},
        "head_start_seconds": 30,
        "arrived_at": SENT - 5,
        "body": "F00",
    }


def test_only_the_requirement_has_to_be_there() -> None:
    call, queue = read({"requirement": ASKED}, message_id="11e2-abc")

    assert (call.id, call.client, call.channel) == ("11e2-abc", messages.DIRECT, "voice")
    assert (call.arrived_at, call.head_start, call.body) == (SENT, 0, "")
    assert (call.status, call.epoch, call.entry) == (CallStatus.REQUESTED, 1, None)
    assert queue.requirement.text == '{"channel":["voice"],"language":["es"]}'
    assert call.queue == queue.key


def test_a_requirement_may_be_empty_for_the_channel_is_always_one() -> None:
    assert read({"requirement": {}})[1].requirement.text == '{"channel":["voice"]}'


def test_calls_that_ask_the_same_on_other_channels_are_in_other_queues() -> None:
    voice, chat = (messages.for_channel(ASKED, channel) for channel in ("voice", "chat"))

    assert voice.key != chat.key


def test_null_as_client_or_body_is_as_good_as_none() -> None:
    assert read({"requirement": ASKED, "client": None, "body": None}) == read({"requirement": ASKED})


def test_a_client_may_have_a_long_name() -> None:
    assert read({"requirement": ASKED, "client": "x" * 255})[0].client == "x" * 255


def test_an_earlier_arrival_is_kept_and_a_clock_a_minute_ahead_forgiven() -> None:
    for arrived_at in (SENT - 3600 * SECOND, SENT, SENT + 60 * SECOND):
        assert read({"requirement": ASKED, "arrived_at": arrived_at})[0].arrived_at == arrived_at


def test_an_arrival_in_the_future_is_refused() -> None:
    for ahead in (60 * SECOND + 1, 10**20):
        with pytest.raises(Invalid, match=r"^arrived_at: "):
            read({"requirement": ASKED, "arrived_at": SENT + ahead})


def test_a_head_start_may_be_as_long_as_the_longest() -> None:
    call, _ = read({"requirement": ASKED, "head_start_seconds": MAX_HEAD_START})

    assert call.effective_arrival == SENT - MAX_HEAD_START * SECOND


def asking(**others: Any) -> dict[str, Any]:
    return {"requirement": ASKED} | others


BROKEN: dict[str, tuple[Any, str]] = {
    "nothing": ("", "message"),
    "no JSON": ("hello", "message"),
    "half of it": ('{"requirement": {', "message"),
    "more than one": ("{} {}", "message"),
    "a byte order mark": ('\ufeff{"requirement": {}}', "message"),
    "a control character in a text": ('{"id": "a\x00"}', "message"),
    "a list": ("[]", "message"),
    "a number": ("7", "message"),
    "null": ("null", "message"),
    "a text": ('"requirement"', "message"),
    "lists too deep": ("[" * 16_000, "message"),
    "objects too deep": ('{"a":' * 3_000, "message"),
    "a number without end": ('{"arrived_at": ' + "1" * 5_000 + "}", "message"),
    "too long": (json.dumps(asking(body="x" * 16_384)), "message"),
    "too many bytes, few characters": (
        json.dumps(asking(client="\u4e2d" * 6_000), ensure_ascii=False),
        "message",
    ),
    "a raw lone surrogate": ('{"requirement": {"language": ["\ud800"]}}', "requirement.language[0]"),
    "an unknown field": (asking(priority=1), "priority"),
    "unknown fields, the first by name": (asking(zz=1, aa=1), "aa"),
    "an unknown field too long, cut short": (asking(**{"k" * 5_000: 1}), "k" * 64),
    "no requirement": ({}, "requirement"),
    "a requirement of null": ({"requirement": None}, "requirement"),
    "a requirement in a list": ({"requirement": [ASKED]}, "requirement"),
    "a requirement as text": ({"requirement": "es"}, "requirement"),
    "the channel": ({"requirement": {"channel": ["chat"]}}, "requirement.channel"),
    "the channel, and the same": ({"requirement": {"channel": ["voice"]}}, "requirement.channel"),
    "a wrong value": ({"requirement": {"language": ["es", 7]}}, "requirement.language[1]"),
    "an escaped lone surrogate": ('{"requirement": {"language": "\\ud800"}}', "requirement.language"),
    "a wrong minimum": ({"requirement": {"billing": {"min": 0}}}, "requirement.billing.min"),
    "lists deep in the requirement": (
        '{"requirement": {"a": ' + "[" * 500 + "]" * 500 + "}}",
        "requirement.a[0]",
    ),
    "twenty attributes and the channel": ({"requirement": {f"a{n}": "x" for n in range(20)}}, "requirement"),
    "a requirement too long": ({"requirement": {f"a{n}": "x" * 64 for n in range(19)}}, "requirement"),
    "id null": (asking(id=None), "id"),
    "id a number": (asking(id=7), "id"),
    "id empty": (asking(id=""), "id"),
    "id too long": (asking(id="a" * 65), "id"),
    "id with a number sign": (asking(id="a#b"), "id"),
    "id with a line feed": (asking(id="a\n"), "id"),
    "client a number": (asking(client=7), "client"),
    "client empty": (asking(client=""), "client"),
    "client too long": (asking(client="x" * 256), "client"),
    "client with a control character": (asking(client="a\x1bb"), "client"),
    "head start negative": (asking(head_start_seconds=-1), "head_start_seconds"),
    "head start too long": (asking(head_start_seconds=MAX_HEAD_START + 1), "head_start_seconds"),
    "head start a float": (asking(head_start_seconds=30.0), "head_start_seconds"),
    "head start true": (asking(head_start_seconds=True), "head_start_seconds"),
    "head start as text": (asking(head_start_seconds="30"), "head_start_seconds"),
    "head start null": (asking(head_start_seconds=None), "head_start_seconds"),
    "head start no number": (asking(head_start_seconds=float("nan")), "head_start_seconds"),
    "arrival negative": (asking(arrived_at=-1), "arrived_at"),
    "arrival a float": (asking(arrived_at=1.5), "arrived_at"),
    "arrival false": (asking(arrived_at=False), "arrived_at"),
    "arrival as text": (asking(arrived_at="2026-01-01T00:00:00Z"), "arrived_at"),
    "arrival null": (asking(arrived_at=None), "arrived_at"),
    "body a number": (asking(body=7), "body"),
    "body an object": (asking(body={}), "body"),
    "body false": (asking(body=False), "body"),
    "body with blanks": (asking(body="a b"), "body"),
    "body too long": (asking(body="a" * 65), "body"),
}


@pytest.mark.parametrize(("message", "where"), BROKEN.values(), ids=BROKEN.keys())
def test_a_broken_message_is_refused_and_the_place_named(message: object, where: str) -> None:
    with pytest.raises(Invalid) as refusal:
        read(message)

    assert refusal.value.where == where
    assert re.match("(must|is) ", refusal.value.reason)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-1, SENT) | st.floats() | st.text(max_size=4) | levels,
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(
            st.sampled_from(("language", "min", "any", "all", "channel", "a b")), inner, max_size=2
        )
    ),
    max_leaves=5,
)
messages_of_any_kind = st.fixed_dictionaries(
    {"requirement": json_values | st.just(ASKED)},
    optional={
        "id": ids | json_values,
        "client": wide_values | json_values,
        "head_start_seconds": st.integers(0, MAX_HEAD_START) | json_values,
        "arrived_at": st.integers(SENT - SECOND, SENT) | json_values,
        "body": ids | json_values,
    },
)


def read_or_refused(text: str) -> Call | Invalid:
    try:
        return read(text)[0]
    except Invalid as refusal:
        return refusal


@slowly
@given(st.text() | st.text('{}[]":,1e-.') | messages_of_any_kind.map(json.dumps))
def test_any_text_at_all_is_a_call_or_refused_and_a_call_fits_the_queue_and_the_line(text: str) -> None:
    outcome = read_or_refused(text)
    if isinstance(outcome, Invalid):
        assert outcome.where
        return
    for sqs_id in (outcome.id, outcome.queue):
        assert 1 <= len(sqs_id) <= 128
        assert set(sqs_id) <= SQS_CHARACTERS
    entry = outcome.waiting(now=SENT, attempt="0a").entry
    assert entry is not None
    assert Entry.parse(entry.line, entry.key) == entry
