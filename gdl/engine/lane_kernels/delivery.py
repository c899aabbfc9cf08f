"""Delivery: rows of bits as arrays of bytes, a lane after the other.

Rows belong to propositions and their bits to lanes; whoever learns from states wants an array of
bytes for each lane. Squares of 64 x 64 bits are transposed in vector registers, six stages of
exchanging and shuffling, and each word of the result, 64 propositions of one lane, becomes 64 bytes
by one masked instruction where the processor has it (AVX-512) and a few where not. What is left is
the speed of writing to memory.
"""

from __future__ import annotations

from llvmlite import ir

from gdl.engine.kernels.ir_helpers import (
    I1,
    I8,
    I32,
    I64,
    POINTER,
    IrHelpers,
    Value,
    each_bit,
    get_integer,
    integer,
    local_words,
    loop,
)

SQUARE = ir.VectorType(I64, 8)
"""Eight words of a square; eight of these are a square."""

_STAGES = (
    (32, 0x00000000FFFFFFFF),
    (16, 0x0000FFFF0000FFFF),
    (8, 0x00FF00FF00FF00FF),
    (4, 0x0F0F0F0F0F0F0F0F),
    (2, 0x3333333333333333),
    (1, 0x5555555555555555),
)
"""How far bits move in each stage of a transposition, and which are exchanged."""


def emit_deliver(helpers: IrHelpers) -> Value:
    """Emit ``deliver(rows, index, count, lanes, out, stride)``.

    Byte ``i`` of lane ``n``, at ``out[n * stride + i]``, becomes 0 or 1: the bit of the lane in the
    row ``index[i]``. ``index`` int64 (count,); ``lanes`` uint64 (words,), the lanes that are
    written; ``out`` uint8. Nothing beyond a lane's ``count`` bytes is touched.
    """
    arguments = [POINTER, POINTER, I64, POINTER, POINTER, I64]
    function, b = helpers.function("deliver", ir.VoidType(), arguments)
    count = function.args[2]
    for size in (64, 32, 16, 8, 4, 2, 1):
        fits = function.append_basic_block(f"pieces_of_{size}")
        smaller = function.append_basic_block(f"below_{size}")
        b.cbranch(b.icmp_signed(">=", count, integer(size)), fits, smaller)
        b.position_at_end(fits)
        _emit_groups(helpers, b, size)
        b.ret_void()
        b.position_at_end(smaller)
    b.ret_void()
    return function


def _emit_groups(helpers: IrHelpers, b: Value, size: int) -> None:
    """Deliver 64 rows after the other; the last group overlaps with the one before it."""
    rows, index, count, lanes, out, stride = b.function.args
    square, turned = local_words(b, 64), local_words(b, 64)
    if size < 64:
        _clear(b, square)
    last = b.sub(count, integer(64)) if size == 64 else integer(0)
    groups = b.lshr(b.add(count, integer(63)), integer(6))
    present = integer(64) if size == 64 else count
    with loop(b, integer(0), integer(helpers.words)) as word:
        chosen = get_integer(b, lanes, word)
        some = b.icmp_signed("!=", chosen, integer(0))
        lane = b.mul(b.shl(word, integer(6)), stride)
        # The lanes of a word lie together in memory: all their groups before the next word.
        with b.if_then(some), loop(b, integer(0), groups) as group:
            at = b.shl(group, integer(6))
            start = b.select(b.icmp_signed("<", at, last), at, last)
            first = b.gep(index, [start], source_etype=I64)
            with loop(b, integer(0), present) as row:
                number = get_integer(b, first, row)
                place = b.add(b.mul(number, integer(helpers.words)), word)
                _put(b, square, row, get_integer(b, rows, place))
            _emit_transposition(b, square, turned)
            target = b.gep(out, [b.add(lane, start)], source_etype=I8)
            _emit_lanes(b, turned, chosen, target, size)


