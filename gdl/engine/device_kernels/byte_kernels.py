"""From rows to bytes and back on a device: what a thread does that works lane by lane."""

from __future__ import annotations

from collections.abc import Sequence
from math import gcd

from llvmlite import ir

from gdl.engine.device_kernels.plane_helpers import PlaneHelpers
from gdl.engine.kernels.ir_helpers import I32, I64, POINTER, Value, each_bit, get_integer, integer
from gdl.engine.lane_kernels.delivery import I8

WORD = 64
"""How many lanes a word of rows has."""

MOST_BYTES = 8
"""How many bytes of a lane a thread writes at once, at most."""


def emit_deliver_rows(helpers: PlaneHelpers, name: str, count: int) -> None:
    """Emit ``name(rows, index, lanes, out, ..., thread)``, the delivery of ``count`` rows.

    Each thread has a word of some neighbouring rows: there is one for each word and so many rows as
    :func:`bytes_at_once` says.
    """
    function, b = helpers.function(name, ir.VoidType(), [*[POINTER] * 4, I64, I64])
    rows, index, lanes, out, _, thread = function.args
    unit = bytes_at_once(count)
    block, piece = _divided(b, thread, integer(count // unit))
    mask, place = get_integer(b, lanes, block), b.mul(piece, integer(unit))
    numbers = [get_integer(b, index, b.add(place, integer(part))) for part in range(unit)]
    words = [b.and_(helpers.load_word(b, rows, row, block), mask) for row in numbers]
    begin = b.add(b.mul(block, integer(WORD * count)), place)
    for lane in range(WORD):
        packed = integer(0)
        for part, word in enumerate(words):
            bit = b.and_(b.lshr(word, integer(lane)), integer(1))
            packed = b.or_(b.shl(bit, integer(8 * part)), packed)
        if unit < MOST_BYTES:
            packed = b.trunc(packed, ir.IntType(8 * unit))
        target = b.gep(out, [b.add(begin, integer(lane * count))], source_etype=I8)
        b.store(packed, target, align=unit)
    b.ret_void()


def bytes_at_once(count: int) -> int:
    """Return how many bytes of a line of ``count`` a thread can write at once."""
    return gcd(count, MOST_BYTES)


def emit_deliver_last(helpers: PlaneHelpers, name: str) -> None:
    """Emit ``name(rows, lanes, out, count, thread)``, the delivery of the first rows in few lanes.

    Each thread has a word of one row.
    """
    function, b = helpers.function(name, ir.VoidType(), [POINTER, POINTER, POINTER, I64, I64])
    rows, lanes, out, count, thread = function.args
    block, piece = _divided(b, thread, count)
    mask = get_integer(b, lanes, block)
    with b.if_then(b.icmp_signed("!=", mask, integer(0))):
        word, first = helpers.load_word(b, rows, piece, block), b.mul(block, integer(WORD))
        with each_bit(b, mask) as lane:
            place = b.add(b.mul(b.add(first, lane), count), piece)
            bit = b.and_(b.lshr(word, lane), integer(1))
            b.store(b.trunc(bit, I8), b.gep(out, [place], source_etype=I8))
    b.ret_void()


def emit_place(helpers: PlaneHelpers, name: str, actions: Sequence[int], bits: int) -> None:
    """Emit ``name(actions, given, thread)``, the marking of actions in rows.

    Each thread has one column of a lane. ``actions`` is how many each column has; another number is
    marked nowhere.
    """
    function, b = helpers.function(name, ir.VoidType(), [POINTER, POINTER, I64])
    numbers, given, thread = function.args
    lane, column = _divided(b, thread, integer(len(actions)))
    action = get_integer(b, numbers, thread, ir.IntType(bits))
    if bits < WORD:
        action = b.sext(action, I64)
    limit = integer(0)
    for number, count in enumerate(actions):
        limit = b.select(b.icmp_signed("==", column, integer(number)), integer(count), limit)
    with b.if_then(b.icmp_unsigned("<", action, limit)):
        word = b.lshr(lane, integer(WORD.bit_length() - 1))
        place = helpers.word_at(b, helpers.column(b, given, column), action, word)
        bit = b.shl(integer(1), b.and_(lane, integer(WORD - 1)))
        b.atomic_rmw("or", place, bit, "monotonic")
    b.ret_void()


def _divided(b: Value, thread: Value, count: Value) -> tuple[Value, Value]:
    """Divide a thread's number by a count, in 32 bits; return the quotient and the rest."""
    number, divisor = b.trunc(thread, I32), b.trunc(count, I32)
    return b.zext(b.udiv(number, divisor), I64), b.zext(b.urem(number, divisor), I64)
