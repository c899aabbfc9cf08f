"""Files and folders that only one process, or only one user, may write."""

from __future__ import annotations

import os
import stat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path
    from typing import IO

try:
    import fcntl
except ImportError:  # on Windows
    fcntl = None  # type: ignore[assignment]

_FAR_BEYOND = 2**31 - 2
"""Where Windows locks: a byte that is never written, as others could not read a locked one."""


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
    """Check that nobody else can have put files into a folder.

    Where folders have no owner and no mode, on Windows, a user's folders are taken to be private.
    """
    status = folder.lstat()
    if not stat.S_ISDIR(status.st_mode):
        return False
    if not hasattr(os, "getuid"):
        return True
    others = status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    return status.st_uid == os.getuid() and not others
