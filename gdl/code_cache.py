"""The cache of native code on disk: shared by all installations of a user, and bounded in size.

A file is named after all that its code depends on, so equal versions share it wherever they are
installed, and two processes that make the same file at the same time do no harm. Each begins with a
digest of the rest: to load code that was cut short would crash. Where the cache grows beyond
``MAX_BYTES``, the files that were used the longest ago go first.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import platformdirs

from gdl.system import is_private, owner_suffix

MAX_BYTES = 2**30
"""The most bytes that the cache keeps."""

_DIGEST_SIZE = hashlib.sha256().digest_size


def cache_folder() -> Path:
    """Return the folder of compiled code; the environment variable GDL_CACHE overrides it."""
    return Path(os.environ.get("GDL_CACHE") or platformdirs.user_cache_dir("gdl", appauthor=False))


def cache_folders() -> list[Path]:
    """Return the folders in which code is looked for; the last of them gets new code.

    It is :func:`cache_folder` alone, unless that cannot be written, as in a container whose file
    system is read-only: then a folder of the user's own among the temporary files comes second.
    """
    folder = cache_folder()
    if _is_writable(folder):
        return [folder]
    spare = Path(tempfile.gettempdir()) / f"gdl{owner_suffix()}"
    return [folder, *([spare] if not spare.exists() or is_private(spare) else [])]


def _is_writable(folder: Path) -> bool:
    """Whether files can be written into a folder, which is made where it is not there."""
    there = next(parent for parent in (folder, *folder.absolute().parents) if parent.exists())
    return there.is_dir() and os.access(there, os.W_OK)


def is_cached(name: str) -> bool:
    """Check whether there is a file of a name."""
    return any((folder / name).exists() for folder in cache_folders())


def read_code(name: str) -> bytes | None:
    """Return the code in a file, None if there is none that is complete."""
    for folder in cache_folders():
        path = folder / name
        with contextlib.suppress(OSError):
            data = path.read_bytes()
            digest, code = data[:_DIGEST_SIZE], data[_DIGEST_SIZE:]
            if hashlib.sha256(code).digest() == digest:
                with contextlib.suppress(OSError):
                    os.utime(path)  # it has just been used
                return code
    return None


def write_code(name: str, code: bytes) -> None:
    """Keep code; does nothing where no folder can be written, as the cache is a convenience."""
    folder = cache_folders()[-1]
    with contextlib.suppress(OSError):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=folder, suffix=".partial", delete=False) as file:
            file.write(hashlib.sha256(code).digest() + code)
        Path(file.name).replace(folder / name)
        prune(MAX_BYTES)


def cached_files() -> list[tuple[Path, int, float]]:
    """Return the files of the cache, each with its bytes and when it was last used."""
    return [
        (path, status.st_size, status.st_mtime)
        for folder in cache_folders()
        for path in _files_in(folder)
        if (status := _status(path)) is not None
    ]


def prune(most: int) -> int:
    """Delete the files that were used the longest ago, until ``most`` bytes are left at most.

    Returns how many files were deleted.
    """
    files = sorted(cached_files(), key=lambda file: file[2])
    size, deleted = sum(size for _, size, _ in files), 0
    for path, own, _ in files:
        if size <= most:
            break
        with contextlib.suppress(OSError):
            path.unlink()
            size, deleted = size - own, deleted + 1
    return deleted


def _files_in(folder: Path) -> Iterator[Path]:
    """Yield what this module, and the archives of kernels, have put into a folder."""
    for pattern in ("*.o", "*.partial", "kernels-*/kernels.*"):
        yield from folder.glob(pattern)


def _status(path: Path) -> os.stat_result | None:
    try:
        return path.stat()
    except OSError:  # another process has just deleted it
        return None
