"""The choice of a move: uniformly random among the legal ones, in every lane at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import NamedTuple

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
    local_words,
    loop,
    repeat,
)

MAX_LEVELS = 19
"""Levels of the tree over a role's moves: up to 2 ** 18 moves."""

NUMBER_ROWS = MAX_LEVELS + 1
"""Rows for a number of each lane, one for each bit."""

MOST_READ = 16
"""How many rows of each child are read before a row is written, where memory is far away."""

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
    for number, (level, above) in enumerate(pairwise(tree.levels)):
        grow = function.append_basic_block(f"grow{number}")
        b.cbranch(b.icmp_signed("==", level.nodes, integer(1)), roots[number], grow)
        b.position_at_end(grow)
        tree.emit_sums(level, above)
    tree.emit_upper_levels(scratch, random)
    b.branch(descents[-1])
    b.position_at_end(roots[0])
    helpers.store(b, helpers.load(b, legal, integer(0)), moves, integer(0))
    b.ret_void()
    for number in range(1, UNROLLED_LEVELS):
        b.position_at_end(roots[number])
        tree.emit_draw(tree.levels[number], tree.local_numbers, random)
        b.branch(descents[number - 1])
    for number in reversed(range(UNROLLED_LEVELS)):
        b.position_at_end(descents[number])
        tree.emit_descent(tree.levels[number], tree.levels[number + 1], tree.local_numbers)
        if number:
            b.branch(descents[number - 1])
        else:
            b.ret_void()
    return function


class _Level(NamedTuple):
    """A level of the tree: its ``nodes``, their counters of ``width`` rows, and their marks.

    The width is an int for the lower levels, which have code of their own, and a value that is
    known when the code runs for those above. So are the bits of numbers: ints or values.
    """

    width: Value
    nodes: Value
    counters: Value
    marks: Value


class _Numbers(NamedTuple):
    """Numbers to draw with: the random one, the bits that it can have, and what is drawn or summed.

    Each has the addresses of its rows by bits.
    """

    random: Callable[[Value], Value]
    mask: Callable[[Value], Value]
    spare: Callable[[Value], Value]


