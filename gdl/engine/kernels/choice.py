"""The choice of a move: uniformly random among the legal ones, in every lane at once."""

from __future__ import annotations

from llvmlite import ir

from gdl.engine.kernels.ir_helpers import I1, I64, POINTER, IrHelpers, Value, integer, loop, repeat

MAX_LEVELS = 19
"""Levels of the tree over a role's moves: up to 2 ** 18 moves."""


def scratch_rows(moves: int) -> int:
    """Return the number of scratch rows that ``select`` needs for a role with ``moves`` moves."""
    return 8 * moves + 16 * MAX_LEVELS


def emit_select(helpers: IrHelpers) -> Value:
    """Emit the choice of a move: a binary tree of counters over the legal rows.

    Numbers are bit-sliced: bit ``i`` of a number per lane is a row. Level 0 of the tree are the
    legal rows; a node of level ``j`` counts the legal moves below it, in ``j + 1`` rows. A random
    number below the root's count, found by rejection, is followed down: where it is less than the
    left child's count the move is there, otherwise on the right, with that count subtracted.
    The marks that arrive at level 0 are the moves. About nine vector operations for a move row.
    """
    arguments = [POINTER, POINTER, I64, POINTER, POINTER]
    function, b = helpers.function("select", ir.VoidType(), arguments)
    legal, moves, count, scratch, random = function.args
    tree = _Tree(helpers, b, legal, moves, count, scratch)
    roots = [function.append_basic_block(f"root{level}") for level in range(MAX_LEVELS)]
    for level in range(MAX_LEVELS):
        grow = function.append_basic_block(f"grow{level}")
        is_root = b.icmp_signed("==", tree.nodes[level], integer(1))
        b.cbranch(is_root, roots[level], grow)
        b.position_at_end(grow)
        if level + 1 < MAX_LEVELS:
            tree.emit_sums(level)
    b.ret_void()
    descents = [function.append_basic_block(f"descent{level}") for level in range(MAX_LEVELS)]
    b.position_at_end(roots[0])
    helpers.store(b, helpers.load(b, legal, integer(0)), moves, integer(0))
    b.ret_void()
    for level in range(1, MAX_LEVELS):
        b.position_at_end(roots[level])
        tree.emit_number(level, random, descents[level - 1])
    for level in reversed(range(MAX_LEVELS - 1)):
        b.position_at_end(descents[level])
        tree.emit_descent(level)
        if level:
            b.branch(descents[level - 1])
        else:
            b.ret_void()
    b.position_at_end(descents[MAX_LEVELS - 1])
    b.ret_void()
    return function


