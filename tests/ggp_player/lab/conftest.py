"""What several tests of the lab share."""

from __future__ import annotations

from functools import cache

import pytest

import gdl

compile_game = cache(gdl.compile)


@pytest.fixture
def compiled_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Compile each game once for all tests, where nothing depends on an engine of its own."""
    monkeypatch.setattr(gdl, "compile", compile_game)
