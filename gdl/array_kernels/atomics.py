"""Sums that several threads add to without a lock, and the order in which they see what is written.

An addition takes the address of a number, and whether several threads share it. It is atomic where
they do; a number that belongs to one thread is added to as usual. Nothing here waits.

Source: M. Herlihy and N. Shavit, The Art of Multiprocessor Programming (2008), chapter 5.
"""

# ruff: noqa: ANN401 (neither Numba nor llvmlite has types)

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from llvmlite import ir

from gdl.array_kernels.functions import Intrinsic

_Definition: TypeAlias = tuple[Any, Callable[..., Any]]


def field_offset(record: np.dtype[Any], name: str) -> int:
    """How many bytes after the beginning of a record one of its fields stands."""
    fields = record.fields
    assert fields is not None
    return fields[name][1]


def _adding(name: str) -> Callable[..., _Definition]:
    """Define the addition to a number of Numba's type of that name; it gives what was before."""

    def define(_context: Any, _address: Any, _value: Any, _is_shared: Any) -> _Definition:
        from numba import types  # not at the top: only building kernels needs it
        from numba.core import cgutils

        kind = getattr(types, name)
        operation = "fadd" if isinstance(kind, types.Float) else "add"

        def emit(context: Any, b: Any, _signature: Any, arguments: Any) -> Any:
            address, value, is_shared = arguments
            number = context.get_value_type(kind)
            pointer = b.inttoptr(address, number.as_pointer())
            before = cgutils.alloca_once(b, number)
            with b.if_else(is_shared) as (shared, alone):
                with shared:
                    b.store(b.atomic_rmw(operation, pointer, value, "monotonic"), before)
                with alone:
                    found = b.load(pointer)
                    b.store(getattr(b, operation)(found, value), pointer)
                    b.store(found, before)
            return b.load(before)

        return kind(types.int64, kind, types.boolean), emit

    return define


def _replacing(name: str) -> Callable[..., _Definition]:
    """Define the replacement of an integer of Numba's type of that name."""

    def define(_context: Any, _address: Any, _expected: Any, _value: Any) -> _Definition:
        from numba import types

        kind = getattr(types, name)

        def emit(_context: Any, b: Any, _signature: Any, arguments: Any) -> Any:
            address, expected, value = arguments
            pointer = b.inttoptr(address, ir.IntType(kind.bitwidth).as_pointer())
            found = b.cmpxchg(pointer, expected, value, "acq_rel", "monotonic")
            return b.extract_value(found, 1)

        return types.boolean(types.int64, kind, kind), emit

    return define


def _fence(ordering: str) -> Callable[..., _Definition]:
    def define(_context: Any) -> _Definition:
        from numba import types

        def emit(context: Any, b: Any, _signature: Any, _arguments: Any) -> Any:
            b.fence(ordering)
            return context.get_dummy_value()

        return types.void(), emit

    return define


add_to_int64: Callable[[int, int, bool], int] = Intrinsic(_adding("int64"))
"""Add to the int64 at an address, atomically if it is shared; return its value before."""

add_to_int32: Callable[[int, int, bool], int] = Intrinsic(_adding("int32"))
"""Add to the int32 at an address, atomically if it is shared; return its value before."""

add_to_uint16: Callable[[int, int, bool], int] = Intrinsic(_adding("uint16"))
"""Add to the uint16 at an address, atomically if it is shared; return its value before."""

add_to_float64: Callable[[int, float, bool], float] = Intrinsic(_adding("float64"))
"""Add to the float64 at an address, atomically if it is shared; return its value before."""

replace_int32: Callable[[int, int, int], bool] = Intrinsic(_replacing("int32"))
"""Compare and swap: replace the int32 at an address if it is as expected; return whether it was."""

replace_int64: Callable[[int, int, int], bool] = Intrinsic(_replacing("int64"))
"""Compare and swap: replace the int64 at an address if it is as expected; return whether it was."""

publish: Callable[[], None] = Intrinsic(_fence("release"))
"""Let no thread see what is written from here on without what was written before."""

observe: Callable[[], None] = Intrinsic(_fence("acquire"))
"""Read from here on what was written before anything that was read before here."""
