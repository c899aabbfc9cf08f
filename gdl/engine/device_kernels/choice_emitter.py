"""The choice of a move in registers: uniformly random among the legal ones, in every lane at once.

It draws as :mod:`gdl.engine.kernels.choice` does, where the method is described: words of 64 lanes
come to the same moves by the same random numbers.
"""

from __future__ import annotations

from gdl.engine.device_kernels.word_emitter import ONES, ZERO, WordEmitter

Counter = list[str]
"""A number for each lane: its bits, the lowest first."""


def next_random(e: WordEmitter, state: list[str]) -> tuple[str, list[str]]:
    """Draw a random word; return it, and the state after it.

    The generator is xoshiro256++ for words of 64 bits and xoshiro128++ for those of 32. Source: D.
    Blackman and S. Vigna, Scrambled linear pseudorandom number generators (2021).
    """
    first, shift, last = (23, 17, 45) if e.bits == 64 else (7, 9, 11)
    s0, s1, s2, s3 = state
    total = e.value(f"add {e.word} {s0}, {s3}")
    drawn = e.value(f"add {e.word} {e.rotate(total, first)}, {s0}")
    shifted = e.value(f"shl {e.word} {s1}, {shift}")
    s2, s3 = e.xor(s2, s0), e.xor(s3, s1)
    s1, s0 = e.xor(s1, s2), e.xor(s0, s3)
    return drawn, [s0, s1, e.xor(s2, shifted), e.rotate(s3, last)]


def choose_move(e: WordEmitter, legal: list[str], state: list[str]) -> tuple[list[str], list[str]]:
    """Choose one of the legal moves in every lane; return the moves, and the random state.

    The counters of a tree over many moves are more than there are registers. So those of the lower
    levels are forgotten once they have been added up, and made again when the number comes down to
    them; ``%zero0`` and so on are 0, which the compiler does not know, or it would keep them.
    """
    tree = _Tree(e, [[word] for word in legal])
    if tree.height == 0:
        return legal, state
    count = tree.counters[tree.height][0]
    any_move = ZERO
    for bit in count:
        any_move = e.or_(any_move, bit)
    number, state = _number_below(e, count, any_move, state)
    marks = [any_move]
    for level in reversed(range(tree.height)):
        marks, number = _descend(e, tree.level(level), marks, number)
    return marks, state


MOVES_KEPT = 32
"""Trees over so many moves have their counters kept."""

FORGOTTEN_LEVELS = 3
"""The levels above the moves whose counters are made twice in larger trees."""


class _Tree:
    """A tree of counters over the legal moves; a node of level ``j`` counts up to ``2**j`` moves.

    ``counters`` are those of the levels that are kept.
    """

    def __init__(self, e: WordEmitter, legal: list[Counter]) -> None:
        self._e = e
        self.counters = {0: legal}
        self.height = 0
        if len(legal) > MOVES_KEPT:
            self.height = 1 + FORGOTTEN_LEVELS
            self.counters[self.height] = self._sums_at(self.height, ZERO)
        while len(counters := self.counters[self.height]) > 1:
            self.height += 1
            self.counters[self.height] = _sums(e, counters)

    def level(self, level: int) -> list[Counter]:
        """Return the counters of a level."""
        if level in self.counters:
            return self.counters[level]
        return self._sums_at(level, self._e.word_of(f"%zero{level - 1}"))

    def _sums_at(self, level: int, zero: str) -> list[Counter]:
        """Add up the moves below the nodes of a level, one node after the other."""
        legal, size = self.counters[0], 1 << level
        sums = []
        for first in range(0, len(legal), size):
            counters = _sums(self._e, legal[first : first + size], zero)
            while len(counters[0]) <= level:
                counters = _sums(self._e, counters)
            sums += counters
        return sums


