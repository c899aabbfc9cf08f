"""Draws: a uniformly random legal action for each line of an array of masks."""

from __future__ import annotations

from llvmlite import ir

from gdl.engine.kernels.ir_helpers import (
    I64,
    POINTER,
    IrHelpers,
    Value,
    integer,
    loop,
    repeat,
)
from gdl.engine.lane_kernels.actions import local_integer
from gdl.engine.lane_kernels.delivery import I8

_GOLDEN = 0x9E3779B97F4A7C15
_MIXERS = ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB))


def emit_draw(helpers: IrHelpers) -> Value:
    """Emit ``draw(masks, count, lanes, seed, actions)``.

    ``masks`` uint8 (lanes, count), not 0 where an action is legal; ``actions`` int64 (lanes,), the
    drawn ones, 0 where none is legal. Lane ``n`` uses the random number ``n`` of the seed, of 64
    bits; an action among ``m`` is as probable as another up to ``m / 2**32``.
    """
    function, b = helpers.function("draw", ir.VoidType(), [POINTER, I64, I64, I64, POINTER])
    masks, count, lanes, *_ = function.args
    done = local_integer(b, integer(0))
    for size in (8, 16, 32, 64):
        above = integer(size // 2 if size > 8 else 0)
        fits = b.and_(b.icmp_signed("<=", count, integer(size)), b.icmp_signed(">", count, above))
        with b.if_then(fits):
            b.store(_emit_fast_draws(b, size), done)
    with b.if_then(b.icmp_signed(">", count, integer(64))):
        b.store(_emit_long_draws(b), done)
    with loop(b, b.load(done, typ=I64), lanes) as lane:
        line = b.gep(masks, [b.mul(lane, count)], source_etype=I8)
        _emit_draw_of_many(b, line, lane)
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
        total = local_integer(b, integer(0))
        with loop(b, integer(0), b.add(last, integer(1))) as word:
            b.store(b.add(b.load(total, typ=I64), b.ctpop(read(line, word))), total)
        left = local_integer(b, random_below(b, b.load(total, typ=I64), seed, lane))
        found = local_integer(b, integer(0))
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


def _emit_draw_of_many(b: Value, line: Value, lane: Value) -> None:
    """Draw one of any number of actions: count the legal ones first."""
    _masks, count, _lanes, seed, actions = b.function.args
    words = b.lshr(b.add(count, integer(63)), integer(6))
    total = local_integer(b, integer(0))
    with loop(b, integer(0), words) as word:
        found = b.ctpop(_word(b, line, word))
        b.store(b.add(b.load(total, typ=I64), found), total)
    wanted = random_below(b, b.load(total, typ=I64), seed, lane)
    target = b.gep(actions, [lane], source_etype=I64)
    b.store(integer(0), target)
    left = local_integer(b, wanted)
    with loop(b, integer(0), words) as word:
        _emit_pick(b, (_word(b, line, word), word), left, target)


def _word(b: Value, line: Value, word: Value) -> Value:
    first = b.shl(word, integer(6))
    count = b.function.args[1]
    return _bits(b, b.gep(line, [first], source_etype=I8), b.sub(count, first))


def _bits(b: Value, address: Value, present: Value) -> Value:
    """Return the first 64 of the bytes that are present as bits; where there are less, zeros."""
    bits = local_integer(b, integer(0))
    with b.if_else(b.icmp_signed(">=", present, integer(64))) as (many, few):
        with many:
            b.store(_flags(b, address, 64), bits)
        with few:
            _emit_rest(b, address, present, bits)
    return b.load(bits, typ=I64)


def _emit_rest(b: Value, address: Value, present: Value, bits: Value) -> None:
    """Read fewer than 64 bytes: 32 of them if there are so many, then 16, and so on."""
    done = local_integer(b, integer(0))
    for size in (32, 16, 8, 4, 2, 1):
        some = b.icmp_signed("!=", b.and_(present, integer(size)), integer(0))
        with b.if_then(some):
            at = b.load(done, typ=I64)
            found = _flags(b, b.gep(address, [at], source_etype=I8), size)
            b.store(b.or_(b.load(bits, typ=I64), b.shl(found, at)), bits)
            b.store(b.add(at, integer(size)), done)


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
    value = b.add(seed, b.mul(b.add(lane, integer(1)), integer(_GOLDEN)))
    for shift, factor in _MIXERS:
        value = b.mul(b.xor(value, b.lshr(value, integer(shift))), integer(factor))
    value = b.xor(value, b.lshr(value, integer(31)))
    return b.lshr(b.mul(b.lshr(value, integer(32)), total), integer(32))


def _emit_pick(b: Value, word: tuple[Value, Value], left: Value, target: Value) -> None:
    """Store the action if it is in this word, and count down by the actions in it otherwise."""
    bits, number = word
    here, wanted = b.ctpop(bits), b.load(left, typ=I64)
    inside = b.and_(b.icmp_signed(">=", wanted, integer(0)), b.icmp_signed("<", wanted, here))
    with b.if_then(inside):
        b.store(b.add(b.shl(number, integer(6)), _nth_bit(b, bits, wanted, 64)), target)
    b.store(b.sub(wanted, here), left)


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
