"""What all tests share: the settings of Hypothesis, and where the collection of rulesheets is."""

from __future__ import annotations

import pytest
from hypothesis import settings

from tests.support.paths import CORPUS

# No deadlines: how long one example takes says more about the computer than about the code.
settings.register_profile("quick", deadline=None, max_examples=40)
settings.register_profile("thorough", deadline=None, max_examples=20_000)
settings.load_profile("quick")


def pytest_report_header() -> str:
    found = "" if CORPUS.is_dir() else " is missing: the tests marked 'corpus' are skipped"
    return f"corpus: {CORPUS}{found}"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if CORPUS.is_dir():
        return
    missing = pytest.mark.skip(reason=f"{CORPUS} is missing")
    for item in items:
        if item.get_closest_marker("corpus"):
            item.add_marker(missing)