def _sums(e: WordEmitter, counters: list[Counter], zero: str = ZERO) -> list[Counter]:
    """Add up pairs of counters, and 0; the one that is left over gets a bit, too."""
    sums = []
    for left, right in zip(counters[::2], counters[1::2], strict=False):
        carry, bits = zero, []
        for x, y in zip(left, right, strict=True):
            either = e.xor(x, y)
            bits.append(e.xor(either, carry))
            carry = e.or_(e.and_(x, y), e.and_(carry, either))
        sums.append([*bits, carry])
    return sums if len(counters) % 2 == 0 else [*sums, [*counters[-1], ZERO]]


def _number_below(
    e: WordEmitter, count: Counter, any_move: str, state: list[str]
) -> tuple[Counter, list[str]]:
    """Draw a number below a count, by rejection; where no lane has a choice nothing is drawn."""
    mask = _bits_below(e, count, any_move)
    before, draw, done = e.block, e.label("draw"), e.label("drawn")
    e.branch(e.any(mask[0]), draw, done)
    e.begin(draw)
    old_state, old, pending = [e.name("s") for _ in state], [e.name("o") for _ in count], e.name()
    place = len(e.lines)
    new_state, drawn = old_state, []
    for bits in mask:
        word, new_state = next_random(e, new_state)
        drawn.append(e.and_(word, bits))
    less = ZERO
    for drawn_bit, bit in zip(drawn, count, strict=True):
        less = _borrow(e, drawn_bit, bit, less)
    accepted = e.and_(pending, less)
    new = [e.choose(accepted, now, bit) for now, bit in zip(drawn, old, strict=True)]
    left = e.and_(pending, e.not_(less))
    again = e.any(left)
    names, first = [*old_state, *old, pending], [*state, *[ZERO] * len(old), any_move]
    for name, value, following in zip(names, first, [*new_state, *new, left], strict=True):
        e.phi(name, e.word, (value, before), (following, draw), place=place)
    e.branch(again, draw, done)
    e.begin(done)
    number, last = [e.name("n") for _ in count], [e.name("s") for _ in state]
    for name, value in zip(number, new, strict=True):
        e.phi(name, e.word, (ZERO, before), (value, draw))
    for name, value, unused in zip(last, new_state, state, strict=True):
        e.phi(name, e.word, (unused, before), (value, draw))
    return number, last


def _bits_below(e: WordEmitter, count: Counter, any_move: str) -> Counter:
    """Return which bits a number below a count can have."""
    borrow, largest = ONES, []
    for bit in count:
        largest.append(e.xor(bit, borrow))
        borrow = e.and_(borrow, e.not_(bit))
    above, mask = ZERO, []
    for bit in reversed(largest):
        above = e.or_(above, e.and_(bit, any_move))
        mask.append(above)
    return mask[::-1]


def _descend(
    e: WordEmitter, counters: list[Counter], marks: list[str], number: Counter
) -> tuple[list[str], Counter]:
    """Pass the marks of a level down to the one below, whose counters these are."""
    width = len(counters[0])
    total = [ZERO] * (width + 1)
    for mark, left in zip(marks, counters[: len(counters) // 2 * 2 : 2], strict=False):
        for bit in range(width):
            total[bit] = e.or_(total[bit], e.and_(mark, left[bit]))
    less, borrows = ZERO, []
    for bit in range(width + 1):
        borrows.append(less)
        less = _borrow(e, number[bit], total[bit], less)
    rest = [
        e.choose(less, old, e.xor(e.xor(old, subtracted), borrow))
        for old, subtracted, borrow in zip(number, total, borrows, strict=True)
    ]
    below = []
    for index, mark in enumerate(marks):
        if 2 * index + 1 < len(counters):
            below += [e.and_(mark, less), e.and_(mark, e.not_(less))]
        else:
            below.append(mark)
    return below, rest[:width]


def _borrow(e: WordEmitter, minuend: str, subtrahend: str, borrow: str) -> str:
    """Return whether one bit's subtraction borrows from the next."""
    equal = e.not_(e.xor(minuend, subtrahend))
    return e.or_(e.and_(e.not_(minuend), subtrahend), e.and_(equal, borrow))
