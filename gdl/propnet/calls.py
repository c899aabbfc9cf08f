"""Calls of machine code by address from functions that Numba compiles.

The addresses are those of an engine's evaluators and kernels, as plain integers; nothing checks
them. All calls run without the interpreter's lock where the calling function does.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

_POINTER = ir.IntType(8).as_pointer()
_I64 = ir.IntType(64)

_Intrinsic: TypeAlias = tuple[Any, Callable[..., Any]]
"""The signature of a call, and what emits it; neither Numba nor llvmlite has types."""


def _evaluator(_context: Any, _function: Any, _rows: Any, _program: Any) -> _Intrinsic:  # noqa: ANN401
    kind = ir.FunctionType(ir.VoidType(), [_POINTER, _POINTER])

    def emit(context: Any, b: Any, _signature: Any, arguments: Any) -> Any:  # noqa: ANN401
        function, *values = arguments
        pointers = [b.inttoptr(value, _POINTER) for value in values]
        b.call(b.inttoptr(function, kind.as_pointer()), pointers)
        return context.get_dummy_value()

    return types.void(*[types.int64] * 3), emit


def _select(
    _context: Any,  # noqa: ANN401
    _function: Any,  # noqa: ANN401
    _legal: Any,  # noqa: ANN401
    _moves: Any,  # noqa: ANN401
    _count: Any,  # noqa: ANN401
    _scratch: Any,  # noqa: ANN401
    _random: Any,  # noqa: ANN401
) -> _Intrinsic:
    kind = ir.FunctionType(ir.VoidType(), [_POINTER, _POINTER, _I64, _POINTER, _POINTER])

    def emit(context: Any, b: Any, _signature: Any, arguments: Any) -> Any:  # noqa: ANN401
        function, legal, moves, count, scratch, random = arguments
        legal, moves, scratch, random = (
            b.inttoptr(value, _POINTER) for value in (legal, moves, scratch, random)
        )
        b.call(b.inttoptr(function, kind.as_pointer()), [legal, moves, count, scratch, random])
        return context.get_dummy_value()

    return types.void(*[types.int64] * 6), emit


def _copy(_context: Any, _target: Any, _origin: Any, _size: Any) -> _Intrinsic:  # noqa: ANN401
    def emit(context: Any, b: Any, _signature: Any, arguments: Any) -> Any:  # noqa: ANN401
        target, origin, size = arguments
        pointers = [b.inttoptr(value, _POINTER) for value in (target, origin)]
        cgutils.raw_memcpy(b, *pointers, size, ir.Constant(_I64, 1))
        return context.get_dummy_value()

    return types.void(*[types.int64] * 3), emit


call_evaluator: Callable[[int, int, int], None] = intrinsic(_evaluator)
"""Call ``void function(rows, program)``: evaluate a gate program in a block."""

call_select: Callable[[int, int, int, int, int, int], None] = intrinsic(_select)
"""Call ``void function(legal, moves, count, scratch, random)``: choose moves in every lane."""

copy_memory: Callable[[int, int, int], None] = intrinsic(_copy)
"""Copy bytes: target, origin, size. The two places do not overlap."""
