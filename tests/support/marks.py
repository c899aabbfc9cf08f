"""Parameters of tests that are tried only now and then."""

from typing import Any

import pytest


def thorough(*values: Any) -> list[Any]:
    """Parameters, one value each, of which only the thorough tests try any."""
    return [pytest.param(value, marks=pytest.mark.thorough) for value in values]
