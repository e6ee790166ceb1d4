"""Request bodies as strict JSON: one object, each key once, nothing that JSON does not know."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Mapping
from typing import Any, Never, cast

from edge.problems import Kind, Refused
from switchboard.domain.refusals import Invalid

MAX_BODY_BYTES = 64 * 1024
JSON = "application/json"


def with_plain_body(event: Mapping[str, Any]) -> dict[str, Any]:
    """The event with its body as the text it was sent as. Raises Refused if it is none, too long or not JSON.

    API Gateway encodes the bodies of all content types that it does not know as text.
    """
    body = event.get("body")
    if not body:
        return dict(event)
    sent: Mapping[str, str] = event.get("headers") or {}
    headers = {name.lower(): value for name, value in sent.items()}
    content_type = headers.get("content-type", JSON).partition(";")[0].strip().lower()
    if content_type != JSON and not content_type.endswith("+json"):
        raise Refused(Kind.NOT_JSON, f"a body has to be sent as {JSON}")
    raw = _bytes(body, encoded=bool(event.get("isBase64Encoded")))
    if len(raw) > MAX_BODY_BYTES:
        raise Refused(Kind.TOO_LARGE, f"a body may have at most {MAX_BODY_BYTES} bytes, this has {len(raw)}")
    return {
        **event,
        "body": _text(raw),
        "isBase64Encoded": False,
        "headers": {**headers, "content-type": JSON},
    }


def parsed(text: str) -> dict[str, Any]:
    """The JSON object in a text. Raises Refused where it is not JSON, Invalid where it is no object."""
    try:
        value = json.loads(text, object_pairs_hook=_each_key_once, parse_constant=_unknown)
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise Refused(Kind.MALFORMED, "the body holds half of a surrogate pair") from None
    except (ValueError, RecursionError) as error:
        what = "a number or nesting beyond all bounds"
        if isinstance(error, json.JSONDecodeError):
            what = f"{error.msg} (character {error.pos})"
        raise Refused(Kind.MALFORMED, f"the body is not JSON: {what}") from None
    if not isinstance(value, dict):
        raise Invalid("body", "must be a JSON object")
    return cast("dict[str, Any]", value)


def _bytes(body: str, *, encoded: bool) -> bytes:
    try:
        return base64.b64decode(body, validate=True) if encoded else body.encode()
    except (binascii.Error, ValueError):
        raise Refused(Kind.MALFORMED, "the body cannot be read") from None


def _text(raw: bytes) -> str:
    try:
        return raw.decode()
    except UnicodeDecodeError:
        raise Refused(Kind.MALFORMED, "the body is not UTF-8") from None


def _each_key_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) < len(pairs):
        raise Refused(Kind.MALFORMED, "a key stands twice in one object of the body")
    return value


def _unknown(constant: str) -> Never:
    raise Refused(Kind.MALFORMED, f"the body is not JSON: {constant} is no JSON number")
