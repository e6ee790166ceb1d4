"""A scene for each test."""

import pytest

from tests.unit.usecases.scene import Scene


@pytest.fixture
def scene() -> Scene:
    return Scene()
