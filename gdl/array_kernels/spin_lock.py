"""A lock for kernels that work on the same arrays in several threads, and memory of their own.

The lock is meant for sections of some microseconds. Who finds it taken looks again and again,
without writing to it, and from time to time lets the system run other threads, as there may be
fewer processors than threads. Nothing is fair about it, and nobody may acquire it twice.

Source: M. Herlihy and N. Shavit, The Art of Multiprocessor Programming (2008), section 7.2.
"""

# ruff: noqa: ANN401 (neither Numba nor llvmlite has types)

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numpy.typing import DTypeLike, NDArray

from gdl.array_kernels.functions import Intrinsic, inlined_kernel, kernel
from gdl.system import yield_address

Lock = NDArray[np.int64]

_TAKEN, _YIELD = 0, 1
"""Indices into a lock: whether it is taken, and the address of a function that yields."""

TRIES = 200
"""How often a taken lock is looked at before the system may run other threads."""

CACHE_LINE = 128
"""Bytes that processors pass on together: lines of 64 bytes are often fetched in pairs."""

_I64 = ir.IntType(64)


def unshared_zeros(shape: int | tuple[int, ...], dtype: DTypeLike) -> NDArray[Any]:
    """Allocate zeros in cache lines of their own, for what one thread writes beside others."""
    size = int(np.prod(shape)) * np.dtype(dtype).itemsize
    lines = np.zeros((size // CACHE_LINE + 2) * CACHE_LINE, np.uint8)
    first = -lines.ctypes.data % CACHE_LINE
    return lines[first : first + size].view(dtype).reshape(shape)


def new_lock() -> Lock:
    """Make a lock that is free: int64 (2,)."""
    lock: Lock = unshared_zeros(2, np.int64)
    lock[_YIELD] = yield_address()
    return lock


@inlined_kernel
def acquire(lock: Lock) -> None:
    """Wait until a lock is free, and take it: what was written before its release is seen."""
    while not _take(lock.ctypes.data):
        _wait(lock)


@inlined_kernel
def release(lock: Lock) -> None:
    """Free a lock that this thread has acquired."""
    _free(lock.ctypes.data)


@kernel
def _wait(lock: Lock) -> None:
    """Wait until a lock looks free."""
    tries = 0
    while _is_taken(lock.ctypes.data):
        tries += 1
        if tries % TRIES == 0 and lock[_YIELD] != 0:
            _call(lock[_YIELD])
        _pause()


# ---------------------------------------------------------------------- operations


def _pointer(b: Any, address: Any) -> Any:
    return b.inttoptr(address, _I64.as_pointer())


def _define_take(_context: Any, _address: Any) -> Any:
    from numba import types  # not at the top: only building kernels needs it

    def emit(_context: Any, b: Any, _signature: Any, arguments: Any) -> Any:
        free, taken = ir.Constant(_I64, 0), ir.Constant(_I64, 1)
        pointer = _pointer(b, arguments[0])
        found = b.cmpxchg(pointer, free, taken, "acquire", "monotonic")
        return b.extract_value(found, 1)

    return types.boolean(types.int64), emit


def _define_free(_context: Any, _address: Any) -> Any:
    from numba import types

    def emit(context: Any, b: Any, _signature: Any, arguments: Any) -> Any:
        b.store_atomic(ir.Constant(_I64, 0), _pointer(b, arguments[0]), "release", 8)
        return context.get_dummy_value()

    return types.void(types.int64), emit


def _define_is_taken(_context: Any, _address: Any) -> Any:
    from numba import types

    def emit(_context: Any, b: Any, _signature: Any, arguments: Any) -> Any:
        taken = b.load_atomic(_pointer(b, arguments[0]), "monotonic", 8)
        return b.icmp_unsigned("!=", taken, ir.Constant(_I64, 0))

    return types.boolean(types.int64), emit


def _define_pause(_context: Any) -> Any:
    from numba import types

    def emit(context: Any, b: Any, _signature: Any, _arguments: Any) -> Any:
        b.fence("seq_cst")
        return context.get_dummy_value()

    return types.void(), emit


def _define_call(_context: Any, _function: Any) -> Any:
    from numba import types

    kind = ir.FunctionType(ir.IntType(32), [])

    def emit(context: Any, b: Any, _signature: Any, arguments: Any) -> Any:
        b.call(b.inttoptr(arguments[0], kind.as_pointer()), [])
        return context.get_dummy_value()

    return types.void(types.int64), emit


_take: Callable[[int], bool] = Intrinsic(_define_take)
"""Take the lock at an address if it is free; return whether it was."""

_free: Callable[[int], None] = Intrinsic(_define_free)
"""Free the lock at an address."""

_is_taken: Callable[[int], bool] = Intrinsic(_define_is_taken)
"""Look whether the lock at an address is taken."""

_pause: Callable[[], None] = Intrinsic(_define_pause)
"""Do nothing for some tens of cycles: a barrier, as LLVM has no pause that fits all processors."""

_call: Callable[[int], None] = Intrinsic(_define_call)
"""Call ``int function(void)`` by its address."""
