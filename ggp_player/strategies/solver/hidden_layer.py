"""The hidden layer of a small network, in the kernels that evaluate states.

The inputs of a network are *features* that hold or not. Few of them hold in a state, so that the
layer is the sum of their rows, which stays in one wide register (or a few narrower ones).

Source: Y. Nasu, Efficiently updatable neural-network-based evaluation functions for computer shogi
(2018), for a first layer that is the sum of the rows of what holds; here without the updates.
"""

# ruff: noqa: ANN401 (neither Numba nor llvmlite has types)

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from llvmlite import ir
from numpy.typing import NDArray

from gdl.engine.kernel_library import Intrinsic

UNITS = 16
"""Units of the layer."""


class HiddenLayer(NamedTuple):
    """A layer of ``UNITS`` rectified linear units, and what they add to a logit.

    ``rows`` float32 (features + 1, UNITS): what each feature adds to each unit; the last row is
    always added. There are no rows where there is no such layer. ``output`` float32 (UNITS,).
    """

    rows: NDArray[np.float32]
    output: NDArray[np.float32]


NO_LAYER = HiddenLayer(np.zeros((0, UNITS), np.float32), np.zeros(UNITS, np.float32))
"""No hidden layer: the evaluation is linear."""

_I32, _I64, _FLOAT = ir.IntType(32), ir.IntType(64), ir.FloatType()
_VECTOR = ir.VectorType(_FLOAT, UNITS)
_FLOAT_BYTES = 4
_Definition: TypeAlias = tuple[Any, Callable[..., Any]]


def _hidden_logit(_context: Any, _rows: Any, _output: Any, _held: Any, _n: Any) -> _Definition:
    from numba import types  # not at the top: only building kernels needs it
    from numba.core import cgutils

    def load(b: Any, address: Any) -> Any:
        return b.load(b.inttoptr(address, _VECTOR.as_pointer()), align=_FLOAT_BYTES)

    def emit(_context: Any, b: Any, _signature: Any, arguments: Any) -> Any:
        rows, output, held, count = arguments
        size, zero = ir.Constant(_I64, _FLOAT_BYTES * UNITS), ir.Constant(_VECTOR, [0.0] * UNITS)
        sums = cgutils.alloca_once(b, _VECTOR)
        b.store(zero, sums)
        features = b.inttoptr(held, _I32.as_pointer())
        with cgutils.for_range(b, count) as loop:
            feature = b.zext(b.load(b.gep(features, [loop.index])), _I64)
            row = load(b, b.add(rows, b.mul(feature, size)))
            b.store(b.fadd(b.load(sums), row), sums)
        total = b.load(sums)
        rectified = b.select(b.fcmp_ordered(">", total, zero), total, zero)
        return _sum(b, b.fmul(rectified, load(b, output)))

    return types.float32(*[types.int64] * 4), emit


def _sum(b: Any, vector: Any) -> Any:
    """Emit the sum of a vector's elements, in pairs."""
    from numba.core import cgutils

    kind = ir.FunctionType(_FLOAT, [_FLOAT, _VECTOR])
    name = f"llvm.vector.reduce.fadd.v{UNITS}f32"
    operation = cgutils.get_or_insert_function(b.module, kind, name)
    return b.call(operation, [ir.Constant(_FLOAT, -0.0), vector], fastmath=("reassoc",))


hidden_logit = Intrinsic(_hidden_logit)
"""``hidden_logit(rows, output, held, count)``: what a layer adds to the logit of a state.

The first three are addresses: of the layer's arrays, and of the int32 numbers of the ``count``
features that hold, with that of the last row.
"""
