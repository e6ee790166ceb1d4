"""The edge's own tests ask the front desk of the handlers' tests for whole answers."""

from tests.unit.handlers.conftest import desk

__all__ = ["desk"]
