"""The native code of the kernels for circuits, and for which circuits it is used.

It takes a fifth of a second to compile, once, and little to load. Small circuits are made by NumPy
alone; and so are all where there is no archive of the kernels as they are.
"""

from __future__ import annotations

from pathlib import Path

from gdl.array_kernels.archive import register_archive

KERNELS = register_archive(Path(__file__).parent)
"""The native code of the kernels for circuits."""

MIN_RULES = 30_000
"""Circuits of games with fewer ground rules are made by NumPy alone."""


def has_native_code() -> bool:
    """Check whether kernels can be called without being compiled by Numba, which takes long."""
    return KERNELS.is_current


def load_circuit_kernels() -> None:
    """Load the native code where there is an archive of it, compiled if it is not in the cache."""
    if KERNELS.is_current:
        if not KERNELS.is_ready:
            KERNELS.forget()  # What is loaded may not be in the cache any more.
        KERNELS.load()


def circuit_kernels_are_ready() -> bool:
    """Check whether nothing is left to compile."""
    return KERNELS.is_ready or not KERNELS.is_current
