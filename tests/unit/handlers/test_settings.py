"""What each handler has to be told: a function that lacks a setting fails as it starts, not at a request."""

import pytest

from tests.unit.handlers.front_desk import AUTHORIZATION, ENVIRONMENT, load, reloaded

NEEDED = [(job, name) for job, own in ENVIRONMENT.items() for name in {**own, **AUTHORIZATION}]


@pytest.mark.parametrize(("job", "name"), NEEDED)
def test_a_missing_setting_fails_at_import_and_is_named(monkeypatch: pytest.MonkeyPatch, job: str, name: str):
    load(job, monkeypatch)
    monkeypatch.delenv(name)

    with pytest.raises(KeyError, match=name):
        reloaded(job)
