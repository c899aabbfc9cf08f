"""States in some of the lanes: copied from other rows, or written there from packed ones."""

from __future__ import annotations

from llvmlite import ir

from gdl.engine.kernels.ir_helpers import (
    I1,
    I64,
    POINTER,
    IrHelpers,
    Value,
    get_integer,
    integer,
    loop,
)


def emit_merge(kit: IrHelpers) -> None:
    """Emit the copying of rows in some lanes; the others keep what they have."""
    function, b = kit.function("merge", ir.VoidType(), [POINTER, POINTER, I64, POINTER])
    target, origin, count, lanes = function.args
    emit_masked_copy(kit, b, (origin, target), _mask(kit, b, lanes), count)
    b.ret_void()


def emit_put(kit: IrHelpers) -> None:
    """Emit the writing of one packed state, a word for 64 rows, into some lanes."""
    function, b = kit.function("put", ir.VoidType(), [POINTER, I64, POINTER, POINTER])
    rows, count, state, lanes = function.args
    mask = _mask(kit, b, lanes)
    with loop(b, integer(0), count) as row:
        word = get_integer(b, state, b.lshr(row, integer(6)))
        bit = b.trunc(b.lshr(word, b.and_(row, integer(63))), I1)
        new = b.select(bit, mask, kit.zero)
        _store_some(kit, b, new, mask, (rows, row))
    b.ret_void()


def emit_masked_copy(
    kit: IrHelpers, b: Value, rows: tuple[Value, Value], lanes: Value, count: Value
) -> None:
    """Emit the copying of so many rows from the first address to the second, in some lanes."""
    origin, target = rows
    with loop(b, integer(0), count) as row:
        new = b.and_(kit.load(b, origin, row), lanes)
        _store_some(kit, b, new, lanes, (target, row))


def _store_some(
    kit: IrHelpers, b: Value, new: Value, lanes: Value, place: tuple[Value, Value]
) -> None:
    """Store a row, given by its address and number, in some lanes; it is empty elsewhere."""
    old = b.and_(kit.load(b, *place), b.not_(lanes))
    kit.store(b, b.or_(old, new), *place)


def _mask(kit: IrHelpers, b: Value, lanes: Value) -> Value:
    """Return the lanes at an address, which need not be that of a row."""
    return b.load(lanes, typ=kit.row, align=8)
