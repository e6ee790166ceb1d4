"""The canonical texts and keys of profiles and requirements: one meaning, one text."""

from __future__ import annotations

import json
from itertools import combinations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from switchboard.domain.refusals import Invalid
from switchboard.domain.skills import Profile, Requirement
from switchboard.domain.texts import fingerprint
from tests.unit.domain.strategies import (
    Need,
    Skill,
    few_profiles,
    few_requirements,
    profile_data,
    profile_spellings,
    requirement_data,
    requirement_spellings,
    wide_profiles,
    wide_requirements,
)

EITHER = pytest.mark.parametrize("kind", [Profile, Requirement])
type Kind = type[Profile] | type[Requirement]


def test_the_text_of_a_profile_is_sorted_json_of_its_values() -> None:
    parsed = Profile.parse({"language": ["es", " en", "es"], "gender": "F", "billing": 3})

    assert parsed.text == '{"billing":3,"gender":["F"],"language":["en","es"]}'
    assert parsed.key == fingerprint(parsed.text)


def test_the_text_of_a_requirement_tells_any_all_and_minimum_apart() -> None:
    parsed = Requirement.parse(
        {"language": {"any": ["fr", "es"]}, "skills": {"all": ["tax", "loans", "tax"]}, "billing": {"min": 2}}
    )

    assert parsed.text == '{"billing":{"min":2},"language":["es","fr"],"skills":{"all":["loans","tax"]}}'
    assert parsed.key == fingerprint(parsed.text)


@given(st.data(), wide_profiles)
def test_a_profile_has_one_text_however_it_is_written(data: st.DataObject, has: dict[str, Skill]) -> None:
    plain = Profile.parse(profile_data(has))
    otherwise = Profile.parse(data.draw(profile_spellings(has)))

    assert (otherwise.text, otherwise.key) == (plain.text, plain.key)
    assert otherwise == plain


@given(st.data(), wide_requirements)
def test_a_requirement_has_one_text_however_it_is_written(data: st.DataObject, asks: dict[str, Need]) -> None:
    plain = Requirement.parse(requirement_data(asks))
    otherwise = Requirement.parse(data.draw(requirement_spellings(asks)))

    assert (otherwise.text, otherwise.key) == (plain.text, plain.key)
    assert otherwise == plain


@given(few_profiles, few_profiles)
def test_profiles_share_a_text_and_a_key_just_when_they_mean_the_same(
    one: dict[str, Skill], other: dict[str, Skill]
) -> None:
    first, second = Profile.parse(profile_data(one)), Profile.parse(profile_data(other))

    assert (first.text == second.text) == (one == other)
    assert (first.key == second.key) == (one == other)


@given(few_requirements, few_requirements)
def test_requirements_share_a_text_and_a_key_just_when_they_mean_the_same(
    one: dict[str, Need], other: dict[str, Need]
) -> None:
    first, second = Requirement.parse(requirement_data(one)), Requirement.parse(requirement_data(other))

    assert (first.text == second.text) == (one == other)
    assert (first.key == second.key) == (one == other)


NEAR_MISSES: list[Any] = [
    {},
    {"a": ["b"]},
    {"a": ["B"]},
    {"A": ["b"]},
    {"a": ["b c"]},
    {"a": ["bc"]},
    {"a": ["b", "c"]},
    {"a": ["b,c"]},
    {"a": ['b","c']},
    {"a": ["b\\"]},
    {"a": ["b"], "c": ["d"]},
    {"a": ["1"]},
    {"a": ["\u00e9"]},
    {"a": ["e"]},
    {"a": ["\\u00e9"]},
    {"a": ["\ufb01"]},
    {"a": ["fi"]},
]
NEAR_PROFILES = [*NEAR_MISSES, {"a": 1}, {"a": 10}, {"a": ["10"]}, {"a": 1, "b": 1}]
NEAR_NEEDS = [
    *NEAR_MISSES,
    {"a": {"all": ["b", "c"]}},
    {"a": {"min": 1}},
    {"a": {"min": 10}},
    {"a": ["min"]},
    {"a": ["all"]},
]


@pytest.mark.parametrize(("kind", "near"), [(Profile, NEAR_PROFILES), (Requirement, NEAR_NEEDS)])
def test_what_only_looks_alike_never_shares_a_text_or_a_key(kind: Kind, near: list[object]) -> None:
    for one, other in combinations([kind.parse(data) for data in near], 2):
        assert one.text != other.text
        assert one.key != other.key


@given(st.data(), wide_profiles)
def test_a_profile_comes_back_from_its_text(data: st.DataObject, has: dict[str, Skill]) -> None:
    parsed = Profile.parse(data.draw(profile_spellings(has)))
    again = Profile.from_text(parsed.text)

    assert again == parsed
    assert again.text == parsed.text
    assert dict(again.skills) == has


@given(st.data(), wide_requirements)
def test_a_requirement_comes_back_from_its_text(data: st.DataObject, asks: dict[str, Need]) -> None:
    parsed = Requirement.parse(data.draw(requirement_spellings(asks)))
    again = Requirement.from_text(parsed.text)

    assert again == parsed
    assert again.text == parsed.text


def of_bytes(size: int, character: str) -> dict[str, list[str]]:
    """Data whose canonical text has so many bytes, filled up with this character."""
    data = {"a": [f"{number:02}{'x' * 60}" for number in range(15)]}
    missing = size - len(Profile.parse(data).text.encode()) - len(',""')
    width = len(character.encode())
    return {"a": [*data["a"], character * (missing // width) + "y" * (missing % width)]}


@EITHER
@pytest.mark.parametrize("character", ["x", "\u00e9", "\u4e2d", "\U0001f4de"])
def test_a_text_may_have_1024_bytes_and_not_one_more(kind: Kind, character: str) -> None:
    assert len(kind.parse(of_bytes(1024, character)).text.encode()) == 1024

    with pytest.raises(Invalid, match=r"^here: must fit in 1024 bytes when written as JSON$"):
        kind.parse(of_bytes(1025, character), where="here")


many_values = st.lists(st.text('a"\\\u00e9\u4e2d\U0001f4de', min_size=1, max_size=40), min_size=3, max_size=9)


@EITHER
@given(data=st.dictionaries(st.sampled_from("abcdef"), many_values, min_size=2, max_size=6))
def test_what_takes_more_than_1024_bytes_is_refused_and_nothing_else(
    kind: Kind, data: dict[str, list[str]]
) -> None:
    plain = {name: sorted(set(values)) for name, values in sorted(data.items())}
    size = len(json.dumps(plain, ensure_ascii=False, separators=(",", ":")).encode())
    if size <= 1024:
        assert len(kind.parse(data).text.encode()) == size
    else:
        with pytest.raises(Invalid, match="1024 bytes"):
            kind.parse(data)