class _Tree:
    """The tree of counters; see :func:`emit_select`.

    Each level has its counters in the scratch rows, and behind them a mark for each node. Before
    all levels are three numbers for the upper ones; lower ones have theirs in ``local_numbers``.
    """

    def __init__(
        self, helpers: IrHelpers, b: Value, legal: Value, moves: Value, count: Value, scratch: Value
    ) -> None:
        self.helpers, self.b = helpers, b
        self.levels = [_Level(1, count, legal, moves)]
        free = helpers.at(b, scratch, integer(3 * NUMBER_ROWS))
        for width in range(2, UNROLLED_LEVELS + 2):
            self.levels.append(self._level(width, self._half(self.levels[-1].nodes), free))
            free = helpers.at(b, self.levels[-1].marks, self.levels[-1].nodes)
        local = [
            [helpers.variable(b, helpers.zero) for _ in range(UNROLLED_LEVELS + 1)]
            for _ in _Numbers._fields
        ]
        self.local_numbers = _Numbers(*(rows.__getitem__ for rows in local))

    def _level(self, width: Value, nodes: Value, counters: Value) -> _Level:
        """Return a level with its counters at an address; the marks stand behind them."""
        size = self.b.mul(nodes, _value(width))
        return _Level(width, nodes, counters, self.helpers.at(self.b, counters, size))

    def _half(self, nodes: Value) -> Value:
        return self.b.lshr(self.b.add(nodes, integer(1)), integer(1))

    def _bits(self, width: Value, *, from_top: bool = False) -> Iterator[Value]:
        """Emit what is done with each bit: one after the other where the width is an int."""
        if isinstance(width, int):
            yield from reversed(range(width)) if from_top else range(width)
        else:
            with loop(self.b, integer(0), width) as bit:
                yield self.b.sub(self.b.sub(width, integer(1)), bit) if from_top else bit

    def _rows(self, base: Value) -> Callable[[Value], Value]:
        """Return a function from a bit to the address of its row."""
        return lambda bit: self.helpers.at(self.b, base, _value(bit))

    def _counter(self, level: _Level, node: Value) -> Callable[[Value], Value]:
        first = self.b.mul(node, _value(level.width))
        return self._rows(self.helpers.at(self.b, level.counters, first))

    def emit_copy_of_legal_moves(self) -> None:
        """Make the legal moves the moves, and return."""
        helpers, b = self.helpers, self.b
        _, count, legal, moves = self.levels[0]
        for batch in batches(b, count, helpers.batch):
            rows = [helpers.load(b, legal, move) for move in batch]
            for move, row in zip(batch, rows, strict=True):
                helpers.store(b, row, moves, move)
        b.ret_void()
        b.position_at_end(b.append_basic_block("unreachable"))

    def _in_batches(self, level: _Level, count: Value) -> Iterator[list[Value]]:
        """Emit what is done with nodes whose children are of a level, some of them at a time."""
        width = level.width
        size = max(1, min(self.helpers.batch, MOST_READ // width)) if isinstance(width, int) else 1
        yield from batches(self.b, count, size)

    def emit_sums(self, level: _Level, above: _Level) -> None:
        """Add up pairs of a level's counters into those of the next."""
        helpers, b = self.helpers, self.b
        get, store = helpers.get, b.store
        pairs = b.lshr(level.nodes, integer(1))
        if isinstance(level.width, int):
            for batch in self._in_batches(level, pairs):
                self._emit_sums_of(level, above, batch)
        else:
            carry = helpers.variable(b, helpers.zero)
            with loop(b, integer(0), pairs) as pair:
                left = b.mul(pair, integer(2))
                first, second = (self._counter(level, b.add(left, integer(i))) for i in range(2))
                total = self._counter(above, pair)
                store(helpers.zero, carry)
                for bit in self._bits(level.width):
                    x, y, over = get(b, first(bit)), get(b, second(bit)), get(b, carry)
                    either = b.xor(x, y)
                    store(b.xor(either, over), total(bit))
                    store(b.or_(b.and_(x, y), b.and_(over, either)), carry)
                store(get(b, carry), total(level.width))
        with b.if_then(b.trunc(level.nodes, I1)):
            last = self._counter(level, b.mul(pairs, integer(2)))
            total = self._counter(above, pairs)
            for bit in self._bits(level.width):
                store(get(b, last(bit)), total(bit))
            store(helpers.zero, total(level.width))

    def _emit_sums_of(self, level: _Level, above: _Level, pairs: list[Value]) -> None:
        """Add up some pairs; all their counters are read before the first sum is written."""
        helpers, b = self.helpers, self.b
        read = []
        for pair in pairs:
            left = b.mul(pair, integer(2))
            both = [self._counter(level, b.add(left, integer(i))) for i in range(2)]
            read.append([[helpers.get(b, one(bit)) for one in both] for bit in range(level.width)])
        for pair, bits in zip(pairs, read, strict=True):
            total, carry = self._counter(above, pair), helpers.zero
            for bit, (x, y) in enumerate(bits):
                either = b.xor(x, y)
                b.store(b.xor(either, carry), total(bit))
                carry = b.or_(b.and_(x, y), b.and_(carry, either))
            b.store(carry, total(level.width))

    def emit_draw(self, root: _Level, numbers: _Numbers, random: Value) -> None:
        """Find a random number below the count of the root.

        Lanes without a legal move get no mark. Where no lane has a choice, the legal moves are
        the moves.
        """
        helpers, b = self.helpers, self.b
        get, store = helpers.get, b.store
        number, mask, drawn = numbers
        count = self._counter(root, integer(0))
        any_move, borrow, above, less = (
            helpers.variable(b, value)
            for value in (helpers.zero, helpers.ones, helpers.zero, helpers.zero)
        )
        for bit in self._bits(root.width):
            value, over = get(b, count(bit)), get(b, borrow)
            store(b.xor(value, over), mask(bit))
            store(helpers.zero, number(bit))
            store(b.or_(get(b, any_move), value), any_move)
            store(b.and_(over, b.not_(value)), borrow)
        for bit in self._bits(root.width, from_top=True):
            store(b.or_(get(b, above), b.and_(get(b, mask(bit)), get(b, any_move))), above)
            store(get(b, above), mask(bit))
        with b.if_then(b.not_(helpers.any(b, get(b, above)))):
            self.emit_copy_of_legal_moves()
        pending = helpers.variable(b, get(b, any_move))
        with repeat(b) as again:
            store(helpers.zero, less)
            for bit in self._bits(root.width):
                store(b.and_(_next_random(helpers, b, random), get(b, mask(bit))), drawn(bit))
            for bit in self._bits(root.width):
                store(_borrow(b, get(b, drawn(bit)), get(b, count(bit)), get(b, less)), less)
            accepted = b.and_(get(b, pending), get(b, less))
            for bit in self._bits(root.width):
                old = b.and_(get(b, number(bit)), b.not_(accepted))
                store(b.or_(old, b.and_(get(b, drawn(bit)), accepted)), number(bit))
            store(b.and_(get(b, pending), b.not_(get(b, less))), pending)
            again.append(helpers.any(b, get(b, pending)))
        helpers.store(b, get(b, any_move), root.marks, integer(0))

    def emit_descent(self, level: _Level, above: _Level, numbers: _Numbers) -> None:
        """Pass the marks of the level above down to this one."""
        helpers, b = self.helpers, self.b
        get, store = helpers.get, b.store
        number, _, total = numbers
        for bit in self._bits(above.width):
            store(helpers.zero, total(bit))
        for batch in self._in_batches(level, above.nodes):
            self._emit_totals_of(level, above, batch, total)
        borrow, less = (helpers.variable(b, helpers.zero) for _ in range(2))
        for bit in self._bits(above.width):
            store(_borrow(b, get(b, number(bit)), get(b, total(bit)), get(b, less)), less)
        is_left = get(b, less)
        for bit in self._bits(above.width):
            old, subtrahend, over = get(b, number(bit)), get(b, total(bit)), get(b, borrow)
            store(_borrow(b, old, subtrahend, over), borrow)
            rest = b.xor(b.xor(old, subtrahend), over)
            store(b.or_(b.and_(old, is_left), b.and_(rest, b.not_(is_left))), number(bit))
        pairs = b.lshr(level.nodes, integer(1))
        for batch in batches(b, pairs, helpers.batch):
            marks = [helpers.load(b, above.marks, pair) for pair in batch]
            for pair, mark in zip(batch, marks, strict=True):
                left, right = b.mul(pair, integer(2)), b.and_(mark, b.not_(is_left))
                helpers.store(b, b.and_(mark, is_left), level.marks, left)
                helpers.store(b, right, level.marks, b.add(left, integer(1)))
        with b.if_then(b.trunc(level.nodes, I1)):
            last = helpers.load(b, above.marks, pairs)
            helpers.store(b, last, level.marks, b.mul(pairs, integer(2)))

    def _emit_totals_of(
        self, level: _Level, above: _Level, parents: list[Value], total: Callable[[Value], Value]
    ) -> None:
        """Add the counters of the left children of marked nodes to a number, in each lane."""
        helpers, b = self.helpers, self.b
        lefts = [self._counter(level, b.mul(parent, integer(2))) for parent in parents]
        marks = [helpers.load(b, above.marks, parent) for parent in parents]
        for bit in self._bits(level.width):
            counts = [helpers.get(b, left(bit)) for left in lefts]
            found = helpers.get(b, total(bit))
            for mark, count in zip(marks, counts, strict=True):
                found = b.or_(found, b.and_(mark, count))
            b.store(found, total(bit))

    def emit_upper_levels(self, scratch: Value, random: Value) -> None:
        """Grow the tree above the lower levels, draw at its root, and descend to those.

        Loops over levels do that; two arrays have the nodes and the counters of each.
        """
        helpers, b = self.helpers, self.b
        numbers = _Numbers(
            *(self._rows(helpers.at(b, scratch, integer(i * NUMBER_ROWS))) for i in range(3))
        )
        nodes, counters = (local_words(b, MAX_LEVELS + 1) for _ in range(2))

        def keep(number: Value, level: _Level) -> None:
            b.store(level.nodes, b.gep(nodes, [number], source_etype=I64))
            address = b.ptrtoint(level.counters, I64)
            b.store(address, b.gep(counters, [number], source_etype=I64))

        def kept(number: Value) -> _Level:
            address = b.inttoptr(get_integer(b, counters, number), POINTER)
            width = b.add(number, integer(1))
            return self._level(width, get_integer(b, nodes, number), address)

        keep(integer(UNROLLED_LEVELS), self.levels[-1])
        top = helpers.counter(b, UNROLLED_LEVELS)
        check, grow, root = (b.append_basic_block(name) for name in ("check", "grow", "root"))
        b.branch(check)
        b.position_at_end(check)
        number = b.load(top, typ=I64)
        level = kept(number)
        b.cbranch(b.icmp_signed("==", level.nodes, integer(1)), root, grow)
        b.position_at_end(grow)
        next_number = b.add(number, integer(1))
        free = helpers.at(b, level.marks, level.nodes)
        above = self._level(b.add(level.width, integer(1)), self._half(level.nodes), free)
        keep(next_number, above)
        self.emit_sums(level, above)
        b.store(next_number, top)
        b.branch(check)
        b.position_at_end(root)
        self.emit_draw(level, numbers, random)
        with loop(b, integer(0), b.sub(number, integer(UNROLLED_LEVELS))) as done:
            upper = b.sub(number, done)
            self.emit_descent(kept(b.sub(upper, integer(1))), kept(upper), numbers)
        for bit in range(UNROLLED_LEVELS + 1):
            b.store(helpers.get(b, numbers.random(bit)), self.local_numbers.random(bit))


def _value(number: Value) -> Value:
    """Return an int as a value; others are values."""
    return integer(number) if isinstance(number, int) else number


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
