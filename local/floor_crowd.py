"""A random floor: who works there, who calls, when, and for how long. The same seed gives the same floor."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from faker import Faker

LANGUAGES = ("English", "French", "German", "Spanish")
LANGUAGE_WEIGHTS = (6, 2, 2, 3)
GENDERS = ("F", "M")
CHANNELS = ("voice", "chat")
HANG_UP = 0.05
"""The share of callers who hang up while they wait or talk."""


@dataclass(frozen=True, slots=True)
class Person:
    """An agent of the floor."""

    id: str
    name: str
    profile: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Caller:
    """A call to come: how long after the one before, whom it needs, and when it gives up (seconds; None: never)."""

    key: str
    pause: float
    channel: str
    requirement: dict[str, Any]
    patience: float | None


class Crowd:
    """Everybody of one run. `rate`: calls a second; `handle`: mean seconds on a call."""

    def __init__(self, seed: int, *, agents: int, calls: int, rate: float, handle: float) -> None:
        self._chance = random.Random(seed)
        self._handle = handle
        self._rate = rate
        self._run = f"{random.SystemRandom().getrandbits(64):016x}"
        faker = Faker()
        faker.seed_instance(seed)
        self.people = [self._person(number, faker) for number in range(agents)]
        self._calls = calls

    def callers(self) -> Iterator[Caller]:
        """In the order of their coming; Poisson arrivals."""
        for number in range(self._calls):
            needs: dict[str, Any] = {"language": self._languages(1)}
            if self._chance.random() < 0.15:
                needs["language"] = self._languages(2)
            if self._chance.random() < 0.3:
                needs["gender"] = [self._chance.choice(GENDERS)]
            patience = self._chance.uniform(1, 10) if self._chance.random() < HANG_UP else None
            channel = self._chance.choices(CHANNELS, (3, 1))[0]
            yield Caller(
                f"{self._run}-{number}", self._chance.expovariate(self._rate), channel, needs, patience
            )

    def handle_time(self) -> float:
        """How long this call will take: lognormal, as handle times are."""
        return min(self._chance.lognormvariate(0, 0.5) * self._handle, 4 * self._handle)

    def _person(self, number: int, faker: Faker) -> Person:
        gender = self._chance.choice(GENDERS)
        name = faker.name_female() if gender == "F" else faker.name_male()
        profile = {"language": self._languages(self._chance.randint(1, 3)), "gender": [gender]}
        return Person(f"floor-{number:03d}", name, profile)

    def _languages(self, how_many: int) -> list[str]:
        chosen: set[str] = set()
        while len(chosen) < how_many:
            chosen.update(self._chance.choices(LANGUAGES, LANGUAGE_WEIGHTS))
        return sorted(chosen)
