"""Connect four on 7 x 6 as bitboards: negamax with a transposition table, in a kernel.

A column is seven bits of a word, the lowest place first; the seventh is always empty, so that no
line runs on from one column into the next. ``own`` are the discs of who moves, ``mask`` all discs.
Values are -1, 0 and 1: a loss, a draw and a win of who moves. Moves that let the rival win at once
are not searched; the others are ordered by how many places they make winning.

Sources: J. Tromp, John's Connect Four Playground (2008), for the bitboards; P. Pons, Solving
Connect 4: how to build a perfect AI (2015), for moves that do not lose and their order.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gdl.engine.kernel_library import kernel, population

Words = NDArray[np.uint64]

COLUMNS, LEVELS = 7, 6
STRIDE = LEVELS + 1
CELLS = COLUMNS * LEVELS

ONE = np.uint64(1)
COLUMN = np.uint64((1 << LEVELS) - 1)
BOTTOM = np.uint64(sum(1 << STRIDE * column for column in range(COLUMNS)))
BOARD = np.uint64(int(BOTTOM) * ((1 << LEVELS) - 1))
KEY = np.uint64((1 << STRIDE * COLUMNS) - 1)
LOW_SHIFT, HIGH_SHIFT = np.uint64(56), np.uint64(60)
HASH = np.uint64(0x9E3779B97F4A7C15)
UNKNOWN = 2
"""In place of a value: there is none yet."""


class ConnectFourSearch(NamedTuple):
    """The arrays of the search.

    ``table`` uint64 (power of 2,): entries of a position's key, with its least and greatest value,
    each plus 1, from bits 56 and 60 on; 0 is empty. One row a depth: ``own`` and ``mask`` uint64
    (depths,), ``moves`` uint64 (depths, 7), and ``frames`` int64 (depths, 6): the alpha of the
    beginning, alpha, beta, best value, number of moves, next move. ``scores`` int64 (7,) are those
    of moves that are being ordered. ``nodes`` int64 (1,): positions visited.
    """

    table: Words
    own: Words
    mask: Words
    moves: Words
    frames: NDArray[np.int64]
    scores: NDArray[np.int64]
    nodes: NDArray[np.int64]


FLOOR, ALPHA, BETA, BEST, COUNT, NEXT = range(6)


def new_search(entries: int) -> ConnectFourSearch:
    """Allocate a search with a table of so many entries, a power of 2."""
    depths = CELLS + 1
    return ConnectFourSearch(
        np.zeros(entries, np.uint64),
        np.zeros(depths, np.uint64),
        np.zeros(depths, np.uint64),
        np.zeros((depths, COLUMNS), np.uint64),
        np.zeros((depths, 6), np.int64),
        np.zeros(COLUMNS, np.int64),
        np.zeros(1, np.int64),
    )


@kernel
def winning_places(own: np.uint64, mask: np.uint64) -> np.uint64:
    """Return the empty places, reachable or not, that would complete a line of four."""
    found = (own << np.uint64(1)) & (own << np.uint64(2)) & (own << np.uint64(3))
    for step in (np.uint64(LEVELS), np.uint64(STRIDE), np.uint64(STRIDE + 1)):
        twice, thrice = step + step, step + step + step
        pair = (own << step) & (own << twice)
        found |= pair & (own << thrice)
        found |= pair & (own >> step)
        pair = (own >> step) & (own >> twice)
        found |= pair & (own << step)
        found |= pair & (own >> thrice)
    return found & (BOARD ^ mask)


@kernel
def safe_moves(own: np.uint64, mask: np.uint64) -> np.uint64:
    """Return the places to move to after which the rival cannot win at once."""
    possible = (mask + BOTTOM) & BOARD
    threats = winning_places(own ^ mask, mask)
    forced = possible & threats
    if forced:
        if forced & (forced - ONE):
            return np.uint64(0)
        possible = forced
    return possible & ~(threats >> ONE)


@kernel
def solve(search: ConnectFourSearch, own: np.uint64, mask: np.uint64, nodes: int) -> int:
    """Return the value of a position for who moves, ``UNKNOWN`` if it takes more than ``nodes``.

    Nobody may have a line. The table keeps what was found.
    """
    if winning_places(own, mask) & (mask + BOTTOM):
        return 1
    stop = search.nodes[0] + nodes
    search.own[0], search.mask[0] = own, mask
    depth, value = 0, _enter(search, 0, -1, 1)
    if value != UNKNOWN:
        return value
    while True:
        frame = search.frames[depth]
        if frame[NEXT] == frame[COUNT] or frame[ALPHA] >= frame[BETA]:
            _store(search, depth)
            value = frame[BEST]
            if depth == 0:
                return int(value)
            depth -= 1
            _take(search.frames[depth], -value)
            continue
        if search.nodes[0] >= stop:
            return UNKNOWN
        move = search.moves[depth, frame[NEXT]]
        frame[NEXT] += 1
        search.own[depth + 1] = search.own[depth] ^ search.mask[depth]
        search.mask[depth + 1] = search.mask[depth] | move
        value = _enter(search, depth + 1, -frame[BETA], -frame[ALPHA])
        if value == UNKNOWN:
            depth += 1
        else:
            _take(frame, -value)


@kernel
def _take(frame: NDArray[np.int64], value: int) -> None:
    """Take the value of a move into account."""
    frame[BEST] = max(frame[BEST], value)
    frame[ALPHA] = max(frame[ALPHA], value)


@kernel
def _enter(search: ConnectFourSearch, depth: int, alpha: int, beta: int) -> int:
    """Begin a position in which nobody can win at once; return its value if it needs no search."""
    search.nodes[0] += 1
    own, mask = search.own[depth], search.mask[depth]
    safe = safe_moves(own, mask)
    if safe == 0:
        return 0 if mask == BOARD else -1
    if population(mask) >= CELLS - 2:
        return 0
    key = own + mask
    entry = search.table[_slot(search.table, key)]
    if (entry & KEY) == key:
        low = np.int64((entry >> LOW_SHIFT) & np.uint64(3)) - 1
        high = np.int64((entry >> HIGH_SHIFT) & np.uint64(3)) - 1
        alpha, beta = max(alpha, int(low)), min(beta, int(high))
        if low == high or alpha >= beta:
            return int(low if low >= beta else high)
    frame = search.frames[depth]
    frame[FLOOR], frame[ALPHA], frame[BETA] = alpha, alpha, beta
    frame[BEST], frame[NEXT] = -1, 0
    frame[COUNT] = _order(search, depth, safe)
    return UNKNOWN


@kernel
def _order(search: ConnectFourSearch, depth: int, safe: np.uint64) -> int:
    """List the safe moves: by how many places they make winning, then by nearness to the middle."""
    own, mask = search.own[depth], search.mask[depth]
    moves, scores, count = search.moves[depth], search.scores, 0
    for rank in range(COLUMNS):
        side = (rank + 1) // 2 if rank % 2 else -(rank // 2)
        column = np.uint64(STRIDE * (COLUMNS // 2 + side))
        move = safe & (COLUMN << column)
        if move:
            score = population(winning_places(own | move, mask | move))
            at = count
            while at > 0 and scores[at - 1] < score:
                scores[at], moves[at] = scores[at - 1], moves[at - 1]
                at -= 1
            scores[at], moves[at] = score, move
            count += 1
    return count


@kernel
def _slot(table: Words, key: np.uint64) -> int:
    return int(((key * HASH) >> np.uint64(32)) & np.uint64(len(table) - 1))


@kernel
def _store(search: ConnectFourSearch, depth: int) -> None:
    """Keep what the search of a position has shown, with what was known before."""
    frame = search.frames[depth]
    key = search.own[depth] + search.mask[depth]
    slot = _slot(search.table, key)
    low, high = np.int64(-1), np.int64(1)
    if (search.table[slot] & KEY) == key:
        low = np.int64((search.table[slot] >> LOW_SHIFT) & np.uint64(3)) - 1
        high = np.int64((search.table[slot] >> HIGH_SHIFT) & np.uint64(3)) - 1
    best = frame[BEST]
    if best > frame[FLOOR]:
        low = max(low, best)
    if best < frame[BETA]:
        high = min(high, best)
    bounds = np.uint64(low + 1) << LOW_SHIFT | np.uint64(high + 1) << HIGH_SHIFT
    search.table[slot] = key | bounds
