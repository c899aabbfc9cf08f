"""Native code for circuits: what loops over gates one by one, or sorts millions.

:mod:`.kernels` has the kernels, and :mod:`.kernel_build` builds the archive in which they are
shipped. It takes a fifth of a second to compile, once, and little to load.
"""

from __future__ import annotations

from pathlib import Path

from gdl.array_kernels.archive import register_archive

KERNELS = register_archive(Path(__file__).parent)
"""The native code of the kernels for circuits."""


def load_circuit_kernels() -> None:
    """Load the native code where there is an archive of it, compiled if it is not in the cache."""
    if KERNELS.is_current:
        if not KERNELS.is_ready:
            KERNELS.forget()  # What is loaded may not be in the cache any more.
        KERNELS.load()


def circuit_kernels_are_ready() -> bool:
    """Check whether nothing is left to compile."""
    return KERNELS.is_ready or not KERNELS.is_current
