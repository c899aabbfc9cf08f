"""Kernels written in Python: functions of arrays, compiled ahead of time through Numba.

:mod:`.functions` has the decorators, :mod:`.arguments` how arguments are passed, :mod:`.archive`
the archives in which kernels are shipped, and :mod:`.numba_compiler` makes these. :mod:`.spin_lock`
is for kernels that share arrays. Nothing here knows games or blocks; the kernels emitted through
llvmlite are in :mod:`gdl.engine.kernels`.
"""

from gdl.array_kernels.archive import KernelArchive, KernelArchiveError, register_archive
from gdl.array_kernels.functions import (
    Intrinsic,
    inlined_kernel,
    kernel,
)
from gdl.array_kernels.spin_lock import acquire, new_lock, release, unshared_zeros

__all__ = [
    "Intrinsic",
    "KernelArchive",
    "KernelArchiveError",
    "acquire",
    "inlined_kernel",
    "kernel",
    "new_lock",
    "register_archive",
    "release",
    "unshared_zeros",
]
