"""How Numba compiles functions of arrays, and where it caches the native code.

The cache is in the folder of all compiled code, not beside the source, so that it can be filled in
advance for another user of the same installation. Numba notices only changes of a function's own
file; as kernels call one another, the folder's name has a digest of all the files concerned: those
of the function's package, and those of this one.
"""

from __future__ import annotations

import hashlib
import os
import stat
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, cast

import numba

from gdl.engine.native_code import cache_folder

Function = TypeVar("Function", bound=Callable[..., Any])


def kernel(function: Function) -> Function:
    """Compile a function that takes arrays, allocates none, and raises nothing.

    It runs without the global interpreter lock, and without reference counts, as nothing is
    allocated: an atomic increment for every array of every call would take longer than the call.
    """
    return _compiled(function, _nrt=False)


def allocating_kernel(function: Function) -> Function:
    """Compile a function that takes arrays and may allocate some; it is for rare calls."""
    return _compiled(function)


def inlined_kernel(function: Function) -> Function:
    """Compile a function into each kernel that calls it; calls with many arrays take long."""
    return cast("Function", numba.njit(nogil=True, error_model="numpy", inline="always")(function))


def _compiled(function: Function, **options: bool) -> Function:
    # Numba reads the folder now, and has no option for it.
    kept = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(code_folder(Path(function.__code__.co_filename).parent))
    try:
        decorate = numba.njit(cache=True, nogil=True, error_model="numpy", **options)
        return cast("Function", decorate(function))
    finally:
        numba.config.CACHE_DIR = kept


@cache
def code_folder(package: Path) -> Path:
    """Return the folder, which exists, for the native code of a package's kernels.

    Where the folder of all compiled code cannot be written, as in a container whose file system is
    read-only, it is a folder of the user's own among the temporary files.
    """
    digest = source_digest(package)
    for parent in (cache_folder() / "numba", Path(tempfile.gettempdir()) / f"gdl-{os.getuid()}"):
        folder = parent / digest
        try:
            parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            folder.mkdir(exist_ok=True)
        except OSError:
            continue
        if os.access(folder, os.W_OK) and _is_ours(parent):
            return folder
    return Path(tempfile.mkdtemp(prefix="gdl-"))


def _is_ours(folder: Path) -> bool:
    """Check that nobody else can have put code into a folder."""
    status = folder.lstat()
    others = status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    return stat.S_ISDIR(status.st_mode) and status.st_uid == os.getuid() and not others


def source_digest(package: Path) -> str:
    """Return a digest of a package's source and of this package's, which all kernels build on."""
    digest = hashlib.sha256(numba.__version__.encode())
    for source in sorted({*package.rglob("*.py"), *Path(__file__).parent.glob("*.py")}):
        text = source.read_bytes()
        digest.update(f"{source.name} {len(text)} ".encode() + text)
    return digest.hexdigest()[:16]
