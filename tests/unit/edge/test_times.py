"""Times as the API writes them."""

from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edge.times import written


@pytest.mark.parametrize(
    ("microseconds", "text"),
    [
        (0, "1970-01-01T00:00:00.000000Z"),
        (1_795_266_000_123_456, "2026-11-21T13:00:00.123456Z"),
        (1_795_266_000_000_000, "2026-11-21T13:00:00.000000Z"),
        (None, None),
    ],
)
def test_a_time_is_utc_with_six_digits(microseconds: int | None, text: str | None):
    assert written(microseconds) == text


@given(st.integers(0, 9_999_999_999_999_999), st.integers(0, 9_999_999_999_999_999))
def test_text_order_is_time_order_and_nothing_is_rounded(one: int, other: int):
    assert (written(one) < written(other)) == (one < other)
    read = datetime.fromisoformat(written(one))
    assert int(read.timestamp()) == one // 1_000_000
    assert read.microsecond == one % 1_000_000
