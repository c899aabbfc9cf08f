"""Hex on bitboards: a search for winning carriers, in a kernel.

A row of the board is a row of bits with one empty column after it, so that no shift runs on from
one row into the next. ``first`` are the stones that join the first row to the last, ``second``
those that join the first column to the last; there are no draws.

A win has a carrier, the empty cells that it needs: the winner's moves, and what these need whatever
the loser does. After a move that loses by a carrier, only moves within that carrier can be better,
so that what is left to try is the common part of all carriers found (the must-play region).

Sources: R. Hayward, Y. Bjornsson, M. Johanson, M. Kan, N. Po and J. van Rijswijck, Solving 7 x 7
Hex with domination, fill-in, and virtual connections (2005), for carriers and must-play.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gdl.array_kernels import kernel

Words = NDArray[np.uint64]

MAX_SIZE = 7
LEVELS = 16
"""Distances that are told apart; all larger ones count as this."""

ONE, NONE = np.uint64(1), np.uint64(0)
HASH_FIRST, HASH_SECOND = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F)
LOSS, WIN, UNKNOWN = 0, 1, 2


class HexSearch(NamedTuple):
    """The arrays of the search; ``size`` cells a side.

    ``edges`` uint64 (4,): the first and last row, the first and last column. ``order`` uint64
    (cells,): the cells in the order in which they are tried. ``table`` uint64 (power of 2, 3): the
    stones of the first and of the second role, and the carrier, with the value of who moves in bit
    63; all 0 is empty. A row a depth: ``stones`` uint64 (depths, 2), ``must`` uint64 (depths,),
    still to be tried, ``carriers`` uint64 (depths,), and ``tried`` uint64 (depths,), the move under
    way. ``killers`` uint64 (depths,): the move that has won last. ``moves`` uint64
    (depths, cells) are the empty cells, likely ones first, and ``counts`` int64 (depths,) how many.
    ``levels`` uint64 (4, levels) and ``scores`` int64 (cells,) are for ordering: see
    :func:`_spread`. ``nodes`` int64 (1,): positions visited.
    """

    size: int
    edges: Words
    order: Words
    table: Words
    stones: Words
    must: Words
    carriers: Words
    tried: Words
    killers: Words
    moves: Words
    counts: NDArray[np.int64]
    levels: Words
    scores: NDArray[np.int64]
    nodes: NDArray[np.int64]


VALUE_BIT = np.uint64(1 << 63)


def new_search(size: int, entries: int) -> HexSearch:
    """Allocate a search with a table of so many entries, a power of 2."""
    rows = range(size)

    def bit(x: int, y: int) -> int:
        return 1 << (size + 1) * y + x

    edges = (
        sum(bit(x, 0) for x in rows),
        sum(bit(x, size - 1) for x in rows),
        sum(bit(0, y) for y in rows),
        sum(bit(size - 1, y) for y in rows),
    )
    middle = (size - 1) / 2
    cells = sorted(
        ((x, y) for x in rows for y in rows),
        key=lambda cell: (
            abs(cell[0] - middle) + abs(cell[1] - middle) + abs(sum(cell) - 2 * middle)
        ),
    )
    depths = size * size + 2
    return HexSearch(
        size,
        np.array(edges, np.uint64),
        np.array([bit(x, y) for x, y in cells], np.uint64),
        np.zeros((entries, 3), np.uint64),
        np.zeros((depths, 2), np.uint64),
        np.zeros(depths, np.uint64),
        np.zeros(depths, np.uint64),
        np.zeros(depths, np.uint64),
        np.zeros(depths, np.uint64),
        np.zeros((depths, size * size), np.uint64),
        np.zeros(depths, np.int64),
        np.zeros((4, LEVELS), np.uint64),
        np.zeros(size * size, np.int64),
        np.zeros(1, np.int64),
    )


@kernel
def is_joined(stones: np.uint64, start: np.uint64, end: np.uint64, size: int) -> bool:
    """Whether a chain of stones leads from one edge to the other."""
    return bool(_chained(stones & start, stones, size) & end)


@kernel
def solve(search: HexSearch, first: np.uint64, second: np.uint64, mover: int, nodes: int) -> int:
    """Return ``WIN`` or ``LOSS`` for who moves, or ``UNKNOWN`` after so many nodes.

    ``mover`` is 0 where the role of ``first`` moves, 1 for the other. Nobody may have won.
    """
    stop = search.nodes[0] + nodes
    search.stones[0, 0], search.stones[0, 1] = first, second
    depth = 0
    value = _enter(search, 0)
    while True:
        player = (mover + depth) & 1
        if value != UNKNOWN:  # of the position at this depth
            if depth == 0:
                return int(value)
            carrier = search.carriers[depth]
            depth -= 1
            value = _take(search, depth, value, carrier)
            continue
        if search.nodes[0] >= stop:
            return UNKNOWN
        if search.must[depth] == NONE:
            value = LOSS
            _store(search, depth, LOSS)
            continue
        move = _next_move(search, depth)
        search.tried[depth] = move
        search.stones[depth + 1, 0] = search.stones[depth, 0]
        search.stones[depth + 1, 1] = search.stones[depth, 1]
        search.stones[depth + 1, player] |= move
        stones = search.stones[depth + 1, player]
        edge = 2 * player
        if is_joined(stones, search.edges[edge], search.edges[edge + 1], search.size):
            value = _take(search, depth, LOSS, NONE)
        else:
            depth += 1
            value = _enter(search, depth)


@kernel
def _next_move(search: HexSearch, depth: int) -> np.uint64:
    """Return the likeliest of the moves that are still to be tried."""
    must, move = search.must[depth], search.killers[depth]
    index = 0
    while not must & move:
        move = search.moves[depth, index]
        index += 1
    return np.uint64(move)


@kernel
def _order_moves(search: HexSearch, depth: int, empty: np.uint64) -> None:
    """List the empty cells: those first through which the shortest chains of both roles lead."""
    first, second = search.stones[depth, 0], search.stones[depth, 1]
    for edge in range(4):
        own = first if edge < 2 else second
        _spread(search.levels[edge], own, empty, search.edges[edge], search.size)
    count, moves, scores = 0, search.moves[depth], search.scores
    for index in range(len(search.order)):
        cell = search.order[index]
        if empty & cell:
            score = 0
            for edge in range(4):
                level = 0
                while level < LEVELS and not search.levels[edge, level] & cell:
                    level += 1
                score += level
            at = count
            while at > 0 and scores[at - 1] > score:
                scores[at], moves[at] = scores[at - 1], moves[at - 1]
                at -= 1
            scores[at], moves[at] = score, cell
            count += 1
    search.counts[depth] = count


@kernel
def _spread(levels: Words, own: np.uint64, empty: np.uint64, edge: np.uint64, size: int) -> None:
    """Find the empty cells by how many of them join them to an edge, with the stones of a role.

    ``levels`` uint64 (levels,): those that need 1, 2 and so on, themselves included.
    """
    seen = NONE
    front = edge & empty
    chain = _chained(edge & own, own, size)
    for level in range(LEVELS):
        front = (front | _near(chain, size)) & empty & ~seen
        levels[level] = front
        seen |= front
        near = _near(front, size)
        chain = _chained(near & own, own, size)
        front = near


@kernel
def _chained(chain: np.uint64, own: np.uint64, size: int) -> np.uint64:
    """Return the stones that chains of touching ones join to some of them."""
    while True:
        larger = chain | (_near(chain, size) & own)
        if larger == chain:
            return chain
        chain = larger


@kernel
def _near(cells: np.uint64, size: int) -> np.uint64:
    """Return the cells that touch some cells, and others beside the board.

    Cell (x, y) touches (x + 1, y), (x, y + 1), (x + 1, y - 1) and those opposite.
    """
    row, slant = np.uint64(size + 1), np.uint64(size)
    near = (cells << ONE) | (cells >> ONE) | (cells << row) | (cells >> row)
    return near | (cells << slant) | (cells >> slant)


@kernel
def _take(search: HexSearch, depth: int, value: int, carrier: np.uint64) -> int:
    """Take into account what the move under way has led to, for who moves after it.

    Returns the value of the position, if it is known now.
    """
    move = search.tried[depth]
    if value == LOSS:
        search.carriers[depth] = carrier | move
        search.killers[depth] = move
        _store(search, depth, WIN)
        return WIN
    search.carriers[depth] |= carrier
    search.must[depth] &= carrier & ~move
    return UNKNOWN


@kernel
def _enter(search: HexSearch, depth: int) -> int:
    """Begin a position that nobody has won; return its value if the table has it."""
    search.nodes[0] += 1
    first, second = search.stones[depth, 0], search.stones[depth, 1]
    slot = _slot(search.table, first, second)
    if search.table[slot, 0] == first and search.table[slot, 1] == second and (first | second):
        entry = search.table[slot, 2]
        search.carriers[depth] = entry & ~VALUE_BIT
        return WIN if entry & VALUE_BIT else LOSS
    board = NONE
    for index in range(len(search.order)):
        board |= search.order[index]
    search.must[depth] = board & ~(first | second)
    _order_moves(search, depth, search.must[depth])
    search.carriers[depth] = NONE
    return UNKNOWN


@kernel
def _slot(table: Words, first: np.uint64, second: np.uint64) -> int:
    mixed = (first * HASH_FIRST) ^ (second * HASH_SECOND)
    mixed ^= mixed >> np.uint64(29)
    return int((mixed * HASH_FIRST >> np.uint64(32)) & np.uint64(len(table) - 1))


@kernel
def _store(search: HexSearch, depth: int, value: int) -> None:
    """Keep the value of a position, and its carrier."""
    first, second = search.stones[depth, 0], search.stones[depth, 1]
    slot = _slot(search.table, first, second)
    search.table[slot, 0], search.table[slot, 1] = first, second
    entry = search.carriers[depth]
    search.table[slot, 2] = entry | VALUE_BIT if value == WIN else entry