def _emit_lanes(b: Value, turned: Value, chosen: Value, target: Value, size: int) -> None:
    """Write a group of each of the chosen lanes; most often that is all of them."""
    stride = b.function.args[5]

    def write(lane: Value) -> None:
        place = b.gep(target, [b.mul(lane, stride)], source_etype=I8)
        _emit_bytes(b, get_integer(b, turned, lane), place, size)

    with b.if_else(b.icmp_signed("==", chosen, integer(-1))) as (every, some):
        with every, loop(b, integer(0), integer(64)) as lane:
            write(lane)
        with some, each_bit(b, chosen) as lane:
            write(lane)


def _emit_bytes(b: Value, bits: Value, place: Value, size: int) -> None:
    """Write bits as bytes: 64 of them, or ``count`` of less than twice ``size``, in two pieces."""
    _emit_piece(b, bits, place, size)
    if size < 64:
        rest = b.sub(b.function.args[2], integer(size))
        behind = b.gep(place, [rest], source_etype=I8)
        _emit_piece(b, b.lshr(bits, rest), behind, size)


def _emit_piece(b: Value, bits: Value, place: Value, size: int) -> None:
    narrow = bits if size == 64 else b.trunc(bits, ir.IntType(size))
    flags = b.bitcast(narrow, ir.VectorType(I1, size))
    b.store(b.zext(flags, ir.VectorType(I8, size)), place, align=1)


def _clear(b: Value, square: Value) -> None:
    for part in range(8):
        _store_part(b, ir.Constant(SQUARE, [0] * 8), square, part)


def _put(b: Value, square: Value, row: Value, value: Value) -> None:
    b.store(value, b.gep(square, [row], source_etype=I64))


def _load_part(b: Value, square: Value, part: int) -> Value:
    return b.load(b.gep(square, [integer(part)], source_etype=SQUARE), typ=SQUARE, align=64)


def _store_part(b: Value, value: Value, square: Value, part: int) -> None:
    b.store(value, b.gep(square, [integer(part)], source_etype=SQUARE), align=64)


def _emit_transposition(b: Value, square: Value, turned: Value) -> None:
    """Transpose 64 x 64 bits; see :func:`gdl.engine.bits.transpose` for the method."""
    parts = [_load_part(b, square, part) for part in range(8)]
    for width, mask in _STAGES:
        parts = _exchanged(b, parts, width, mask)
    for part, value in enumerate(parts):
        _store_part(b, value, turned, part)


def _exchanged(b: Value, parts: list[Value], width: int, mask: int) -> list[Value]:
    shift, low_bits = ir.Constant(SQUARE, [width] * 8), ir.Constant(SQUARE, [mask] * 8)
    halves = [[i // 2 + 8 * (i % 2) + 4 * half for i in range(8)] for half in range(2)]
    shuffles = [ir.Constant(ir.VectorType(I32, 8), half) for half in halves]
    found: list[Value] = []
    for low, high in zip(parts[:4], parts[4:], strict=True):
        change = b.and_(b.xor(b.lshr(low, shift), high), low_bits)
        pair = b.xor(low, b.shl(change, shift)), b.xor(high, change)
        found += [b.shuffle_vector(*pair, shuffle) for shuffle in shuffles]
    return found


def emit_spread(helpers: IrHelpers) -> Value:
    """Emit ``spread(mask, lanes, out, stride)``: a byte, 0 or 1, for each of some lanes.

    ``mask`` and ``lanes`` uint64 (words,); lane ``n`` has ``out[n * stride]``, uint8.
    """
    function, b = helpers.function("spread", ir.VoidType(), [POINTER, POINTER, POINTER, I64])
    mask, lanes, out, stride = function.args
    with loop(b, integer(0), integer(helpers.words)) as word:
        bits, chosen = get_integer(b, mask, word), get_integer(b, lanes, word)
        place = b.gep(out, [b.mul(b.shl(word, integer(6)), stride)], source_etype=I8)
        dense = b.and_(
            b.icmp_signed("==", chosen, integer(-1)), b.icmp_signed("==", stride, integer(1))
        )
        with b.if_else(dense) as (every, some):
            with every:
                _emit_piece(b, bits, place, 64)
            with some, each_bit(b, chosen) as lane:
                value = b.trunc(b.and_(b.lshr(bits, lane), integer(1)), I8)
                b.store(value, b.gep(place, [b.mul(lane, stride)], source_etype=I8))
    b.ret_void()
    return function
