"""Request bodies as strict JSON."""

import base64
import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edge.bodies import MAX_BODY_BYTES, parsed, with_plain_body
from edge.problems import Kind, Refused
from switchboard.domain.refusals import Invalid

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=10,
)


@given(st.dictionaries(st.text(), VALUES, max_size=4))
def test_every_json_object_is_read_as_it_was_written(value: dict[str, Any]):
    assert parsed(json.dumps(value)) == value
    assert parsed(json.dumps(value, ensure_ascii=False)) == value


@given(st.text())
def test_any_other_text_is_refused_and_nothing_else_happens(text: str):
    assert refusal_of(lambda: parsed(text)) in (None, "MALFORMED", "body")


@given(st.binary(max_size=200))
def test_any_bytes_are_text_or_refused(raw: bytes):
    event = {"body": base64.b64encode(raw).decode(), "isBase64Encoded": True}
    try:
        text = raw.decode()
    except UnicodeDecodeError:
        assert refusal_of(lambda: with_plain_body(event)) == "MALFORMED"
    else:
        assert with_plain_body(event)["body"] == text


@given(st.text(min_size=1))
def test_what_is_no_base64_is_read_or_refused(text: str):
    event = {"body": text, "isBase64Encoded": True}

    assert refusal_of(lambda: with_plain_body(event)) in (None, "MALFORMED")


@pytest.mark.parametrize("body", [None, ""])
def test_a_request_without_a_body_stays_as_it_is(body: str | None):
    event = {"body": body, "headers": {"Content-Type": "text/plain"}}

    assert with_plain_body(event) == event


def test_a_body_of_exactly_the_bound_is_read():
    body = "x" * MAX_BODY_BYTES

    assert with_plain_body({"body": body})["body"] == body
    with pytest.raises(Refused, match="65537") as refusal:
        with_plain_body({"body": body + "x"})
    assert refusal.value.kind is Kind.TOO_LARGE


def test_the_event_itself_is_left_as_it_was():
    event = {"body": "e30=", "isBase64Encoded": True, "headers": {"Content-Type": "Application/JSON; x=y"}}
    before = json.dumps(event)

    plain = with_plain_body(event)

    assert (plain["body"], plain["headers"]) == ("{}", {"content-type": "application/json"})
    assert json.dumps(event) == before


def refusal_of(step: Callable[[], object]) -> str | None:
    """The kind of refusal, or the field; None if there was none."""
    try:
        step()
    except Refused as refusal:
        return refusal.kind.name
    except Invalid as refusal:
        return refusal.where
    return None
