"""Profiles, requirements, and the one relation between them: `serves`.

Both are written as JSON objects from attribute to what is offered or needed:

    profile      {"language": ["en", "es"], "gender": ["F"], "billing": 3}
    requirement  {"language": ["es", "fr"], "skills": {"all": ["tax", "loans"]}, "billing": {"min": 2}}

A list means any of its values, `all` means every one, `min` a level of at least that; an attribute left out
is a wildcard. Values compare as written, case included, after trimming and Unicode composition.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeIs, cast

from switchboard.domain.refusals import Invalid
from switchboard.domain.texts import canonical, check_id, clean, fingerprint

MAX_ATTRIBUTES = 20
MAX_VALUES = 50
MAX_LEVEL = 10
MAX_TEXT_BYTES = 1024
CHANNEL = "channel"


@dataclass(frozen=True, slots=True)
class AnyOf:
    """At least one of these values."""

    values: frozenset[str]

    def met_by(self, skill: Skill | None) -> bool:
        return isinstance(skill, frozenset) and not self.values.isdisjoint(skill)

    def written(self) -> object:
        return sorted(self.values)


@dataclass(frozen=True, slots=True)
class AllOf:
    """Every one of these values (two or more: one value is AnyOf)."""

    values: frozenset[str]

    def met_by(self, skill: Skill | None) -> bool:
        return isinstance(skill, frozenset) and self.values <= skill

    def written(self) -> object:
        return {"all": sorted(self.values)}


@dataclass(frozen=True, slots=True)
class AtLeast:
    """A level of at least this."""

    level: int

    def met_by(self, skill: Skill | None) -> bool:
        return isinstance(skill, int) and skill >= self.level

    def written(self) -> object:
        return {"min": self.level}


Skill = frozenset[str] | int
Need = AnyOf | AllOf | AtLeast


@dataclass(frozen=True)
class Profile:
    """What an agent can do. Same meaning, same `text`, same `key`."""

    skills: Mapping[str, Skill]

    @cached_property
    def text(self) -> str:
        return canonical(
            {name: skill if isinstance(skill, int) else sorted(skill) for name, skill in self.skills.items()}
        )

    @cached_property
    def key(self) -> str:
        return fingerprint(self.text)

    @classmethod
    def parse(cls, data: object, *, where: str = "profile") -> Profile:
        """A profile from JSON data. Raises Invalid with the path of what is wrong."""
        return _bounded(cls({name: _skill(value, at) for name, value, at in _attributes(data, where)}), where)

    @classmethod
    def from_text(cls, text: str) -> Profile:
        return cls.parse(json.loads(text))


@dataclass(frozen=True)
class Requirement:
    """What a call needs. Same meaning, same `text`, same `key`."""

    needs: Mapping[str, Need]

    @cached_property
    def text(self) -> str:
        return canonical({name: need.written() for name, need in self.needs.items()})

    @cached_property
    def key(self) -> str:
        return fingerprint(self.text)

    @classmethod
    def parse(cls, data: object, *, where: str = "requirement") -> Requirement:
        """A requirement from JSON data. Raises Invalid with the path of what is wrong."""
        return _bounded(cls({name: _need(value, at) for name, value, at in _attributes(data, where)}), where)

    @classmethod
    def from_text(cls, text: str) -> Requirement:
        return cls.parse(json.loads(text))


def unmet(profile: Profile, requirement: Requirement) -> tuple[str, ...]:
    """The attributes of the requirement that the profile does not satisfy, in order of their names."""
    return tuple(
        sorted(name for name, need in requirement.needs.items() if not need.met_by(profile.skills.get(name)))
    )


def serves(profile: Profile, requirement: Requirement) -> bool:
    """Whether agents of this profile can take calls of this requirement."""
    return all(need.met_by(profile.skills.get(name)) for name, need in requirement.needs.items())


def _attributes(data: object, where: str) -> Iterable[tuple[str, object, str]]:
    if not isinstance(data, Mapping):
        raise Invalid(where, "must be an object from attribute to values")
    attributes = cast(Mapping[object, object], data)
    if len(attributes) > MAX_ATTRIBUTES:
        raise Invalid(where, f"must have at most {MAX_ATTRIBUTES} attributes")
    for name, value in attributes.items():
        yield check_id(name, f"{where}.{str(name)[:64]}"), value, f"{where}.{name}"


def _skill(value: object, where: str) -> Skill:
    return _level(value, where) if _is_number(value) else _values(value, where)


def _need(value: object, where: str) -> Need:
    if not isinstance(value, Mapping):
        return AnyOf(_values(value, where))
    match cast(Mapping[str, Any], value):
        case {"any": values, **others} if not others:
            return AnyOf(_values(values, f"{where}.any"))
        case {"all": values, **others} if not others:
            every = _values(values, f"{where}.all")
            return AllOf(every) if len(every) > 1 else AnyOf(every)
        case {"min": level, **others} if not others:
            return AtLeast(_level(level, f"{where}.min"))
        case _:
            raise Invalid(where, 'must be a list of values, or an object with one of "any", "all" and "min"')


def _values(value: object, where: str) -> frozenset[str]:
    if isinstance(value, str):
        return frozenset({clean(value, where)})
    if not isinstance(value, list | tuple):
        raise Invalid(where, "must be a value or a list of values")
    values = cast(list[object], value)
    if not 0 < len(values) <= MAX_VALUES:
        raise Invalid(where, f"must have 1 to {MAX_VALUES} values")
    return frozenset(clean(one, f"{where}[{place}]") for place, one in enumerate(values))


def _level(value: object, where: str) -> int:
    if not _is_number(value) or not 1 <= value <= MAX_LEVEL:
        raise Invalid(where, f"must be a whole number from 1 to {MAX_LEVEL}")
    return value


def _is_number(value: object) -> TypeIs[int]:
    return isinstance(value, int) and not isinstance(value, bool)


def _bounded[T: (Profile, Requirement)](value: T, where: str) -> T:
    if len(value.text.encode()) > MAX_TEXT_BYTES:
        raise Invalid(where, f"must fit in {MAX_TEXT_BYTES} bytes when written as JSON")
    return value
