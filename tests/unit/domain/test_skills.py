"""Which pool serves which queue."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from switchboard.domain.skills import Profile, Requirement, serves, unmet
from tests.unit.domain.strategies import (
    Need,
    Skill,
    few_names,
    few_profiles,
    few_requirements,
    few_values,
    levels,
    needs,
    profile_data,
    requirement_data,
    skills,
)

ELLEN = Profile.parse(
    {"language": ["English", "French", "Spanish"], "gender": "F", "billing": 3, "skills": ["tax", "loans"]}
)


def satisfies(skill: Skill | None, need: Need) -> bool:
    """The oracle: what a need asks for, looked for one by one."""
    if need[0] == "min":
        return isinstance(skill, int) and skill in range(need[1], 11)
    offered = [] if skill is None or isinstance(skill, int) else list(skill)
    found = [any(value == other for other in offered) for value in need[1]]
    return all(found) if need[0] == "all" else any(found)


def unsatisfied(profile: Mapping[str, Skill], requirement: Mapping[str, Need]) -> tuple[str, ...]:
    return tuple(name for name in sorted(requirement) if not satisfies(profile.get(name), requirement[name]))


def profile(meaning: Mapping[str, Skill]) -> Profile:
    return Profile.parse(profile_data(meaning))


def requirement(meaning: Mapping[str, Need]) -> Requirement:
    return Requirement.parse(requirement_data(meaning))


@pytest.mark.parametrize(
    "asked",
    [
        {},
        {"language": "Spanish"},
        {"language": ["Spanish"]},
        {"language": ["German", "Spanish"]},
        {"language": {"any": ["German", "Spanish"]}},
        {"skills": {"all": ["tax", "loans"]}},
        {"skills": {"all": ["tax"]}},
        {"billing": {"min": 3}},
        {"billing": {"min": 1}},
        {"language": ["French"], "gender": ["F"], "billing": {"min": 2}, "skills": ["loans", "cards"]},
    ],
)
def test_a_profile_serves_what_it_satisfies_and_what_is_left_out_is_a_wildcard(asked: object) -> None:
    assert serves(ELLEN, Requirement.parse(asked))
    assert unmet(ELLEN, Requirement.parse(asked)) == ()


@pytest.mark.parametrize(
    ("asked", "missing"),
    [
        ({"language": ["German"]}, ("language",)),
        ({"language": ["spanish"]}, ("language",)),
        ({"language": ["Span"]}, ("language",)),
        ({"skills": {"all": ["tax", "loans", "cards"]}}, ("skills",)),
        ({"billing": {"min": 4}}, ("billing",)),
        ({"billing": ["3"]}, ("billing",)),
        ({"billing": {"all": ["3", "4"]}}, ("billing",)),
        ({"language": {"min": 1}}, ("language",)),
        ({"city": ["Paris"]}, ("city",)),
        ({"city": {"min": 1}}, ("city",)),
        (
            {"gender": ["M"], "language": ["French"], "city": ["Paris"], "billing": {"min": 9}},
            ("billing", "city", "gender"),
        ),
    ],
)
def test_a_profile_does_not_serve_what_it_lacks_and_the_attributes_are_named_in_order(
    asked: object, missing: tuple[str, ...]
) -> None:
    assert not serves(ELLEN, Requirement.parse(asked))
    assert unmet(ELLEN, Requirement.parse(asked)) == missing


def test_a_profile_without_skills_serves_only_who_needs_nothing() -> None:
    assert serves(Profile.parse({}), Requirement.parse({}))
    assert not serves(Profile.parse({}), Requirement.parse({"language": ["English"]}))


@given(few_profiles, few_requirements)
def test_serving_and_unmet_agree_with_looking_one_by_one(
    has: dict[str, Skill], asks: dict[str, Need]
) -> None:
    missing = unsatisfied(has, asks)

    assert unmet(profile(has), requirement(asks)) == missing
    assert serves(profile(has), requirement(asks)) == (missing == ())


@st.composite
def more_skilled(draw: st.DrawFn, has: Mapping[str, Skill]) -> dict[str, Skill]:
    """Whatever the profile has, and perhaps more values, a higher level, other attributes."""
    more: dict[str, Skill] = dict(draw(st.dictionaries(few_names, skills(few_values), max_size=2)))
    for name, skill in has.items():
        if isinstance(skill, int):
            more[name] = draw(st.integers(skill, 10))
        else:
            more[name] = skill | draw(st.frozensets(few_values, max_size=2))
    return more


@given(st.data(), few_profiles, few_requirements)
def test_a_further_skill_never_makes_a_pool_stop_serving(
    data: st.DataObject, has: dict[str, Skill], asks: dict[str, Need]
) -> None:
    more = profile(data.draw(more_skilled(has)))
    asked = requirement(asks)

    assert set(unmet(more, asked)) <= set(unmet(profile(has), asked))
    assert serves(more, asked) or not serves(profile(has), asked)


@st.composite
def narrower(draw: st.DrawFn, asks: Mapping[str, Need]) -> dict[str, Need]:
    """Whatever the requirement asks, and perhaps fewer values to choose from, more at once, a higher level,
    other attributes."""
    more: dict[str, Need] = dict(draw(st.dictionaries(few_names, needs(few_values), max_size=2)))
    for name, need in asks.items():
        match need:
            case ("min", level):
                more[name] = ("min", draw(st.integers(level, 10)))
            case ("all", values):
                more[name] = ("all", values | draw(st.frozensets(few_values, max_size=2)))
            case ("any", values):
                some = draw(st.frozensets(st.sampled_from(sorted(values)), min_size=1))
                more[name] = ("any", some)
    return more


@given(st.data(), few_profiles, few_requirements)
def test_a_further_need_never_makes_a_pool_start_serving(
    data: st.DataObject, has: dict[str, Skill], asks: dict[str, Need]
) -> None:
    more = requirement(data.draw(narrower(asks)))
    offered = profile(has)

    assert set(unmet(offered, requirement(asks))) <= set(unmet(offered, more))
    assert serves(offered, requirement(asks)) or not serves(offered, more)


@st.composite
def met(draw: st.DrawFn, skill: Skill) -> Need:
    """Some need that the skill satisfies."""
    if isinstance(skill, int):
        return ("min", draw(st.integers(1, skill)))
    some = draw(st.frozensets(st.sampled_from(sorted(skill)), min_size=1))
    if len(some) > 1 and draw(st.booleans()):
        return ("all", some)
    return ("any", some | draw(st.frozensets(few_values, max_size=2)))


@given(st.data(), few_profiles)
def test_a_pool_serves_every_choice_of_what_it_has(data: st.DataObject, has: dict[str, Skill]) -> None:
    chosen = data.draw(st.sets(st.sampled_from(sorted(has)))) if has else set[str]()
    asked = requirement({name: data.draw(met(has[name])) for name in chosen})

    assert serves(profile(has), asked)


@given(levels, levels)
def test_a_level_serves_every_minimum_up_to_itself(level: int, minimum: int) -> None:
    asked = Requirement.parse({"billing": {"min": minimum}})

    assert serves(Profile.parse({"billing": level}), asked) == (level >= minimum)
