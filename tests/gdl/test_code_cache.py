"""The cache of native code: whole or not at all, bounded, and never in the way."""

from __future__ import annotations

import os
import sys
from hashlib import sha256
from pathlib import Path

import pytest

from gdl import code_cache
from gdl.code_cache import (
    cache_folders,
    cached_files,
    is_cached,
    max_bytes,
    prune,
    read_code,
    refusal,
    write_code,
)
from tests.support.foreign_files import disown
from tests.support.full_disk import full_disk


@pytest.mark.parametrize("name", ["a.o", "a.ptx"])
def test_what_is_written_is_read(empty_cache: Path, name: str) -> None:
    assert read_code(name) is None
    write_code(name, b"code")
    assert read_code(name) == b"code"
    assert is_cached(name)
    assert [path for path, _, _ in cached_files()] == [empty_cache / name]


@pytest.mark.skipif(sys.platform == "win32", reason="it cannot limit files")
def test_a_full_disk_is_done_without(empty_cache: Path) -> None:
    with full_disk(1000):
        write_code("a.o", bytes(10_000))
        write_code("b.o", b"short")
    assert read_code("a.o") is None
    assert read_code("b.o") == b"short"
    assert [path.name for path in empty_cache.iterdir()] == ["b.o"]


@pytest.mark.parametrize("damage", [b"", b"short", b"x" * 36, sha256(b"").digest()])
def test_a_damaged_file_is_none(empty_cache: Path, damage: bytes) -> None:
    write_code("a.o", b"code")
    (empty_cache / "a.o").write_bytes(damage)
    assert read_code("a.o") is None
    assert not is_cached("a.o")
    write_code("a.o", b"code")
    assert read_code("a.o") == b"code"


def test_a_size_beyond_any_disk_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GDL_CACHE_MIB", "1" * 5000)
    assert max_bytes() == 2**30


def test_the_size_is_set_in_the_environment(
    empty_cache: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    assert max_bytes() == 2**30
    monkeypatch.setenv("GDL_CACHE_MIB", "many")
    assert max_bytes() == 2**30
    assert "GDL_CACHE_MIB is 'many'; expected a whole number" in caplog.text
    monkeypatch.setenv("GDL_CACHE_MIB", "1")
    for name in ("a.o", "b.o", "c.o"):
        write_code(name, bytes(400_000))
    assert sum(size for _, size, _ in cached_files()) < 2**20
    assert is_cached("c.o")


def test_files_used_the_longest_ago_go_first(
    empty_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for day, name in enumerate(["a.o", "b.o", "c.o"]):
        write_code(name, b"." * 68)  # a hundred bytes with the digest
        os.utime(empty_cache / name, (day, day))
    assert read_code("a.o") is not None  # which makes it the last used
    monkeypatch.setattr(code_cache, "max_bytes", lambda: 300)
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


# ---------------------------------------------------------------------- only what is ours


def permissions(path: Path) -> int:
    return path.stat().st_mode & 0o777


def test_nobody_else_can_open_the_cache(empty_cache: Path) -> None:
    empty_cache.mkdir(mode=0o755)
    write_code("a.o", b"code")
    assert (permissions(empty_cache), permissions(empty_cache / "a.o")) == (0o700, 0o600)


def test_a_folder_of_another_user_is_refused(
    empty_cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog
) -> None:
    write_code("a.o", b"code")
    owner = disown(empty_cache, monkeypatch)
    for _ in range(2):
        assert read_code("a.o") is None
    (message,) = caplog.messages
    assert message == (
        f"the cache of compiled code, {empty_cache}, is not used: it belongs to another user, "
        f"number {owner}; chmod 700 it, or have GDL_CACHE name another folder"
    )
    assert message.startswith(refusal())
    write_code("a.o", b"new code")
    assert read_code("a.o") == b"new code"
    assert [path.parent.parent for path, _, _ in cached_files()] == [tmp_path / "temporary"]


@pytest.mark.parametrize("mode", [0o770, 0o707, 0o1777])
def test_a_folder_that_others_may_write_is_refused(empty_cache: Path, mode: int) -> None:
    write_code("a.o", b"code")
    empty_cache.chmod(mode)
    assert read_code("a.o") is None
    assert not is_cached("a.o")
    assert "other users may write it" in refusal()


def test_without_a_folder_of_our_own_nothing_is_kept(
    empty_cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    empty_cache.mkdir()
    empty_cache.chmod(0o777)
    write_code("a.o", b"code")
    (spare,) = (tmp_path / "temporary").iterdir()
    spare.chmod(0o777)
    assert cache_folders() == []
    write_code("b.o", b"code")
    assert read_code("b.o") is None
    assert not (spare / "b.o").exists()


def test_a_file_of_another_user_is_made_anew(
    empty_cache: Path, monkeypatch: pytest.MonkeyPatch, caplog
) -> None:
    write_code("a.o", b"code")
    with pytest.MonkeyPatch.context() as patch:
        disown(empty_cache / "a.o", patch)
        monkeypatch.setattr("gdl.code_cache.cache_folders", lambda: [empty_cache])
        assert read_code("a.o") is None
        assert not is_cached("a.o")
        assert "a.o is not used: it belongs to another user" in caplog.text
    write_code("a.o", b"our code")
    assert read_code("a.o") == b"our code"


@pytest.mark.parametrize("kind", ["writable", "link", "folder", "pipe"])
def test_a_file_that_others_can_change_is_not_read(empty_cache: Path, kind: str) -> None:
    write_code("a.o", b"code")
    path = empty_cache / "a.o"
    if kind == "writable":
        path.chmod(0o666)
    else:
        moved = path.rename(empty_cache / "moved")
        {
            "link": lambda: path.symlink_to(moved),
            "folder": path.mkdir,
            "pipe": lambda: os.mkfifo(path),
        }[kind]()
    assert read_code("a.o") is None


def test_a_warm_cache_that_is_read_only_is_used(
    empty_cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_code("a.o", b"code")
    writable = os.access
    monkeypatch.setattr(
        os, "access", lambda path, mode: path != empty_cache and writable(path, mode)
    )
    assert read_code("a.o") == b"code"
    assert is_cached("a.o")
    write_code("b.o", b"code")
    assert (read_code("b.o"), (empty_cache / "b.o").exists()) == (b"code", False)
    assert prune(0) == 1
    assert [path for path, _, _ in cached_files()] == [empty_cache / "a.o"]
