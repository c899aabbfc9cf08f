"""Files that only one process may write, and folders that only one user may."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import IO

import pytest

from gdl.system import files, is_private, lock_file, owner_suffix


def test_a_file_is_locked_until_it_is_closed(tmp_path: Path) -> None:
    path = tmp_path / "file"
    with path.open("a+b") as one, path.open("a+b") as other:
        assert lock_file(one)
        assert not lock_file(other)
        one.close()
        assert lock_file(other)


def test_a_file_is_locked_on_windows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    locked: list[int] = []

    def locking(descriptor: int, mode: str, length: int) -> None:
        assert (mode, length) == ("at once", 1)
        position = os.lseek(descriptor, 0, os.SEEK_CUR)
        if position in locked:
            raise PermissionError
        locked.append(position)

    system = SimpleNamespace(locking=locking, LK_NBLCK="at once")
    monkeypatch.setitem(sys.modules, "msvcrt", system)
    monkeypatch.setattr(files, "fcntl", None)

    def attempt(file: IO[bytes]) -> tuple[bool, int]:
        return lock_file(file), file.tell()

    with (tmp_path / "file").open("a+b") as file:
        assert [attempt(file), attempt(file)] == [(True, 0), (False, 0)]
    assert locked[0] > 2**30


def test_a_folder_is_private(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tmp_path.chmod(0o755)
    assert is_private(tmp_path)
    tmp_path.chmod(0o775)
    assert not is_private(tmp_path)
    tmp_path.chmod(0o755)
    (tmp_path / "link").symlink_to(tmp_path)
    assert not is_private(tmp_path / "link")
    assert owner_suffix() == f"-{os.getuid()}"
    monkeypatch.setattr(os, "getuid", lambda: tmp_path.stat().st_uid + 1)
    assert not is_private(tmp_path)


def test_where_users_have_no_numbers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "getuid")
    assert owner_suffix() == ""
    assert is_private(tmp_path)
    (tmp_path / "file").touch()
    assert not is_private(tmp_path / "file")
