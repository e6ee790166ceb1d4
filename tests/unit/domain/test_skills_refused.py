"""Profiles and requirements that are refused, each with the path of what is wrong."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from switchboard.domain.refusals import Invalid
from switchboard.domain.skills import Profile, Requirement

type Kind = type[Profile] | type[Requirement]
EITHER = pytest.mark.parametrize("kind", [Profile, Requirement])


def nested(depth: int) -> object:
    data: object = "en"
    for _ in range(depth):
        data = [data]
    return data


WRONG_IN_EITHER: dict[str, tuple[Any, str]] = {
    "nothing": (None, "here"),
    "a list": ([], "here"),
    "a text": ("language", "here"),
    "a number": (7, "here"),
    "twenty-one attributes": ({f"a{number}": ["x"] for number in range(21)}, "here"),
    "ten thousand attributes": ({f"a{number}": ["x"] for number in range(10_000)}, "here"),
    "an empty name": ({"": ["x"]}, "here."),
    "a name with a blank": ({"first language": ["x"]}, "here.first language"),
    "a name with a dot": ({"a.b": ["x"]}, "here.a.b"),
    "a name with a line feed": ({"a\n": ["x"]}, "here.a\n"),
    "a name with a control character": ({"a\x00": ["x"]}, "here.a\x00"),
    "a name that is not ASCII": ({"größe": ["x"]}, "here.größe"),
    "a name that is a lone surrogate": ({"\ud800": ["x"]}, "here.\ud800"),
    "a name that is a number": ({1: ["x"]}, "here.1"),
    "a name too long, cut short": ({"n" * 100_000: ["x"]}, f"here.{'n' * 64}"),
    "null": ({"language": None}, "here.language"),
    "true": ({"language": True}, "here.language"),
    "a float": ({"language": 2.5}, "here.language"),
    "a float that is whole": ({"language": 2.0}, "here.language"),
    "bytes": ({"language": b"en"}, "here.language"),
    "a set": ({"language": {"en"}}, "here.language"),
    "no values": ({"language": []}, "here.language"),
    "fifty-one values": ({"language": [f"v{number}" for number in range(51)]}, "here.language"),
    "ten thousand values": ({"language": [f"v{number}" for number in range(10_000)]}, "here.language"),
    "ten thousand times the same value": ({"language": ["en"] * 10_000}, "here.language"),
    "an empty object": ({"language": {}}, "here.language"),
    "an unknown key": ({"language": {"none": ["en"]}}, "here.language"),
    "an empty text": ({"language": ""}, "here.language"),
    "an empty value": ({"language": ["en", ""]}, "here.language[1]"),
    "a blank value": ({"language": ["en", "fr", " \u3000"]}, "here.language[2]"),
    "a value that is a number": ({"language": [1]}, "here.language[0]"),
    "a value that is null": ({"language": [None]}, "here.language[0]"),
    "a value that is true": ({"language": ["en", True]}, "here.language[1]"),
    "a value that is an object": ({"language": [{"en": 1}]}, "here.language[0]"),
    "a list in a list": ({"language": [["en"]]}, "here.language[0]"),
    "lists a hundred thousand deep": ({"language": nested(100_000)}, "here.language[0]"),
    "an over-long value": ({"language": ["x" * 65]}, "here.language[0]"),
    "an endless value": ({"language": ["en", "x" * 1_000_000]}, "here.language[1]"),
    "a tab": ({"language": ["e\tn"]}, "here.language[0]"),
    "a line feed at the end": ({"language": ["en\n"]}, "here.language[0]"),
    "a NUL": ({"language": ["en", "\x00"]}, "here.language[1]"),
    "a lone surrogate": ({"language": ["\ud83d"]}, "here.language[0]"),
    "a noncharacter": ({"language": "\uffff"}, "here.language"),
    "what is wrong in the second attribute": ({"gender": ["F"], "language": ["en", 7]}, "here.language[1]"),
}
WRONG_PROFILES: dict[str, tuple[Any, str]] = {
    "level zero": ({"billing": 0}, "here.billing"),
    "a negative level": ({"billing": -3}, "here.billing"),
    "level eleven": ({"billing": 11}, "here.billing"),
    "an endless level": ({"billing": 10**4000}, "here.billing"),
    "false": ({"billing": False}, "here.billing"),
    "not a number": ({"billing": float("nan")}, "here.billing"),
    "a minimum": ({"billing": {"min": 3}}, "here.billing"),
    "all of them": ({"language": {"all": ["en", "fr"]}}, "here.language"),
    "any of them": ({"language": {"any": ["en", "fr"]}}, "here.language"),
}
WRONG_REQUIREMENTS: dict[str, tuple[Any, str]] = {
    "a bare level": ({"billing": 3}, "here.billing"),
    "minimum zero": ({"billing": {"min": 0}}, "here.billing.min"),
    "a negative minimum": ({"billing": {"min": -1}}, "here.billing.min"),
    "minimum eleven": ({"billing": {"min": 11}}, "here.billing.min"),
    "an endless minimum": ({"billing": {"min": 10**4000}}, "here.billing.min"),
    "minimum true": ({"billing": {"min": True}}, "here.billing.min"),
    "minimum as a float": ({"billing": {"min": 2.0}}, "here.billing.min"),
    "infinity": ({"billing": {"min": float("inf")}}, "here.billing.min"),
    "minimum as text": ({"billing": {"min": "3"}}, "here.billing.min"),
    "minimum null": ({"billing": {"min": None}}, "here.billing.min"),
    "minimum in a list": ({"billing": {"min": [3]}}, "here.billing.min"),
    "a maximum": ({"billing": {"max": 3}}, "here.billing"),
    "minimum and maximum": ({"billing": {"min": 1, "max": 3}}, "here.billing"),
    "any and all": ({"language": {"any": ["en"], "all": ["fr"]}}, "here.language"),
    "a key of another type": ({"language": {1: ["en"]}}, "here.language"),
    "any of none": ({"language": {"any": []}}, "here.language.any"),
    "all of none": ({"language": {"all": []}}, "here.language.all"),
    "any of null": ({"language": {"any": None}}, "here.language.any"),
    "all of a number": ({"language": {"all": 7}}, "here.language.all"),
    "all of too many": ({"language": {"all": ["en"] * 51}}, "here.language.all"),
    "a wrong value of any": ({"language": {"any": ["en", 5]}}, "here.language.any[1]"),
    "an empty value of all": ({"language": {"all": ["en", "fr", ""]}}, "here.language.all[2]"),
    "a control character in any": ({"language": {"any": ["\x1b"]}}, "here.language.any[0]"),
    "an object in an object": ({"language": {"any": {"all": ["en", "fr"]}}}, "here.language.any"),
}
CASES: list[Any] = [
    pytest.param(kind, data, where, id=f"{kind.__name__}: {name}")
    for kind, table in (
        (Profile, WRONG_IN_EITHER | WRONG_PROFILES),
        (Requirement, WRONG_IN_EITHER | WRONG_REQUIREMENTS),
    )
    for name, (data, where) in table.items()
]


@pytest.mark.parametrize(("kind", "data", "where"), CASES)
def test_what_is_wrong_is_refused_and_its_path_named(kind: Kind, data: object, where: str) -> None:
    with pytest.raises(Invalid) as refusal:
        kind.parse(data, where="here")

    assert refusal.value.where == where
    assert refusal.value.reason.startswith("must ")


def test_the_path_begins_with_what_was_parsed_when_nothing_else_is_said() -> None:
    with pytest.raises(Invalid, match=r"^profile\.language\[0\]: must be text$"):
        Profile.parse({"language": [7]})
    with pytest.raises(Invalid, match=r"^requirement\.billing\.min: must be a whole number from 1 to 10$"):
        Requirement.parse({"billing": {"min": 0}})


@EITHER
def test_twenty_attributes_and_fifty_values_are_not_too_many(kind: Kind) -> None:
    assert kind.parse({f"a{number}": ["x"] for number in range(20)}).text.count('"x"') == 20
    assert kind.parse({"language": [f"v{number}" for number in range(50)]}).text.count('"v') == 50


@EITHER
def test_a_refusal_leaves_what_was_sent_as_it_was(kind: Kind) -> None:
    sent = {"language": ["en", "en", " fr "], "gender": [7]}

    with pytest.raises(Invalid):
        kind.parse(sent)

    assert sent == {"language": ["en", "en", " fr "], "gender": [7]}


anything = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 12) | st.floats() | st.text(st.characters(), max_size=4),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(("any", "all", "min", "a", "b c", "")), inner, max_size=2)
    ),
    max_leaves=6,
)


def parsed_or_refused(kind: Kind, data: object) -> Profile | Requirement | Invalid:
    try:
        return kind.parse(data, where="here")
    except Invalid as refusal:
        return refusal


@EITHER
@given(
    data=st.dictionaries(st.text(st.characters(), max_size=3) | st.sampled_from("ab"), anything, max_size=3)
)
def test_any_json_at_all_is_either_parsed_or_refused_with_a_path(kind: Kind, data: dict[str, object]) -> None:
    outcome = parsed_or_refused(kind, data)
    if isinstance(outcome, Invalid):
        assert outcome.where.startswith("here")
    else:
        assert kind.from_text(outcome.text) == outcome
