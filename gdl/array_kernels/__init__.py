"""Kernels written in Python: functions of arrays, compiled ahead of time through Numba.

:mod:`.functions` has the decorators, :mod:`.arguments` how arguments are passed, :mod:`.archive`
the archives in which kernels are shipped, and :mod:`.numba_compiler` makes these. :mod:`.spin_lock`
and :mod:`.atomics` are for kernels that share arrays. Nothing here knows games or blocks; the
kernels emitted through llvmlite are in :mod:`gdl.engine.kernels`.
"""

from gdl.array_kernels.archive import KernelArchive, KernelArchiveError, register_archive
from gdl.array_kernels.atomics import (
    add_to_float64,
    add_to_int32,
    add_to_int64,
    add_to_uint16,
    field_offset,
    observe,
    publish,
    replace_int32,
)
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
    "add_to_float64",
    "add_to_int32",
    "add_to_int64",
    "add_to_uint16",
    "field_offset",
    "inlined_kernel",
    "kernel",
    "new_lock",
    "observe",
    "publish",
    "register_archive",
    "release",
    "replace_int32",
    "unshared_zeros",
]
