"""Files that only one process may write, and folders that only one user may."""

from __future__ import annotations

import os
import resource
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import IO

import pytest

from gdl.system import (
    files,
    is_file,
    is_folder,
    is_private,
    lock_file,
    make_private,
    make_private_database,
    owner_suffix,
    read_trusted,
    why_untrusted,
    write_whole,
)


def test_a_name_that_no_file_can_have_is_that_of_none(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert is_file(tmp_path / "file")
    assert is_folder(str(tmp_path))
    assert not is_file(tmp_path)
    assert not is_folder(tmp_path / "file")
    for name in ("a" * 300, "a/" * 3000, "a\0b", "\udcff", ""):
        assert not is_file(name)
        assert not is_folder(name)


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
    assert why_untrusted(tmp_path.stat()) == ""
    make_private(tmp_path / "new")
    assert read_trusted(tmp_path / "file") == b""


def test_the_administrator_is_trusted_and_others_are_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"text")
    file.chmod(0o644)
    assert read_trusted(file) == b"text"
    for owner, reason in ((0, ""), (54321, "it belongs to another user, number 54321")):
        status = os.stat_result((0o100644, 0, 0, 1, owner, 0, 0, 0, 0, 0))
        assert why_untrusted(status) == reason
    file.chmod(0o664)
    with pytest.raises(PermissionError, match="other users may write it"):
        read_trusted(file)


def test_a_folder_is_made_private(tmp_path: Path) -> None:
    (tmp_path / "open").mkdir()
    (tmp_path / "open").chmod(0o777)
    for name in ("open", "new"):
        make_private(tmp_path / name)
        assert (tmp_path / name).stat().st_mode & 0o777 == 0o700


@pytest.mark.skipif(os.name != "posix", reason="files have no mode there")
def test_a_database_is_made_for_its_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / "new.sqlite"
    make_private_database(path)
    assert path.stat().st_mode & 0o777 == 0o600


@pytest.mark.skipif(os.name != "posix", reason="files have no mode there")
def test_a_database_that_others_may_read_is_narrowed_and_keeps_its_locks(tmp_path: Path) -> None:
    path = tmp_path / "old.sqlite"
    beside = [tmp_path / f"old.sqlite-{name}" for name in ("wal", "shm", "journal")]
    for each in (path, *beside):
        each.write_text("kept")
        each.chmod(0o664)
    make_private_database(path)
    for each in (path, *beside):
        assert each.stat().st_mode & 0o777 == 0o600
        assert each.read_text() == "kept"


def test_a_file_is_written_whole_or_stays_as_it_was(tmp_path: Path) -> None:
    file = tmp_path / "record.json"
    write_whole(file, b"first")
    file.chmod(0o640)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2, hard))
    try:
        with pytest.raises(OSError, match="File too large") as caught:
            write_whole(file, b"second")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert caught.value.filename == str(file)
    assert file.read_bytes() == b"first"
    write_whole(file, b"third")
    assert file.read_bytes() == b"third"
    assert file.stat().st_mode & 0o777 == 0o640
    assert list(tmp_path.iterdir()) == [file]


def test_a_link_and_a_device_stay_what_they_are(tmp_path: Path) -> None:
    file, link = tmp_path / "record.json", tmp_path / "link"
    link.symlink_to(file)
    write_whole(link, b"text")
    assert link.is_symlink()
    assert file.read_bytes() == b"text"
    write_whole(Path("/dev/null"), b"text")
    assert not Path("/dev/null").is_file()
    with pytest.raises(OSError, match="No space left on device"):
        write_whole(Path("/dev/full"), b"text")
