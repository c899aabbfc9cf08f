"""Masked copy and scatter: states written into some of the lanes, from rows or packed."""

from __future__ import annotations

from llvmlite import ir

from gdl.engine.kernels.ir_helpers import (
    I1,
    I64,
    POINTER,
    IrHelpers,
    Value,
    batches,
    get_integer,
    integer,
    loop,
)


def emit_masked_copy(helpers: IrHelpers) -> None:
    """Emit the copying of rows in some lanes; the others keep what they have."""
    function, b = helpers.function("masked_copy", ir.VoidType(), [POINTER, POINTER, I64, POINTER])
    target, origin, count, lanes = function.args
    copy_in_lanes(helpers, b, (origin, target), _mask(helpers, b, lanes), count)
    b.ret_void()


def emit_scatter(helpers: IrHelpers) -> None:
    """Emit the writing of one packed state, a word for 64 rows, into some lanes."""
    function, b = helpers.function("scatter", ir.VoidType(), [POINTER, I64, POINTER, POINTER])
    rows, count, state, lanes = function.args
    mask = _mask(helpers, b, lanes)
    with loop(b, integer(0), count) as row:
        word = get_integer(b, state, b.lshr(row, integer(6)))
        bit = b.trunc(b.lshr(word, b.and_(row, integer(63))), I1)
        old = b.and_(helpers.load(b, rows, row), b.not_(mask))
        helpers.store(b, b.or_(old, b.select(bit, mask, helpers.zero)), rows, row)
    b.ret_void()


def copy_in_lanes(
    helpers: IrHelpers, b: Value, rows: tuple[Value, Value], lanes: Value, count: Value
) -> None:
    """Emit the copying of ``count`` rows from the first address to the second, in some lanes."""
    origin, target = rows
    for batch in batches(b, count, helpers.batch):
        new = [b.and_(helpers.load(b, origin, row), lanes) for row in batch]
        old = [b.and_(helpers.load(b, target, row), b.not_(lanes)) for row in batch]
        for row, some, rest in zip(batch, new, old, strict=True):
            helpers.store(b, b.or_(some, rest), target, row)


def _mask(helpers: IrHelpers, b: Value, lanes: Value) -> Value:
    """Return the lanes at an address, which need not be that of a row."""
    return b.load(lanes, typ=helpers.row, align=8)
