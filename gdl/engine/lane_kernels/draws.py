"""Draws: a uniformly random legal action for each line of an array of masks."""

from __future__ import annotations

from llvmlite import ir

from gdl.engine.kernels.ir_helpers import (
    I8,
    I64,
    POINTER,
    IrHelpers,
    Value,
    get_integer,
    integer,
    local,
    loop,
    repeat,
)

GOLDEN = 0x9E3779B97F4A7C15
MIXERS = ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB))
"""The numbers of SplitMix64: its step, and how it mixes before a last shift by 31."""


def emit_draw(helpers: IrHelpers) -> Value:
    """Emit ``draw(masks, count, lanes, seed, actions)``.

    ``masks`` uint8 (lanes, count), not 0 where an action is legal; ``actions`` int64 (lanes,), the
    drawn ones, 0 where none is legal. Lane ``n`` uses the random number ``n`` of the seed, of 64
    bits; an action among ``m`` is as probable as another up to ``m / 2**32``.
    """
    function, b = helpers.function("draw", ir.VoidType(), [POINTER, I64, I64, I64, POINTER])
    _masks, count, lanes, *_ = function.args
    done = local(b, I64, integer(0))
    for size in (8, 16, 32, 64):
        above = integer(size // 2 if size > 8 else 0)
        fits = b.and_(b.icmp_signed("<=", count, integer(size)), b.icmp_signed(">", count, above))
        with b.if_then(fits):
            b.store(_emit_fast_draws(b, size), done)
    with b.if_then(b.icmp_signed(">", count, integer(64))):
        b.store(_emit_long_draws(b), done)
    with loop(b, b.load(done, typ=I64), lanes) as lane:
        _emit_draw_of_line(b, lane)
    b.ret_void()
    return function


def _emit_fast_draws(b: Value, size: int) -> Value:
    """Draw in lines of at most ``size`` bytes, read whole; return how many lines that were.

    The last lines are left: what was read of them would be beyond the array.
    """
    masks, count, _lanes, seed, actions = b.function.args
    whole = _readable_lines(b, size)
    present = b.lshr(integer(-1), b.sub(integer(64), count))
    with loop(b, integer(0), whole) as lane:
        line = b.gep(masks, [b.mul(lane, count)], source_etype=I8)
        bits = b.and_(_flags(b, line, size), present)
        wanted = random_below(b, b.ctpop(bits), seed, lane)
        some = b.icmp_signed("!=", bits, integer(0))
        action = b.select(some, _nth_bit(b, bits, wanted, size), integer(0))
        b.store(action, b.gep(actions, [lane], source_etype=I64))
    return whole


def _readable_lines(b: Value, size: int) -> Value:
    """Count the lines that can be read with ``size`` bytes more than they have."""
    _masks, count, lanes, *_ = b.function.args
    whole = b.sub(b.sub(lanes, b.sdiv(integer(size), count)), integer(1))
    return b.select(b.icmp_signed(">", whole, integer(0)), whole, integer(0))


def _emit_long_draws(b: Value) -> Value:
    """Draw in lines of more than 64 bytes, 64 at a time; return how many lines that were.

    Each word is counted where it is read; the second time, only words up to the action are read.
    """
    masks, count, _lanes, seed, actions = b.function.args
    whole = _readable_lines(b, 64)
    last = b.lshr(b.sub(count, integer(1)), integer(6))
    present = b.lshr(integer(-1), b.and_(b.sub(integer(0), count), integer(63)))

    def read(line: Value, word: Value) -> Value:
        bits = _flags(b, b.gep(line, [b.shl(word, integer(6))], source_etype=I8), 64)
        return b.select(b.icmp_signed("==", word, last), b.and_(bits, present), bits)

    with loop(b, integer(0), whole) as lane:
        line = b.gep(masks, [b.mul(lane, count)], source_etype=I8)
        total = local(b, I64, integer(0))
        with loop(b, integer(0), b.add(last, integer(1))) as word:
            b.store(b.add(b.load(total, typ=I64), b.ctpop(read(line, word))), total)
        left = local(b, I64, random_below(b, b.load(total, typ=I64), seed, lane))
        found = local(b, I64, integer(0))
        some = b.icmp_signed("!=", b.load(total, typ=I64), integer(0))
        with b.if_then(some), repeat(b) as again:
            word = b.load(found, typ=I64)
            here, wanted = b.ctpop(read(line, word)), b.load(left, typ=I64)
            beyond = b.icmp_signed(">=", wanted, here)
            b.store(b.select(beyond, b.sub(wanted, here), wanted), left)
            b.store(b.select(beyond, b.add(word, integer(1)), word), found)
            again.append(beyond)
        word = b.load(found, typ=I64)
        bit = _nth_bit(b, read(line, word), b.load(left, typ=I64), 64)
        action = b.select(some, b.or_(b.shl(word, integer(6)), bit), integer(0))
        b.store(action, b.gep(actions, [lane], source_etype=I64))
    return whole


def _emit_draw_of_line(b: Value, lane: Value) -> None:
    """Draw an action in one line, byte by byte."""
    masks, count, _lanes, seed, actions = b.function.args
    line = b.gep(masks, [b.mul(lane, count)], source_etype=I8)

    def legal(action: Value) -> Value:
        return b.icmp_unsigned("!=", get_integer(b, line, action, I8), ir.Constant(I8, 0))

    total, found = local(b, I64, integer(0)), local(b, I64, integer(0))
    with loop(b, integer(0), count) as action:
        b.store(b.add(b.load(total, typ=I64), b.zext(legal(action), I64)), total)
    left = local(b, I64, random_below(b, b.load(total, typ=I64), seed, lane))
    with loop(b, integer(0), count) as action, b.if_then(legal(action)):
        wanted = b.load(left, typ=I64)
        with b.if_then(b.icmp_signed("==", wanted, integer(0))):
            b.store(action, found)
        b.store(b.sub(wanted, integer(1)), left)
    b.store(b.load(found, typ=I64), b.gep(actions, [lane], source_etype=I64))


def _flags(b: Value, address: Value, size: int) -> Value:
    kind = ir.VectorType(I8, size)
    read = b.load(address, typ=kind, align=1)
    flags = b.bitcast(b.icmp_unsigned("!=", read, ir.Constant(kind, [0] * size)), ir.IntType(size))
    return flags if size == 64 else b.zext(flags, I64)


def random_below(b: Value, total: Value, seed: Value, lane: Value) -> Value:
    """Return a random number below a total, 0 where that is 0.

    Sources: G. Steele, D. Lea and C. Flood, Fast splittable pseudorandom number generators (2014);
    D. Lemire, Fast random integer generation in an interval (2019).
    """
    value = b.add(seed, b.mul(b.add(lane, integer(1)), integer(GOLDEN)))
    for shift, factor in MIXERS:
        value = b.mul(b.xor(value, b.lshr(value, integer(shift))), integer(factor))
    value = b.xor(value, b.lshr(value, integer(31)))
    return b.lshr(b.mul(b.lshr(value, integer(32)), total), integer(32))


def _nth_bit(b: Value, bits: Value, wanted: Value, size: int) -> Value:
    """Return the place of a bit that is set, counted from 0, by halving a word of ``size`` bits.

    Source: S. Vigna, Broadword implementation of rank/select queries (2008).
    """
    place, rest, width = integer(0), bits, size // 2
    while width:
        low = b.ctpop(b.and_(rest, integer((1 << width) - 1)))
        above = b.icmp_signed(">=", wanted, low)
        wanted = b.select(above, b.sub(wanted, low), wanted)
        rest = b.select(above, b.lshr(rest, integer(width)), rest)
        place = b.add(place, b.select(above, integer(width), integer(0)))
        width //= 2
    return place
