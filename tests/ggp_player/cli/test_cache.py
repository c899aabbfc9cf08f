"""The cache of compiled code can be looked at, and emptied."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from click.testing import CliRunner

from gdl.code_cache import write_code
from ggp_player.cli.commands.cache import cache_command


def run(*arguments: str) -> str:
    result = CliRunner().invoke(cache_command, arguments)
    assert result.exit_code == 0, result.output
    return result.output


def test_what_is_kept_is_shown_and_deleted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setenv("GDL_CACHE", str(tmp_path / "cache"))
    assert run("show") == "files   0, 0.0 MB of at most 1074 MB\n"
    for name in ("a.o", "b.o"):
        write_code(name, bytes(500_000))
    folder, files, oldest = run("show").splitlines()
    assert folder == f"folder  {tmp_path / 'cache'}"
    assert files == "files   2, 1.0 MB of at most 1074 MB"
    assert oldest.startswith("oldest  last used 20")
    assert run("clear") == "deleted 2 files\n"
    assert not list((tmp_path / "cache").iterdir())
