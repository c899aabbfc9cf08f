"""The collection's rulesheets as parameters of tests."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from gdl.grounding.gringo import GroundingBudget

BUDGET = GroundingBudget(seconds=120)

LARGE = {"amazons": 300, "amazons_v1": 300, "chess": 900}
"""Rulesheets that take long to compile, and the seconds that their tests may take."""


def parameters(rulesheets: Mapping[str, Path]) -> list[object]:
    """Return rulesheets as the parameters of tests, slow ones where they are large."""
    return [pytest.param(path, id=name, marks=marks_of(name)) for name, path in rulesheets.items()]


def marks_of(name: str) -> list[pytest.MarkDecorator]:
    """Return the marks of a rulesheet's tests."""
    return [pytest.mark.slow, pytest.mark.timeout(LARGE[name])] if name in LARGE else []
