"""Ids, keys and the texts they are made of."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import unicodedata

from switchboard.domain.refusals import Invalid

MAX_VALUE_LENGTH = 64
MAX_LABEL_LENGTH = 128
ID_PATTERN = r"[A-Za-z0-9_-]{1,64}"

_ID = re.compile(ID_PATTERN)
_KEY_LENGTH = 26
_INVISIBLE = {ord(character): None for character in "\u00ad\u200b\u2060\ufeff"}
"""Soft hyphen, zero-width space, word joiner, byte order mark: pasted along unseen, and never meant."""
MAX_CLIENT_LENGTH = 255
"""As long as the subject of a token may be. https://openid.net/specs/openid-connect-core-1_0.html#IDToken"""


def check_id(text: object, where: str) -> str:
    """The text itself, if it can be the id of an agent or call or the name of an attribute.

    Raises Invalid unless it matches `[A-Za-z0-9_-]{1,64}`: such ids can stand in keys, SQS group and
    deduplication ids and URLs as they are.
    """
    if not isinstance(text, str) or not _ID.fullmatch(text):
        raise Invalid(where, "must be 1 to 64 of the characters A-Z a-z 0-9 _ -")
    return text


def check_client(text: object, where: str) -> str:
    """The text itself, if it can name a client: 1 to 255 printable ASCII characters, as a token's subject has."""
    if (
        not isinstance(text, str)
        or not 0 < len(text) <= MAX_CLIENT_LENGTH
        or not (text.isascii() and text.isprintable())
    ):
        raise Invalid(where, f"must be 1 to {MAX_CLIENT_LENGTH} printable ASCII characters")
    return text


def clean(text: object, where: str, *, longest: int = MAX_VALUE_LENGTH) -> str:
    """The text as people mean it: composed (NFC), trimmed, inner white space single, nothing invisible.

    Raises Invalid where it is not text, empty, longer than `longest` characters, or holds control characters.
    """
    if not isinstance(text, str):
        raise Invalid(where, "must be text")
    if len(text) > 4 * longest:
        raise Invalid(where, f"must have at most {longest} characters")
    if any(unicodedata.category(character) in ("Cc", "Cs", "Co", "Cn") for character in text):
        raise Invalid(where, "must not hold control, private or unassigned characters")
    cleaned = unicodedata.normalize("NFC", " ".join(text.translate(_INVISIBLE).split()))
    if not 0 < len(cleaned) <= longest:
        raise Invalid(where, f"must have 1 to {longest} characters")
    return cleaned


def canonical(value: object) -> str:
    """The one JSON text of a value: sorted keys, no blanks, characters as they are."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def fingerprint(text: str) -> str:
    """26 characters that stand for a text: the first of the base32 of its SHA-256 (130 bits)."""
    digest = hashlib.sha256(text.encode()).digest()
    return base64.b32encode(digest).decode()[:_KEY_LENGTH]
