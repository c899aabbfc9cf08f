"""Archives of kernels that were built anew, compared with those that are shipped."""

from __future__ import annotations

import platform
import sys
from collections.abc import Collection
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path

import pytest

from gdl.array_kernels.archive import Manifest, kernel_digest, read_code

BUILD_SECONDS = 1200
"""The time that a build may take where others have the processors as well; alone it takes 100 s."""

BUILD_PYTHON = (3, 11)
"""The version of Python with which archives are built: of its bytecode Numba makes the code."""

builds = pytest.mark.skipif(
    sys.version_info[:2] != BUILD_PYTHON,
    reason=f"archives are built with Python {'.'.join(map(str, BUILD_PYTHON))}",
)
"""Marks tests that build an archive to compare it with what is shipped."""


def shipped(folder: Path) -> Manifest:
    """The manifest of the archive in a folder."""
    manifest = Manifest.read(folder)
    assert manifest is not None, f"there is no archive in {folder}"
    return manifest


def assert_up_to_date(folder: Path, modules: Collection[str]) -> None:
    """Check that an archive was made from these modules as they are, for every processor.

    After a change of a kernel: ``python -m ggp_player.worker.kernel_build``.
    """
    manifest = shipped(folder)
    assert set(manifest.files) == set(modules)
    assert kernel_digest(manifest.files) == manifest.kernels
    code = read_code(folder, manifest)
    assert all(word not in code for word in ("target triple", "target-cpu", "llvm.x86"))


def assert_same_archive(folder: Path, built: Path) -> None:
    """Check that two folders have archives with the same LLVM code, for the same types.

    The code is compared unpacked, as versions of the packer need not give the same bytes.
    """
    own, new = shipped(folder), shipped(built)
    sentence = (
        f"{folder} has not the archive that its kernels give: build it anew with "
        "python -m ggp_player.worker.kernel_build, and commit it. It takes "
        f"Python {'.'.join(map(str, BUILD_PYTHON))} and the versions that requirements-dev.lock "
        "names, as others make other code; here are "
        f"Python {platform.python_version()}, Numba {version('numba')} and "
        f"llvmlite {version('llvmlite')}."
    )
    assert replace(own, code="") == replace(new, code=""), sentence
    # Compared outside of the assertion: pytest would show the difference of megabytes.
    is_same = read_code(folder, own) == read_code(built, new)
    assert is_same, sentence
