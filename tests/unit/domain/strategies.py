"""What the properties draw: meanings of profiles and requirements, and the many ways to write one as JSON data.

A meaning is plain Python and owes nothing to the domain, so that it can serve as the oracle.
"""

from __future__ import annotations

import string
import unicodedata
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Literal

from hypothesis import strategies as st

type Skill = frozenset[str] | int
type Need = tuple[Literal["any", "all"], frozenset[str]] | tuple[Literal["min"], int]

ID_CHARACTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-"
SQS_CHARACTERS = frozenset(string.ascii_letters + string.digits + r"""!"#$%&'()*+,-./:;<=>?@[\]^_`{|}~""")
"""Of group and deduplication ids, 1 to 128 of them.
https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SendMessage.html"""
WHITE_SPACE = " \u00a0\u2003\u2028\u3000"
WRITABLE = st.characters(exclude_categories=("Cc", "Cs", "Co", "Cn"))


def normal(value: str) -> str:
    """A value as people mean it, worked out in another order than the domain does."""
    seen = "".join(character for character in value if character not in "\u00ad\u200b\u2060\ufeff")
    return " ".join(unicodedata.normalize("NFC", seen).split())


def microseconds(year: int) -> int:
    """When the year began."""
    return int(datetime(year, 1, 1, tzinfo=UTC).timestamp()) * 1_000_000


ids = st.text(ID_CHARACTERS, min_size=1, max_size=64)
close_ids = st.text("-_0Az", min_size=1, max_size=3)
times = st.integers(microseconds(2001), microseconds(2286) - 1)
levels = st.integers(1, 10)
wide_values = st.text(WRITABLE, min_size=1, max_size=6).map(normal).filter(bool)
few_values: st.SearchStrategy[str] = st.sampled_from(("en", "es", "fr", "EN"))
wide_names = st.text(ID_CHARACTERS, min_size=1, max_size=10)
few_names: st.SearchStrategy[str] = st.sampled_from(("language", "skills", "billing"))


def skills(values: st.SearchStrategy[str]) -> st.SearchStrategy[Skill]:
    return st.one_of(st.frozensets(values, min_size=1, max_size=3), levels)


def _any_of(values: frozenset[str]) -> Need:
    return ("any", values)


def _all_of(values: frozenset[str]) -> Need:
    return ("all", values)


def _at_least(level: int) -> Need:
    return ("min", level)


def needs(values: st.SearchStrategy[str]) -> st.SearchStrategy[Need]:
    return st.one_of(
        st.frozensets(values, min_size=1, max_size=3).map(_any_of),
        st.frozensets(values, min_size=2, max_size=3).map(_all_of),
        levels.map(_at_least),
    )


few_profiles = st.dictionaries(few_names, skills(few_values), max_size=3)
few_requirements = st.dictionaries(few_names, needs(few_values), max_size=3)
wide_profiles = st.dictionaries(wide_names, skills(wide_values), max_size=3)
wide_requirements = st.dictionaries(wide_names, needs(wide_values), max_size=3)


def profile_data(meaning: Mapping[str, Skill]) -> dict[str, object]:
    """The plainest way to write a profile."""
    return {name: skill if isinstance(skill, int) else list(skill) for name, skill in meaning.items()}


def requirement_data(meaning: Mapping[str, Need]) -> dict[str, object]:
    """The plainest way to write a requirement."""
    return {
        name: {kind: value if isinstance(value, int) else list(value)}
        for name, (kind, value) in meaning.items()
    }


@st.composite
def profile_spellings(draw: st.DrawFn, meaning: Mapping[str, Skill]) -> dict[str, object]:
    """Any way to write this profile."""
    return {
        name: skill if isinstance(skill, int) else draw(_spelled_values(skill))
        for name, skill in draw(st.permutations(list(meaning.items())))
    }


@st.composite
def requirement_spellings(draw: st.DrawFn, meaning: Mapping[str, Need]) -> dict[str, object]:
    """Any way to write this requirement."""
    return {name: draw(_spelled_need(need)) for name, need in draw(st.permutations(list(meaning.items())))}


@st.composite
def _spelled_need(draw: st.DrawFn, need: Need) -> object:
    if need[0] == "min":
        return {"min": need[1]}
    kind, values = need
    written = draw(_spelled_values(values))
    if kind == "all":
        return {"all": written}
    either = [written, {"any": written}]
    return draw(st.sampled_from([*either, {"all": written}] if len(values) == 1 else either))


@st.composite
def _spelled_values(draw: st.DrawFn, values: frozenset[str]) -> object:
    repeated = [*values, *draw(st.lists(st.sampled_from(sorted(values)), max_size=3))]
    written = [draw(_spelled(value)) for value in draw(st.permutations(repeated))]
    return written[0] if len(written) == 1 and draw(st.booleans()) else written


@st.composite
def _spelled(draw: st.DrawFn, value: str) -> str:
    before, after = draw(st.text(WHITE_SPACE, max_size=2)), draw(st.text(WHITE_SPACE, max_size=2))
    between = draw(st.text(WHITE_SPACE, min_size=1, max_size=3))
    typed = f"{before}{value.replace(' ', between)}{after}"
    return unicodedata.normalize(draw(st.sampled_from(("NFC", "NFD"))), typed)
