"""Kernels written in Python: functions of arrays, compiled ahead of time through Numba.

:mod:`.functions` has the decorators, :mod:`.arguments` how arguments are passed, :mod:`.archive`
the archives in which kernels are shipped, and :mod:`.numba_compiler` makes these. :mod:`.spin_lock`
and :mod:`.atomics` are for kernels that share arrays. Nothing here knows games or blocks; the
kernels emitted through llvmlite are in :mod:`gdl.engine.kernels`.
"""

from gdl.array_kernels.functions import inlined_kernel, kernel

__all__ = ["inlined_kernel", "kernel"]
