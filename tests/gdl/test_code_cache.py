"""The cache of native code: whole or not at all, bounded, and never in the way."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from gdl import code_cache
from gdl.code_cache import cached_files, is_cached, prune, read_code, write_code


def test_what_is_written_is_read(empty_cache: Path) -> None:
    assert read_code("a.o") is None
    write_code("a.o", b"code")
    assert read_code("a.o") == b"code"
    assert is_cached("a.o")
    assert [path for path, _, _ in cached_files()] == [empty_cache / "a.o"]


@pytest.mark.parametrize("damage", [b"", b"short", b"x" * 36])
def test_a_damaged_file_is_none(empty_cache: Path, damage: bytes) -> None:
    write_code("a.o", b"code")
    (empty_cache / "a.o").write_bytes(damage)
    assert read_code("a.o") is None


def test_files_used_the_longest_ago_go_first(
    empty_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for day, name in enumerate(["a.o", "b.o", "c.o"]):
        write_code(name, b"." * 68)  # a hundred bytes with the digest
        os.utime(empty_cache / name, (day, day))
    assert read_code("a.o") is not None  # which makes it the last used
    monkeypatch.setattr(code_cache, "MAX_BYTES", 300)
    write_code("d.o", b"." * 68)
    assert {path.name for path, _, _ in cached_files()} == {"a.o", "c.o", "d.o"}
    assert prune(100) == 2
    assert {path.name for path, _, _ in cached_files()} == {"d.o"}


def test_files_of_others_stay(empty_cache: Path) -> None:
    write_code("a.o", b"code")
    (empty_cache / "notes.txt").write_text("mine")
    assert prune(0) == 1
    assert [path.name for path in empty_cache.iterdir()] == ["notes.txt"]


def test_where_the_cache_cannot_be_written_another_folder_is_used(
    empty_cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("GDL_CACHE", str(tmp_path / "file" / "cache"))
    write_code("a.o", b"code")
    assert read_code("a.o") == b"code"
    (spare,) = (tmp_path / "temporary").iterdir()
    assert spare.stat().st_mode & 0o777 == 0o700
    spare.chmod(0o777)  # somebody else might have put code there
    assert read_code("a.o") is None
    write_code("a.o", b"code")
    assert read_code("a.o") is None
