"""Calls of native code by address, from kernels.

The addresses are those of an engine's evaluators and kernels, as plain integers in an array, see
:meth:`gdl.engine.block.Engine.addresses`; nothing checks them. Calls run without Python's global
interpreter lock where the calling function does.
"""

# ruff: noqa: ANN401 (neither Numba nor llvmlite has types)

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from llvmlite import ir

from gdl.array_kernels.functions import Intrinsic

_POINTER = ir.IntType(8).as_pointer()
_I64 = ir.IntType(64)

(
    VIEW,
    VIEW_PROGRAM,
    TRANSITION,
    TRANSITION_PROGRAM,
    MOVES_VIEW,
    MOVES_VIEW_PROGRAM,
    GOALS_VIEW,
    GOALS_VIEW_PROGRAM,
    SELECT,
    MASKED_COPY,
    SCATTER,
    WINNING_VIEW,
    WINNING_VIEW_PROGRAM,
    ADDRESS_COUNT,
) = range(14)
"""Indices of an engine's addresses: five evaluators, each with its program, and three kernels.

That of winning moves is 0 where an engine has none.
"""

_Definition: TypeAlias = tuple[Any, Callable[..., Any]]
"""The signature of a call, and the function that emits it."""


def _call(*parameters: ir.Type) -> _Definition:
    """Describe the call of ``void function(...)`` by its address; pointers are integers too."""
    from numba import types  # not at the top: only building kernels needs it

    kind = ir.FunctionType(ir.VoidType(), parameters)

    def emit(context: Any, b: Any, _signature: Any, arguments: Any) -> Any:
        function, *values = arguments
        given = [
            b.inttoptr(value, parameter) if parameter is _POINTER else value
            for value, parameter in zip(values, parameters, strict=True)
        ]
        b.call(b.inttoptr(function, kind.as_pointer()), given)
        return context.get_dummy_value()

    return types.void(*[types.int64] * (1 + len(parameters))), emit


def _evaluator(_context: Any, _function: Any, _rows: Any, _program: Any) -> _Definition:
    return _call(_POINTER, _POINTER)


def _select(
    _context: Any,
    _function: Any,
    _legal: Any,
    _moves: Any,
    _count: Any,
    _scratch: Any,
    _random: Any,
) -> _Definition:
    return _call(_POINTER, _POINTER, _I64, _POINTER, _POINTER)


def _masked_copy(
    _context: Any, _function: Any, _target: Any, _origin: Any, _count: Any, _lanes: Any
) -> _Definition:
    return _call(_POINTER, _POINTER, _I64, _POINTER)


def _scatter(
    _context: Any, _function: Any, _rows: Any, _count: Any, _state: Any, _lanes: Any
) -> _Definition:
    return _call(_POINTER, _I64, _POINTER, _POINTER)


def _copy(_context: Any, _target: Any, _origin: Any, _size: Any) -> _Definition:
    from numba import types
    from numba.core import cgutils

    def emit(context: Any, b: Any, _signature: Any, arguments: Any) -> Any:
        target, origin, size = arguments
        pointers = [b.inttoptr(value, _POINTER) for value in (target, origin)]
        cgutils.raw_memcpy(b, *pointers, size, ir.Constant(_I64, 1))
        return context.get_dummy_value()

    return types.void(*[types.int64] * 3), emit


def _prefetch(_context: Any, _address: Any) -> _Definition:
    from numba import types
    from numba.core import cgutils

    kind = ir.FunctionType(ir.VoidType(), [_POINTER, *[ir.IntType(32)] * 3])

    def emit(context: Any, b: Any, _signature: Any, arguments: Any) -> Any:
        operation = cgutils.get_or_insert_function(b.module, kind, "llvm.prefetch.p0")
        for_reading, keep, data = (ir.Constant(ir.IntType(32), number) for number in (0, 3, 1))
        address = b.inttoptr(arguments[0], _POINTER)
        b.call(operation, [address, for_reading, keep, data])
        return context.get_dummy_value()

    return types.void(types.int64), emit


call_evaluator: Callable[[int, int, int], None] = Intrinsic(_evaluator)
"""Call ``void function(rows, program)``: evaluate a gate program in a block."""

call_select: Callable[[int, int, int, int, int, int], None] = Intrinsic(_select)
"""Call ``void function(legal, moves, count, scratch, random)``: choose moves in every lane."""

call_masked_copy: Callable[[int, int, int, int, int], None] = Intrinsic(_masked_copy)
"""Call ``void function(target, origin, count, lanes)``: copy rows in some lanes."""

call_scatter: Callable[[int, int, int, int, int], None] = Intrinsic(_scatter)
"""Call ``void function(rows, count, state, lanes)``: write a packed state into some lanes."""

copy_memory: Callable[[int, int, int], None] = Intrinsic(_copy)
"""Copy bytes: target, origin, size. The two regions do not overlap."""

prefetch: Callable[[int], None] = Intrinsic(_prefetch)
"""Begin to fetch the cache line of an address, which may be any; nothing else happens."""
