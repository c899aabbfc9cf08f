"""Files and folders: those that are there, and those that only one process or user may write."""

from __future__ import annotations

import os
import stat
from contextlib import suppress

TYPE_CHECKING = False
if TYPE_CHECKING:
    from os import PathLike
    from pathlib import Path
    from typing import IO

try:
    import fcntl
except ImportError:  # on Windows
    fcntl = None  # type: ignore[assignment]

_FAR_BEYOND = 2**31 - 2
"""Where Windows locks: a byte that is never written, as others could not read a locked one."""


def is_file(name: str | PathLike[str]) -> bool:
    """Check whether there is a file of a name, which may be one that no file can have."""
    return os.path.isfile(name)  # noqa: PTH113 pathlib raises OSError for a name that is too long


def is_folder(name: str | PathLike[str]) -> bool:
    """Check whether there is a folder of a name, which may be one that no folder can have."""
    return os.path.isdir(name)  # noqa: PTH112 see is_file


def lock_file(file: IO[bytes]) -> bool:
    """Lock an open file against other processes; return False where another one has it.

    The lock ends when the file is closed, or with the process.
    """
    lock = _lock_on_windows if fcntl is None else _lock_elsewhere
    try:
        lock(file)
    except (BlockingIOError, PermissionError):
        return False
    return True


def _lock_elsewhere(file: IO[bytes]) -> None:
    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _lock_on_windows(file: IO[bytes]) -> None:
    import msvcrt

    file.seek(_FAR_BEYOND)
    try:
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]
    finally:
        file.seek(0)


def owner_suffix() -> str:
    """Return the end of the name of this user's folder where all users share a parent folder.

    It is empty on Windows, where each user has a folder for temporary files.
    """
    return f"-{os.getuid()}" if hasattr(os, "getuid") else ""


def is_private(folder: Path) -> bool:
    """Check that a folder belongs to this user, and that nobody else can put files into it.

    Where folders have no owner and no mode, on Windows, a user's folders are taken to be private.
    """
    status = folder.lstat()
    if not stat.S_ISDIR(status.st_mode):
        return False
    if not hasattr(os, "getuid"):
        return True
    return status.st_uid == os.getuid() and not why_untrusted(status)


def why_untrusted(status: os.stat_result) -> str:
    """Return why another user may have written a file or folder; empty where none can have.

    The system's administrator is trusted, who could change this program as well. Where files have
    no owner and no mode, on Windows, all are trusted.
    """
    if not hasattr(os, "getuid"):
        return ""
    if status.st_uid not in {os.getuid(), 0}:
        return f"it belongs to another user, number {status.st_uid}"
    if status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        return "other users may write it"
    return ""


def make_private(folder: Path) -> None:
    """Make a folder, where it is not there, and let nobody but its owner open it.

    The folder of another user stays as it is. Raises OSError where it cannot be made.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if hasattr(os, "getuid") and folder.stat().st_uid == os.getuid():
        folder.chmod(0o700)


def make_private_file(path: Path) -> None:
    """Make an empty file that nobody but its owner may read, or let nobody else read the one there.

    One that is there is not opened, as to close it would end the locks that this process has on it.
    The file of another user stays as it is. Raises OSError where it cannot be made.
    """
    try:
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    except FileExistsError:
        narrow(path)


def narrow(path: Path) -> None:
    """Take every right to a file from others than its owner, if that is this user.

    A device stays as it is, as it is everybody's.
    """
    if not hasattr(os, "getuid"):
        return
    status = path.stat()
    if not (stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode)):
        return
    if status.st_uid == os.getuid() and status.st_mode & 0o077:
        path.chmod(status.st_mode & 0o700)


def make_private_database(path: Path) -> None:
    """Make a file for SQLite as :func:`make_private_file` does, and narrow what is beside it."""
    make_private_file(path)
    for suffix in ("-wal", "-shm", "-journal"):
        with suppress(FileNotFoundError):
            narrow(path.with_name(path.name + suffix))


def read_trusted(path: Path) -> bytes:
    """Read a file that no other user can have written. Raises OSError for any other."""
    flags = os.O_RDONLY
    for name in ("O_NOFOLLOW", "O_NONBLOCK", "O_CLOEXEC", "O_BINARY"):  # not all systems have all
        flags |= getattr(os, name, 0)
    # What is checked is the file that is read, whatever its name stands for a moment later.
    with os.fdopen(os.open(path, flags), "rb") as file:
        status = os.fstat(file.fileno())
        reason = "it is no file" if not stat.S_ISREG(status.st_mode) else why_untrusted(status)
        if reason:
            raise PermissionError(f"{path} is not used: {reason}")
        return file.read()


def write_whole(path: Path, data: bytes) -> None:
    """Write a file, which at any moment is whole: the new one, or what was there before.

    What is no file, such as a device, is written as it is. Raises OSError, which names the path.
    """
    target = path.resolve()
    try:
        if target.exists() and not target.is_file():
            target.write_bytes(data)
        else:
            _replace(target, data)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from error


def _replace(target: Path, data: bytes) -> None:
    """Write a file beside another one, and put it in its place."""
    beside = target.with_name(f".{target.name[:200]}.{os.getpid()}")
    try:
        with beside.open("wb") as file:
            if target.exists():
                beside.chmod(stat.S_IMODE(target.stat().st_mode))
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(target)
    finally:
        beside.unlink(missing_ok=True)
