"""Fixtures that several tests of the language and the engine share."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest

from gdl import code_cache


@pytest.fixture
def empty_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the cache of native code, which is not there yet; nor is a spare one."""
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    monkeypatch.setenv("GDL_CACHE", str(tmp_path / "cache"))
    code_cache._warn.cache_clear()
    return tmp_path / "cache"
