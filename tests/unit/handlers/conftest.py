import pytest

from tests.unit.handlers.front_desk import FrontDesk


@pytest.fixture
def desk(monkeypatch: pytest.MonkeyPatch) -> FrontDesk:
    return FrontDesk(monkeypatch)