class _Tree:
    """The tree of counters, level by level; see :func:`emit_select`."""

    def __init__(
        self, helpers: IrHelpers, b: Value, legal: Value, moves: Value, count: Value, scratch: Value
    ) -> None:
        self.helpers, self.b = helpers, b
        self.legal, self.moves, self.count = legal, moves, count
        self.number = [helpers.variable(b, helpers.zero) for _ in range(MAX_LEVELS + 1)]
        self.nodes = [count]
        self.counters = [legal]
        free = scratch
        for level in range(1, MAX_LEVELS):
            below = self.nodes[-1]
            self.nodes.append(b.lshr(b.add(below, integer(1)), integer(1)))
            self.counters.append(free)
            free = helpers.at(b, free, b.mul(self.nodes[-1], integer(level + 1)))
        self.marks = [moves]
        for level in range(1, MAX_LEVELS):
            self.marks.append(free)
            free = helpers.at(b, free, self.nodes[level])

    def emit_sums(self, level: int) -> None:
        """Add up pairs of a level's counters into those of the next."""
        helpers, b = self.helpers, self.b
        source, target, width = self.counters[level], self.counters[level + 1], level + 1
        pairs = b.lshr(self.nodes[level], integer(1))
        with loop(b, integer(0), pairs) as pair:
            left = b.mul(pair, integer(2 * width))
            out = b.mul(pair, integer(width + 1))
            carry = helpers.zero
            for bit in range(width):
                x = helpers.load(b, source, b.add(left, integer(bit)))
                y = helpers.load(b, source, b.add(left, integer(width + bit)))
                either = b.xor(x, y)
                helpers.store(b, b.xor(either, carry), target, b.add(out, integer(bit)))
                carry = b.or_(b.and_(x, y), b.and_(carry, either))
            helpers.store(b, carry, target, b.add(out, integer(width)))
        with b.if_then(b.trunc(self.nodes[level], I1)):
            left = b.mul(pairs, integer(2 * width))
            out = b.mul(pairs, integer(width + 1))
            for bit in range(width):
                value = helpers.load(b, source, b.add(left, integer(bit)))
                helpers.store(b, value, target, b.add(out, integer(bit)))
            helpers.store(b, helpers.zero, target, b.add(out, integer(width)))

    def emit_number(self, level: int, random: Value, descent: Value) -> None:
        """Find a random number below the root's count, then go to the descent.

        Lanes without a legal move get no mark. Where no lane has a choice, the legal moves are
        the moves.
        """
        helpers, b = self.helpers, self.b
        count = [helpers.load(b, self.counters[level], integer(bit)) for bit in range(level + 1)]
        any_move, borrow = helpers.zero, helpers.ones
        largest = []
        for bit in count:
            any_move = b.or_(any_move, bit)
            largest.append(b.xor(bit, borrow))
            borrow = b.and_(borrow, b.not_(bit))
        mask = [helpers.zero] * (level + 1)
        above = helpers.zero
        for position in reversed(range(level + 1)):
            above = b.or_(above, b.and_(largest[position], any_move))
            mask[position] = above
        with b.if_then(b.not_(helpers.any(b, above))):
            with loop(b, integer(0), self.count) as move:
                helpers.store(b, helpers.load(b, self.legal, move), self.moves, move)
            b.ret_void()
            b.position_at_end(b.append_basic_block("unreachable"))
        pending = helpers.variable(b, any_move)
        with repeat(b) as again:
            draw = [b.and_(_next_random(helpers, b, random), bits) for bits in mask]
            less = helpers.zero
            for drawn, bit in zip(draw, count, strict=True):
                less = _borrow(b, drawn, bit, less)
            accepted = b.and_(helpers.get(b, pending), less)
            for number, drawn in zip(self.number, draw, strict=False):
                old = b.and_(helpers.get(b, number), b.not_(accepted))
                b.store(b.or_(old, b.and_(drawn, accepted)), number)
            left = b.and_(helpers.get(b, pending), b.not_(less))
            b.store(left, pending)
            again.append(helpers.any(b, left))
        helpers.store(b, any_move, self.marks[level], integer(0))
        b.branch(descent)

    def emit_descent(self, level: int) -> None:
        """Pass the marks of the level above down to this one."""
        helpers, b = self.helpers, self.b
        counters, width = self.counters[level], level + 1
        marks, targets, parents = self.marks[level + 1], self.marks[level], self.nodes[level + 1]
        sums = [helpers.variable(b, helpers.zero) for _ in range(width)]
        with loop(b, integer(0), parents) as parent:
            mark = helpers.load(b, marks, parent)
            left = b.mul(parent, integer(2 * width))
            for bit, total in enumerate(sums):
                value = b.and_(mark, helpers.load(b, counters, b.add(left, integer(bit))))
                b.store(b.or_(helpers.get(b, total), value), total)
        less = helpers.zero
        borrows = []
        for bit in range(width + 1):
            total = helpers.get(b, sums[bit]) if bit < width else helpers.zero
            borrows.append(less)
            less = _borrow(b, helpers.get(b, self.number[bit]), total, less)
        for bit in range(width + 1):
            total = helpers.get(b, sums[bit]) if bit < width else helpers.zero
            old = helpers.get(b, self.number[bit])
            rest = b.xor(b.xor(old, total), borrows[bit])
            b.store(b.or_(b.and_(old, less), b.and_(rest, b.not_(less))), self.number[bit])
        pairs = b.lshr(self.nodes[level], integer(1))
        with loop(b, integer(0), pairs) as pair:
            mark = helpers.load(b, marks, pair)
            left = b.mul(pair, integer(2))
            helpers.store(b, b.and_(mark, less), targets, left)
            helpers.store(b, b.and_(mark, b.not_(less)), targets, b.add(left, integer(1)))
        with b.if_then(b.trunc(self.nodes[level], I1)):
            helpers.store(b, helpers.load(b, marks, pairs), targets, b.mul(pairs, integer(2)))


def _borrow(b: Value, minuend: Value, subtrahend: Value, borrow: Value) -> Value:
    """Return whether one bit's subtraction borrows from the next."""
    equal = b.not_(b.xor(minuend, subtrahend))
    return b.or_(b.and_(b.not_(minuend), subtrahend), b.and_(equal, borrow))


def _next_random(helpers: IrHelpers, b: Value, state: Value) -> Value:
    """Emit one step of xoshiro256++ in every word; return 64 random bits per word.

    Source: D. Blackman and S. Vigna, Scrambled linear pseudorandom number generators (2021).
    """
    s = [helpers.load(b, state, integer(i)) for i in range(4)]
    result = b.add(_rotate(helpers, b, b.add(s[0], s[3]), 23), s[0])
    shifted = b.shl(s[1], _words(helpers, 17))
    s[2] = b.xor(s[2], s[0])
    s[3] = b.xor(s[3], s[1])
    s[1] = b.xor(s[1], s[2])
    s[0] = b.xor(s[0], s[3])
    s[2] = b.xor(s[2], shifted)
    s[3] = _rotate(helpers, b, s[3], 45)
    for number, value in enumerate(s):
        helpers.store(b, value, state, integer(number))
    return result


def _words(helpers: IrHelpers, value: int) -> Value:
    return ir.Constant(helpers.row, [value] * helpers.words)


def _rotate(helpers: IrHelpers, b: Value, value: Value, bits: int) -> Value:
    return b.or_(b.shl(value, _words(helpers, bits)), b.lshr(value, _words(helpers, 64 - bits)))
