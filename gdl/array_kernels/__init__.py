"""Kernels written in Python: functions of arrays, compiled ahead of time through Numba.

:mod:`.functions` has the decorators, :mod:`.arguments` how arguments are passed, :mod:`.archive`
the archives in which kernels are shipped, and :mod:`.numba_compiler` makes these. Nothing here
knows games or blocks; the kernels emitted through llvmlite are in :mod:`gdl.engine.kernels`.
"""

from gdl.array_kernels.archive import KernelArchive, KernelArchiveError, register_archive
from gdl.array_kernels.functions import (
    Intrinsic,
    inlined_kernel,
    kernel,
)

__all__ = [
    "Intrinsic",
    "KernelArchive",
    "KernelArchiveError",
    "inlined_kernel",
    "kernel",
    "register_archive",
]
