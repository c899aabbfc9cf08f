"""The native code of the kernels for circuits, and for which circuits it is used.

It takes a few hundredths of a second to load, so small circuits are made by NumPy alone; and so
are all where there is no native code: where a kernel has been changed and Numba is not installed.
"""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from gdl.array_kernels import register_archive

KERNELS = register_archive(Path(__file__).parent)
"""The native code of the kernels for circuits."""

MIN_RULES = 30_000
"""Circuits of games with fewer ground rules are made by NumPy alone."""


def has_native_code() -> bool:
    """Check whether kernels can be called."""
    return KERNELS.is_current or find_spec("numba") is not None


def load_circuit_kernels() -> None:
    """Load the native code where there is an archive of it, compiled if it is not in the cache."""
    if KERNELS.is_current:
        KERNELS.load()
