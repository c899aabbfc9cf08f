"""The cache of native code on disk: shared by all installations of a user, and bounded in size.

A file is named after all that its code depends on, so equal versions share it wherever they are
installed, and two processes that make the same file at the same time do no harm. Each begins with a
digest of the rest: to load code that was cut short would crash. Where the cache grows beyond
:func:`max_bytes`, the files that were used the longest ago go first.

What is in the cache runs in our name. So a folder, and each file, is used only where no other user
can have written it; where the folder is refused, the log says why, once.
"""

from __future__ import annotations

import contextlib
import hashlib
import logging
import os
import tempfile
from collections.abc import Iterable
from functools import cache
from itertools import product
from pathlib import Path

import platformdirs

from gdl.system import is_private, make_private, owner_suffix, read_trusted, why_untrusted

FOLDER_VARIABLE, SIZE_VARIABLE = "GDL_CACHE", "GDL_CACHE_MIB"
"""The variables of the environment that name the folder, and the most MiB that it keeps."""

DEFAULT_MIB = 1024

MAX_DIGITS = 9
"""The most digits of a size in MiB."""

_DIGEST_SIZE = hashlib.sha256().digest_size

_log = logging.getLogger(__name__)


def cache_folder() -> Path:
    """Return the folder of compiled code; the environment variable GDL_CACHE overrides it."""
    named = os.environ.get(FOLDER_VARIABLE)
    return Path(named or platformdirs.user_cache_dir("gdl", appauthor=False))


def max_bytes() -> int:
    """Return the most bytes that the cache keeps: GDL_CACHE_MIB times 2**20, by default a GiB."""
    text = os.environ.get(SIZE_VARIABLE) or str(DEFAULT_MIB)
    if text.isdecimal() and len(text) <= MAX_DIGITS:
        return int(text) * 2**20
    _warn(f"{SIZE_VARIABLE} is {text[:40]!r}; expected a whole number of MiB, {DEFAULT_MIB} it is")
    return DEFAULT_MIB * 2**20


def refusal() -> str:
    """Return why :func:`cache_folder` is not used; empty where it is, or is only not writable."""
    folder = cache_folder()
    try:
        reason = why_untrusted(folder.stat())
    except OSError:
        return ""
    return f"the cache of compiled code, {folder}, is not used: {reason}" if reason else ""


def cache_folders() -> list[Path]:
    """Return the folders in which code is looked for; the last of them gets new code.

    It is :func:`cache_folder` alone, unless that is refused, or cannot be written, as in a
    container whose file system is read-only: then a folder of the user's own among the temporary
    files comes instead, or second. There is none at all where that is another user's.
    """
    refused, folder = refusal(), cache_folder()
    if not refused and _is_writable(folder):
        return [folder]
    if refused:
        _warn(f"{refused}; chmod 700 it, or have {FOLDER_VARIABLE} name another folder")
    spare = Path(tempfile.gettempdir()) / f"gdl{owner_suffix()}"
    spares = [spare] if not spare.exists() or is_private(spare) else []
    return spares if refused else [folder, *spares]


@cache
def _warn(message: str) -> None:
    """Log a warning, but once in a process."""
    _log.warning("%s", message)


def _is_writable(folder: Path) -> bool:
    """Whether files can be written into a folder, which is made where it is not there."""
    there = next(parent for parent in (folder, *folder.absolute().parents) if parent.exists())
    return there.is_dir() and os.access(there, os.W_OK)


def is_cached(name: str) -> bool:
    """Check whether there is a file of a name that is complete."""
    return any(_code_in(folder / name) is not None for folder in cache_folders())


def read_code(name: str) -> bytes | None:
    """Return the code in a file, None if there is none that is complete and ours."""
    for folder in cache_folders():
        path = folder / name
        code = _code_in(path)
        if code is not None:
            with contextlib.suppress(OSError):
                os.utime(path)  # it has just been used
            return code
    return None


def _code_in(path: Path) -> bytes | None:
    data = read_own(path) or b""
    digest, code = data[:_DIGEST_SIZE], data[_DIGEST_SIZE:]
    return code if code and hashlib.sha256(code).digest() == digest else None


def read_own(path: Path) -> bytes | None:
    """Return the content of a file of the cache; None for unreadable and for other users' files."""
    try:
        return read_trusted(path)
    except PermissionError as error:
        _warn(str(error))
    except OSError:
        pass
    return None


def write_code(name: str, code: bytes) -> None:
    """Keep code; does nothing where no folder can be written, as the cache is a convenience."""
    for folder in cache_folders()[-1:]:
        with contextlib.suppress(OSError):
            make_private(folder)
            _write_whole(folder / name, hashlib.sha256(code).digest() + code)
            prune(max_bytes())


def _write_whole(path: Path, data: bytes) -> None:
    """Make a file appear with all of its data. Where the disk is full, nothing of it is left."""
    descriptor, partial = tempfile.mkstemp(dir=path.parent, suffix=".partial")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
        Path(partial).replace(path)
    except OSError:
        Path(partial).unlink(missing_ok=True)
        raise


def cached_files() -> list[tuple[Path, int, float]]:
    """Return the files of the cache, each with its bytes and when it was last used."""
    return _files_in(cache_folders())


def prune(most: int) -> int:
    """Delete the files that were used the longest ago, until ``most`` bytes are left at most.

    Files in a folder that cannot be written do not count. Returns how many were deleted.
    """
    files = sorted(_files_in(filter(_is_writable, cache_folders())), key=lambda file: file[2])
    size, deleted = sum(size for _, size, _ in files), 0
    for path, own, _ in files:
        if size <= most:
            break
        with contextlib.suppress(OSError):
            path.unlink()
            size, deleted = size - own, deleted + 1
    return deleted


def _files_in(folders: Iterable[Path]) -> list[tuple[Path, int, float]]:
    """List what this module, and the archives of kernels, have put into folders."""
    found = []
    for folder, pattern in product(folders, ("*.o", "*.ptx", "*.partial", "kernels-*/kernels.*")):
        for path in folder.glob(pattern):
            with contextlib.suppress(OSError):  # another process may just have deleted it
                status = path.stat()
                found.append((path, status.st_size, status.st_mtime))
    return found
