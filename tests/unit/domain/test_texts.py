"""Ids, cleaned texts, canonical texts and fingerprints."""

from __future__ import annotations

import json
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from switchboard.domain.refusals import Invalid
from switchboard.domain.texts import MAX_LABEL_LENGTH, canonical, check_id, clean, fingerprint
from tests.unit.domain.strategies import ID_CHARACTERS, SQS_CHARACTERS, WRITABLE, ids, normal

BASE32 = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")


def is_id(text: str) -> bool:
    try:
        return check_id(text, "id") == text
    except Invalid:
        return False


def test_of_all_characters_just_sixty_four_make_an_id() -> None:
    allowed = {character for character in map(chr, range(0x20000)) if is_id(character)}

    assert allowed == frozenset(ID_CHARACTERS)


def test_every_character_of_an_id_is_one_that_sqs_takes_in_group_and_deduplication_ids() -> None:
    assert frozenset(ID_CHARACTERS) <= SQS_CHARACTERS


@given(ids)
def test_an_id_is_returned_as_it_is_and_fits_sqs(text: str) -> None:
    assert check_id(text, "id") == text
    assert 1 <= len(text) <= 128


@given(st.text(max_size=70) | st.text(ID_CHARACTERS, max_size=70))
def test_an_id_is_one_to_sixty_four_of_these_characters_and_nothing_else_is(text: str) -> None:
    assert is_id(text) == (1 <= len(text) <= 64 and set(text) <= set(ID_CHARACTERS))


@pytest.mark.parametrize(
    "text", ["", "a" * 65, "a b", "a\n", "a#b", "a/b", "é", "\u0661", "\ud800", "a" * 100_000]
)
def test_a_text_that_cannot_be_an_id_is_refused_with_its_place(text: str) -> None:
    with pytest.raises(Invalid) as refusal:
        check_id(text, "agents[3].id")

    assert refusal.value.where == "agents[3].id"
    assert str(refusal.value).startswith("agents[3].id: must be 1 to 64 ")


@pytest.mark.parametrize("thing", [None, 7, True, b"a", ["a"], {"a": 1}], ids=repr)
def test_what_is_not_text_is_neither_an_id_nor_a_value(thing: object) -> None:
    with pytest.raises(Invalid, match=r"^id: "):
        check_id(thing, "id")
    with pytest.raises(Invalid, match=r"^name: must be text$"):
        clean(thing, "name")


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("English", "English"),
        ("  English ", "English"),
        ("Swiss   German", "Swiss German"),
        ("\u3000Swiss\u00a0\u2003German\u2028", "Swiss German"),
        ("Franc\u0327ais", "Fran\u00e7ais"),
        ("\u212bland", "\u00c5land"),
        ("\u1112\u1161\u11ab\u1100\u1173\u11af", "\ud55c\uae00"),
        ("STRASSE", "STRASSE"),
    ],
)
def test_a_text_is_trimmed_single_spaced_and_composed_and_keeps_its_case(typed: str, meant: str) -> None:
    assert clean(typed, "name") == meant


@given(st.text(WRITABLE, max_size=64))
def test_cleaning_gives_what_is_meant_or_refuses_what_means_nothing(typed: str) -> None:
    meant = normal(typed)
    if 1 <= len(meant) <= 64:
        assert clean(typed, "name") == meant
        assert clean(meant, "name") == meant
    else:
        with pytest.raises(Invalid, match=r"^name: must have 1 to 64 characters$"):
            clean(typed, "name")


def test_what_nobody_sees_is_not_meant() -> None:
    assert clean("\ufeffe\u200bn\u00ad", "name") == "en"


@given(st.text(WRITABLE, min_size=1, max_size=64))
def test_composed_and_decomposed_texts_clean_to_the_same(typed: str) -> None:
    composed, decomposed = (unicodedata.normalize(form, f"x{typed[:60]}") for form in ("NFC", "NFD"))

    assert clean(composed, "name") == clean(decomposed, "name")


@pytest.mark.parametrize(
    "character",
    [
        "\x00",
        "\t",
        "\n",
        "\r",
        "\x1b",
        "\x7f",
        "\x85",
        "\ud800",
        "\ue000",
        "\ufdd0",
        "\uffff",
        "\U0010ffff",
    ],
    ids=ascii,
)
def test_control_private_unassigned_and_lone_surrogate_characters_are_refused(character: str) -> None:
    for text in (character, f"En{character}glish", f" English{character}"):
        with pytest.raises(Invalid) as refusal:
            clean(text, "profile.language[0]")
        assert refusal.value.where == "profile.language[0]"


@pytest.mark.parametrize(("longest", "limits"), [(64, {}), (MAX_LABEL_LENGTH, {"longest": MAX_LABEL_LENGTH})])
def test_a_text_may_be_as_long_as_its_limit_and_no_longer(longest: int, limits: dict[str, int]) -> None:
    assert clean("x" * longest, "name", **limits) == "x" * longest
    for text in ("x" * (longest + 1), "x" * 100_000, " " * 100_000):
        with pytest.raises(Invalid, match=f"{longest} characters"):
            clean(text, "name", **limits)


def test_the_limit_counts_composed_characters_not_what_was_typed() -> None:
    assert clean("e\u0301" * 64, "name") == "\u00e9" * 64
    assert clean("\u03b1\u0313\u0300\u0345" * 64, "name") == "\u1f82" * 64
    assert clean(f" {'x' * 64} ", "name") == "x" * 64


def test_a_canonical_text_has_sorted_keys_no_blanks_and_its_characters_as_they_are() -> None:
    assert (
        canonical({"b": [1, "é"], "a": {"z": None, "y": "\u2028"}})
        == '{"a":{"y":"\u2028","z":null},"b":[1,"é"]}'
    )


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)


@given(json_values)
def test_a_canonical_text_says_the_value_and_says_it_again_alike(value: object) -> None:
    text = canonical(value)

    assert json.loads(text) == value
    assert canonical(json.loads(text)) == text


@given(st.text(), st.text())
def test_a_fingerprint_is_26_base32_characters_the_same_for_the_same_text_only(one: str, other: str) -> None:
    key = fingerprint(one)

    assert len(key) == 26
    assert set(key) <= BASE32 <= SQS_CHARACTERS
    assert (key == fingerprint(other)) == (one == other)


def test_a_fingerprint_never_changes_for_keys_are_stored() -> None:
    # printf '{"language":["es"]}' | openssl dgst -sha256 -binary | base32 | head -c 26
    assert fingerprint('{"language":["es"]}') == "2IBZUHYUP7RO2DEEVBWTR4ELBG"
