"""From rows to bytes and back on a device: what a thread does that works lane by lane."""

from __future__ import annotations

from collections.abc import Sequence

from llvmlite import ir

from gdl.engine.device_kernels.plane_helpers import GROUP, WORD, PlaneHelpers
from gdl.engine.device_kernels.targets import GROUP_THREADS
from gdl.engine.kernels.ir_helpers import (
    I8,
    I32,
    I64,
    POINTER,
    Value,
    each_bit,
    get_integer,
    integer,
    local,
    loop,
)
from gdl.engine.lane_kernels.draws import random_below

HALF = 32
"""How many lanes, and rows, are turned at a time."""

PIECE = 16
"""How many bytes a thread writes at once."""

FEW_BYTES, MOST_BYTES = 16 * 2**10, 48 * 2**10 - 4
"""The memory that groups of threads share: as much as is good, and as much as there may be."""

_STAGES = ((16, 0x0000FFFF), (8, 0x00FF00FF), (4, 0x0F0F0F0F), (2, 0x33333333), (1, 0x55555555))
"""How far bits move in each stage of turning 32 x 32 of them, and which are exchanged."""


# ---------------------------------------------------------------------- delivery


def lanes_of_group(count: int) -> int:
    """Return in how many lanes a group of threads delivers ``count`` rows: 32 to 1024.

    It is 0 if they have no room in shared memory: then see :func:`emit_deliver_last`.
    """
    lanes = 1024
    while lanes > HALF and lanes * count // 8 > FEW_BYTES:
        lanes //= 2
    return lanes if lanes * count // 8 <= MOST_BYTES else 0


def shared_bytes(count: int) -> int:
    """Return how much memory such a group shares."""
    return lanes_of_group(count) * count // 8 + 4


def emit_delivery(helpers: PlaneHelpers, name: str, count: int, rows: int) -> list[str]:
    """Emit the phases of the delivery of ``count`` of some rows; return their names.

    They are functions of ``(rows, index, lanes, out, words, threads, shared, group, thread)``: byte
    ``i`` of lane ``n``, at ``out[n * count + i]``, becomes the bit of the lane in the row
    ``index[i]``, and 0 in lanes that are not in ``lanes``. There are ``words`` words of lanes. The
    bits of a group's lanes become one string in shared memory, in the order of the bytes.
    """
    phases = {
        f"{name}.clear": _emit_clear,
        f"{name}.turn": _emit_turn,
        f"{name}.spread": _emit_spread,
    }
    for phase, emit in phases.items():
        kinds = [*[POINTER] * 4, I64, I64, POINTER, I64, I64]
        function, b = helpers.function(phase, ir.VoidType(), kinds)
        emit(helpers, b, count, rows)
        b.ret_void()
        function.attributes.add("alwaysinline")
    return list(phases)


def _each_of_group(b: Value, thread: Value, count: Value) -> Value:
    """Emit a loop over the numbers below a count that are this thread's of its group."""
    rounds = b.udiv(b.add(b.sub(count, thread), integer(GROUP_THREADS - 1)), integer(GROUP_THREADS))
    none = b.icmp_signed(">=", thread, count)
    return loop(b, integer(0), b.select(none, integer(0), rounds))


