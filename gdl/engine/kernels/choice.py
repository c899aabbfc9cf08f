"""The choice of a move: uniformly random among the legal ones, in every lane at once."""

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
    repeat,
)

MAX_LEVELS = 19
"""Levels of the tree over a role's moves: up to 2 ** 18 moves."""

NUMBER_ROWS = MAX_LEVELS + 1
"""Rows for a number of each lane, one for each bit."""

UNROLLED_LEVELS = 8
"""Lower levels, where the work is, have code of their own; those above share one, with loops."""


def scratch_rows(moves: int) -> int:
    """Return the number of scratch rows that ``select`` needs for a role with ``moves`` moves."""
    return 3 * NUMBER_ROWS + 8 * moves + 16 * MAX_LEVELS


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
    with b.if_then(b.icmp_signed("<", count, integer(1))):
        b.ret_void()
        b.position_at_end(function.append_basic_block("unreachable"))
    tree = _Tree(helpers, b, legal, moves, count, scratch)
    roots = [function.append_basic_block(f"root{level}") for level in range(UNROLLED_LEVELS)]
    descents = [function.append_basic_block(f"descent{level}") for level in range(UNROLLED_LEVELS)]
    for level in range(UNROLLED_LEVELS):
        grow = function.append_basic_block(f"grow{level}")
        is_root = b.icmp_signed("==", tree.nodes[level], integer(1))
        b.cbranch(is_root, roots[level], grow)
        b.position_at_end(grow)
        tree.emit_sums(level)
    _UpperLevels(tree).emit_number(random)
    b.branch(descents[-1])
    b.position_at_end(roots[0])
    helpers.store(b, helpers.load(b, legal, integer(0)), moves, integer(0))
    b.ret_void()
    for level in range(1, UNROLLED_LEVELS):
        b.position_at_end(roots[level])
        tree.emit_number(level, random)
        b.branch(descents[level - 1])
    for level in reversed(range(UNROLLED_LEVELS)):
        b.position_at_end(descents[level])
        tree.emit_descent(level)
        if level:
            b.branch(descents[level - 1])
        else:
            b.ret_void()
    return function


class _Tree:
    """The lower levels of the tree of counters; see :func:`emit_select`.

    Each level has its counters in the scratch rows, and behind them a mark for each node. Before
    all levels are three numbers for those above; see :class:`_UpperLevels`.
    """

    def __init__(
        self, helpers: IrHelpers, b: Value, legal: Value, moves: Value, count: Value, scratch: Value
    ) -> None:
        self.helpers, self.b = helpers, b
        self.legal, self.moves, self.count = legal, moves, count
        self.number = [helpers.variable(b, helpers.zero) for _ in range(UNROLLED_LEVELS + 1)]
        self.nodes, self.counters, self.marks = [count], [legal], [moves]
        self.numbers = [helpers.at(b, scratch, integer(i * NUMBER_ROWS)) for i in range(3)]
        free = helpers.at(b, scratch, integer(3 * NUMBER_ROWS))
        for level in range(1, UNROLLED_LEVELS + 1):
            below = self.nodes[-1]
            self.nodes.append(b.lshr(b.add(below, integer(1)), integer(1)))
            self.counters.append(free)
            free = helpers.at(b, free, b.mul(self.nodes[-1], integer(level + 1)))
            self.marks.append(free)
            free = helpers.at(b, free, self.nodes[-1])
        self.free = free

    def emit_copy_of_legal_moves(self) -> None:
        """Make the legal moves the moves, and return."""
        helpers, b = self.helpers, self.b
        with loop(b, integer(0), self.count) as move:
            helpers.store(b, helpers.load(b, self.legal, move), self.moves, move)
        b.ret_void()
        b.position_at_end(b.append_basic_block("unreachable"))

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

    def emit_number(self, level: int, random: Value) -> None:
        """Find a random number below the count of a root at a level.

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
            self.emit_copy_of_legal_moves()
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


class _UpperLevels:
    """The levels of the tree above those of :class:`_Tree`, by loops over levels and bits.

    Numbers are in memory here, a row for each bit: ``number`` the random one, ``mask`` the bits
    that it can have, ``spare`` what is drawn or added up. For each level ``nodes`` has their
    number, ``counters`` and ``marks`` the addresses of theirs.
    """

    def __init__(self, tree: _Tree) -> None:
        self.tree = tree
        self.helpers, self.b = tree.helpers, tree.b
        self.number, self.mask, self.spare = tree.numbers
        levels = ir.ArrayType(I64, MAX_LEVELS + 1)
        self.nodes, self.counters, self.marks = (self._array(levels) for _ in range(3))

    def _array(self, kind: Value) -> Value:
        with self.b.goto_entry_block():
            address = self.b.alloca(kind)
        address.align = 64
        address.type = POINTER
        return address

    def _set(self, array: Value, level: Value, value: Value) -> None:
        self.b.store(value, self.b.gep(array, [level], source_etype=I64))

    def _address(self, array: Value, level: Value) -> Value:
        return self.b.inttoptr(get_integer(self.b, array, level), POINTER)

    def emit_number(self, random: Value) -> None:
        """Find a random number below the root's count, and follow it down to the lower levels."""
        helpers, b, tree = self.helpers, self.b, self.tree
        self._emit_level(integer(UNROLLED_LEVELS), tree.nodes[-1], tree.counters[-1])
        top = helpers.counter(b, UNROLLED_LEVELS)
        grow, root = (b.append_basic_block(name) for name in ("grow", "root"))
        check = b.append_basic_block("check")
        b.branch(check)
        b.position_at_end(check)
        level = b.load(top, typ=I64)
        is_root = b.icmp_signed("==", get_integer(b, self.nodes, level), integer(1))
        b.cbranch(is_root, root, grow)
        b.position_at_end(grow)
        self._emit_sums(level)
        b.store(b.add(level, integer(1)), top)
        b.branch(check)
        b.position_at_end(root)
        self._emit_draw(level, random)
        with loop(b, integer(0), b.sub(level, integer(UNROLLED_LEVELS))) as done:
            self._emit_descent(b.sub(b.sub(level, integer(1)), done))
        for bit, number in enumerate(tree.number):
            b.store(helpers.load(b, self.number, integer(bit)), number)

    def _emit_level(self, level: Value, nodes: Value, counters: Value) -> None:
        """Note where the counters and marks of a level are; the marks stand behind the counters."""
        b = self.b
        self._set(self.nodes, level, nodes)
        self._set(self.counters, level, b.ptrtoint(counters, I64))
        size = b.mul(nodes, b.add(level, integer(1)))
        self._set(self.marks, level, b.ptrtoint(self.helpers.at(b, counters, size), I64))

    def _emit_sums(self, level: Value) -> None:
        """Add up pairs of a level's counters into those of the next."""
        helpers, b = self.helpers, self.b
        nodes, width = get_integer(b, self.nodes, level), b.add(level, integer(1))
        pairs, source = b.lshr(nodes, integer(1)), self._address(self.counters, level)
        target = helpers.at(b, self._address(self.marks, level), nodes)
        above = b.lshr(b.add(nodes, integer(1)), integer(1))
        self._emit_level(width, above, target)
        carry = helpers.variable(b, helpers.zero)
        with loop(b, integer(0), pairs) as pair:
            left = b.mul(pair, b.mul(width, integer(2)))
            out = b.mul(pair, b.add(width, integer(1)))
            b.store(helpers.zero, carry)
            with loop(b, integer(0), width) as bit:
                x = helpers.load(b, source, b.add(left, bit))
                y = helpers.load(b, source, b.add(b.add(left, width), bit))
                either, over = b.xor(x, y), helpers.get(b, carry)
                helpers.store(b, b.xor(either, over), target, b.add(out, bit))
                b.store(b.or_(b.and_(x, y), b.and_(over, either)), carry)
            helpers.store(b, helpers.get(b, carry), target, b.add(out, width))
        with b.if_then(b.trunc(nodes, I1)):
            left = b.mul(pairs, b.mul(width, integer(2)))
            out = b.mul(pairs, b.add(width, integer(1)))
            with loop(b, integer(0), width) as bit:
                value = helpers.load(b, source, b.add(left, bit))
                helpers.store(b, value, target, b.add(out, bit))
            helpers.store(b, helpers.zero, target, b.add(out, width))

    def _emit_draw(self, level: Value, random: Value) -> None:
        """Find a random number below the count of the root; see :meth:`_Tree.emit_number`."""
        helpers, b = self.helpers, self.b
        width, count = b.add(level, integer(1)), self._address(self.counters, level)
        any_move, borrow, above = (
            helpers.variable(b, value) for value in (helpers.zero, helpers.ones, helpers.zero)
        )
        with loop(b, integer(0), width) as bit:
            value, over = helpers.load(b, count, bit), helpers.get(b, borrow)
            helpers.store(b, b.xor(value, over), self.mask, bit)
            helpers.store(b, helpers.zero, self.number, bit)
            b.store(b.or_(helpers.get(b, any_move), value), any_move)
            b.store(b.and_(over, b.not_(value)), borrow)
        with loop(b, integer(0), width) as done:
            bit = b.sub(level, done)
            largest = b.and_(helpers.load(b, self.mask, bit), helpers.get(b, any_move))
            b.store(b.or_(helpers.get(b, above), largest), above)
            helpers.store(b, helpers.get(b, above), self.mask, bit)
        with b.if_then(b.not_(helpers.any(b, helpers.get(b, above)))):
            self.tree.emit_copy_of_legal_moves()
        pending = helpers.variable(b, helpers.get(b, any_move))
        less = helpers.variable(b, helpers.zero)
        with repeat(b) as again:
            b.store(helpers.zero, less)
            with loop(b, integer(0), width) as bit:
                drawn = b.and_(_next_random(helpers, b, random), helpers.load(b, self.mask, bit))
                helpers.store(b, drawn, self.spare, bit)
                borrows = _borrow(b, drawn, helpers.load(b, count, bit), helpers.get(b, less))
                b.store(borrows, less)
            accepted = b.and_(helpers.get(b, pending), helpers.get(b, less))
            with loop(b, integer(0), width) as bit:
                old = b.and_(helpers.load(b, self.number, bit), b.not_(accepted))
                drawn = b.and_(helpers.load(b, self.spare, bit), accepted)
                helpers.store(b, b.or_(old, drawn), self.number, bit)
            left = b.and_(helpers.get(b, pending), b.not_(helpers.get(b, less)))
            b.store(left, pending)
            again.append(helpers.any(b, left))
        marks = self._address(self.marks, level)
        helpers.store(b, helpers.get(b, any_move), marks, integer(0))

    def _emit_descent(self, level: Value) -> None:
        """Pass the marks of the level above down to this one; see :meth:`_Tree.emit_descent`."""
        helpers, b = self.helpers, self.b
        width, above = b.add(level, integer(1)), b.add(level, integer(1))
        counters, targets = self._address(self.counters, level), self._address(self.marks, level)
        marks, parents = self._address(self.marks, above), get_integer(b, self.nodes, above)
        with loop(b, integer(0), b.add(width, integer(1))) as bit:
            helpers.store(b, helpers.zero, self.spare, bit)
        with loop(b, integer(0), parents) as parent:
            mark = helpers.load(b, marks, parent)
            left = b.mul(parent, b.mul(width, integer(2)))
            with loop(b, integer(0), width) as bit:
                value = b.and_(mark, helpers.load(b, counters, b.add(left, bit)))
                total = helpers.load(b, self.spare, bit)
                helpers.store(b, b.or_(total, value), self.spare, bit)
        borrow, less = (helpers.variable(b, helpers.zero) for _ in range(2))
        with loop(b, integer(0), b.add(width, integer(1))) as bit:
            old, total = (helpers.load(b, rows, bit) for rows in (self.number, self.spare))
            b.store(_borrow(b, old, total, helpers.get(b, less)), less)
        is_left = helpers.get(b, less)
        with loop(b, integer(0), b.add(width, integer(1))) as bit:
            old, total = (helpers.load(b, rows, bit) for rows in (self.number, self.spare))
            over = helpers.get(b, borrow)
            b.store(_borrow(b, old, total, over), borrow)
            rest = b.xor(b.xor(old, total), over)
            kept = b.or_(b.and_(old, is_left), b.and_(rest, b.not_(is_left)))
            helpers.store(b, kept, self.number, bit)
        nodes = get_integer(b, self.nodes, level)
        pairs = b.lshr(nodes, integer(1))
        with loop(b, integer(0), pairs) as pair:
            mark, left = helpers.load(b, marks, pair), b.mul(pair, integer(2))
            helpers.store(b, b.and_(mark, is_left), targets, left)
            right = b.and_(mark, b.not_(is_left))
            helpers.store(b, right, targets, b.add(left, integer(1)))
        with b.if_then(b.trunc(nodes, I1)):
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