def _emit_clear(helpers: PlaneHelpers, b: Value, count: int, rows: int) -> None:
    *_, shared, _group, thread = b.function.args
    words = integer(shared_bytes(count) // 4)
    with _each_of_group(b, thread, words) as turn:
        place = b.add(b.mul(turn, integer(GROUP_THREADS)), thread)
        b.store(ir.Constant(I32, 0), b.gep(shared, [place], source_etype=I32))


def _emit_turn(helpers: PlaneHelpers, b: Value, count: int, rows: int) -> None:
    """Turn 32 rows of 32 lanes at a time, and add each lane's bits to the string."""
    planes, index, lanes, _, words, _, shared, group, thread = b.function.args
    halves = lanes_of_group(count) // HALF
    pieces = -(-count // HALF)
    with _each_of_group(b, thread, integer(halves * pieces)) as turn:
        unit = b.add(b.mul(turn, integer(GROUP_THREADS)), thread)
        own, piece = b.urem(unit, integer(halves)), b.udiv(unit, integer(halves))
        half = b.add(b.mul(group, integer(halves)), own)
        word = b.lshr(half, integer(1))
        with b.if_then(b.icmp_unsigned("<", word, words)):
            first = b.mul(piece, integer(HALF))
            chosen = get_integer(b, lanes, half, I32)
            base = helpers.of_thread(b, planes, rows, word)
            base = b.gep(base, [b.and_(half, integer(1))], source_etype=I32)
            square = []
            for place in range(HALF):
                number = b.add(first, integer(place))
                inside = b.icmp_unsigned("<", number, integer(count))
                row = get_integer(b, index, b.select(inside, number, integer(count - 1)))
                bits = get_integer(b, base, b.mul(row, integer(2 * GROUP)), I32)
                kept = b.select(inside, chosen, ir.Constant(I32, 0))
                square.append(b.and_(bits, kept))
            square = _turned(b, square)
            lane = b.mul(own, integer(HALF))
            for place, bits in enumerate(square):
                at = b.add(b.mul(b.add(lane, integer(place)), integer(count)), first)
                _add_bits(b, shared, at, bits)


def _turned(b: Value, rows: list[Value]) -> list[Value]:
    """Transpose 32 x 32 bits: bit ``i`` of word ``j`` becomes bit ``j`` of word ``i``.

    Source: H. Warren, Hacker's Delight (2002), section 7-3.
    """
    rows = list(rows)
    for width, mask in _STAGES:
        shift, low_bits = ir.Constant(I32, width), ir.Constant(I32, mask)
        for place in range(HALF):
            if place & width:
                continue
            low, high = rows[place], rows[place + width]
            change = b.and_(b.xor(b.lshr(low, shift), high), low_bits)
            rows[place + width] = b.xor(high, change)
            rows[place] = b.xor(low, b.shl(change, shift))
    return rows


def _add_bits(b: Value, string: Value, at: Value, bits: Value) -> None:
    """Add 32 bits to a string, from a bit on; there, other threads may add others."""
    word, shift = b.lshr(at, integer(5)), b.and_(at, integer(31))
    both = b.shl(b.zext(bits, I64), shift)
    for part in range(2):
        value = b.trunc(b.lshr(both, integer(32 * part)), I32)
        place = b.gep(string, [b.add(word, integer(part))], source_etype=I32)
        b.atomic_rmw("or", place, value, "monotonic")


def _emit_spread(helpers: PlaneHelpers, b: Value, count: int, rows: int) -> None:
    """Write the bytes of the string, 16 at a time: neighbouring threads write neighbouring ones."""
    *_, out, words, _, shared, group, thread = b.function.args
    lanes = lanes_of_group(count)
    size = lanes * count // PIECE
    begin = b.mul(group, integer(size))
    left = b.sub(b.mul(words, integer(WORD * count // PIECE)), begin)
    few = b.icmp_signed("<", left, integer(size))
    kind = ir.VectorType(I32, PIECE // 4)
    with _each_of_group(b, thread, b.select(few, left, integer(size))) as turn:
        piece = b.add(b.mul(turn, integer(GROUP_THREADS)), thread)
        bits = b.zext(get_integer(b, shared, piece, ir.IntType(PIECE)), I32)
        value = ir.Constant(kind, ir.Undefined)
        for part in range(PIECE // 4):
            four = b.and_(b.lshr(bits, ir.Constant(I32, 4 * part)), ir.Constant(I32, 15))
            # Each of four bits is copied to where it has a byte of its own.
            spread = b.and_(b.mul(four, ir.Constant(I32, 0x00204081)), ir.Constant(I32, 0x01010101))
            value = b.insert_element(value, spread, ir.Constant(I32, part))
        b.store(value, b.gep(out, [b.add(begin, piece)], source_etype=kind), align=PIECE)


ROUNDS = 8
"""How many rows a thread reads before it writes a bit of one."""


def emit_deliver_last(helpers: PlaneHelpers, name: str, count: int, rows: int) -> list[str]:
    """Emit the only phase of the delivery of ``count`` rows in few lanes; return its name.

    Its arguments are those of :func:`emit_delivery`. A group of threads has a word; they write the
    bytes of each of its lanes together, and leave those of others as they are.
    """
    kinds = [*[POINTER] * 4, I64, I64, POINTER, I64, I64]
    function, b = helpers.function(f"{name}.lanes", ir.VoidType(), kinds)
    planes, index, lanes, out, _, _, _, word, thread = function.args
    own = helpers.of_thread(b, planes, rows, word)
    line = b.gep(out, [b.mul(word, integer(WORD * count))], source_etype=I8)
    size = ROUNDS * GROUP_THREADS
    with loop(b, integer(0), integer(-(-count // size))) as part:
        first = b.add(thread, b.mul(part, integer(size)))
        places = [
            b.add(first, integer(begin)) for begin in range(0, min(count, size), GROUP_THREADS)
        ]
        inside = [b.icmp_signed("<", place, integer(count)) for place in places]
        # All are read before the first is written, and before it is known whether there is a lane.
        numbers = [
            get_integer(b, index, b.select(some, place, integer(0)))
            for some, place in zip(inside, places, strict=True)
        ]
        words = [b.bitcast(helpers.load(b, own, number), I64) for number in numbers]
        with each_bit(b, get_integer(b, lanes, word)) as lane:
            at = b.gep(line, [b.mul(lane, integer(count))], source_etype=I8)
            for some, place, bits in zip(inside, places, words, strict=True):
                with b.if_then(some):
                    bit = b.and_(b.lshr(bits, lane), integer(1))
                    b.store(b.trunc(bit, I8), b.gep(at, [place], source_etype=I8))
    b.ret_void()
    return [f"{name}.lanes"]


# ---------------------------------------------------------------------- actions


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
        rows = len(actions) * max(actions, default=0)
        own = helpers.of_thread(b, given, rows, word)
        place = helpers.at(b, helpers.column(b, own, column), action)
        bit = b.shl(integer(1), b.and_(lane, integer(WORD - 1)))
        b.atomic_rmw("or", place, bit, "monotonic")
    b.ret_void()


def emit_draw_of_bytes(helpers: PlaneHelpers, name: str) -> None:
    """Emit ``name(masks, actions, count, seed, lane)``, a draw as :func:`.draws.emit_draw` has it.

    Masks are bytes 0 and 1, of which eight are read at once.
    """
    kinds = [POINTER, POINTER, I64, I64, I64]
    function, b = helpers.function(name, ir.VoidType(), kinds)
    masks, actions, count, seed, lane = function.args
    begin = b.add(b.ptrtoint(masks, I64), b.mul(lane, count))
    last = b.sub(b.add(begin, count), integer(1))
    first_word, last_word = b.lshr(begin, integer(3)), b.lshr(last, integer(3))
    below = b.shl(integer(-1), _bits_before(b, begin))
    above = b.lshr(integer(-1), b.sub(integer(56), _bits_before(b, last)))

    def legal(word: Value) -> Value:
        value = b.load(b.inttoptr(b.shl(word, integer(3)), POINTER), typ=I64)
        is_first, is_last = (b.icmp_unsigned("==", word, end) for end in (first_word, last_word))
        value = b.and_(value, b.select(is_first, below, integer(-1)))
        return b.and_(value, b.select(is_last, above, integer(-1)))

    total = local(b, I64, integer(0))
    with loop(b, first_word, b.add(last_word, integer(1))) as word:
        b.store(b.add(b.load(total, typ=I64), b.ctpop(legal(word))), total)
    found = local(b, I64, integer(0))
    some = b.icmp_signed("!=", b.load(total, typ=I64), integer(0))
    with b.if_then(some):
        left = local(b, I64, random_below(b, b.load(total, typ=I64), seed, lane))
        word = local(b, I64, first_word)
        value = local(b, I64, legal(first_word))
        with loop(b, first_word, last_word) as number:
            here, wanted = b.ctpop(b.load(value, typ=I64)), b.load(left, typ=I64)
            beyond = b.icmp_signed(">=", wanted, here)
            with b.if_then(beyond):
                b.store(b.sub(wanted, here), left)
                b.store(b.add(number, integer(1)), word)
                b.store(legal(b.add(number, integer(1))), value)
        with loop(b, integer(0), b.load(left, typ=I64)):
            rest = b.load(value, typ=I64)
            b.store(b.and_(rest, b.sub(rest, integer(1))), value)
        byte = b.lshr(b.cttz(b.load(value, typ=I64), ir.Constant(ir.IntType(1), 1)), integer(3))
        address = b.add(b.shl(b.load(word, typ=I64), integer(3)), byte)
        b.store(b.sub(address, begin), found)
    b.store(b.load(found, typ=I64), b.gep(actions, [lane], source_etype=I64))
    b.ret_void()


def _bits_before(b: Value, address: Value) -> Value:
    """Return how many bits of the eight bytes around an address come before it."""
    return b.shl(b.and_(address, integer(7)), integer(3))


def _divided(b: Value, thread: Value, count: Value) -> tuple[Value, Value]:
    """Divide a thread's number by a count, in 32 bits; return the quotient and the rest."""
    number, divisor = b.trunc(thread, I32), b.trunc(count, I32)
    return b.zext(b.udiv(number, divisor), I64), b.zext(b.urem(number, divisor), I64)
