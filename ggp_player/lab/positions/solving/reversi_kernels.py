"""Reversi as bitboards: negamax with a transposition table, in a kernel.

Square (x, y), both from 0, is bit 8 y + x. ``own`` are the discs of who moves, ``other`` those of
the rival. Values are -1, 0 and 1: fewer discs than the rival in the end, as many, and more. Moves
are ordered by how few replies they leave, a reply in a corner counting twice, and a move into a
corner for more than one that leaves fewer.

Sources: G. Andersson, Writing an Othello program (2007), for the order of moves that leave few
replies first; R. Delorme, Edax (2011), for lines of discs that are followed by shifts of the board.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gdl.engine.kernel_library import kernel, population

Words = NDArray[np.uint64]

SIZE = 8
CELLS = SIZE * SIZE
DEPTHS = 2 * CELLS
"""No pass follows a pass."""

ONE, NONE = np.uint64(1), np.uint64(0)
INNER = np.uint64(0x7E7E7E7E7E7E7E7E)
"""The squares from which a step to the left or to the right stays on the board."""

CORNERS = np.uint64(0x8100000000000081)
ACROSS, UP = np.uint64(1), np.uint64(8)
SLANT, BACK_SLANT = np.uint64(9), np.uint64(7)
HASH_OWN, HASH_OTHER = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F)
HIGH = np.uint64(32)

LATE = 5
"""Empty squares up to which moves are neither ordered nor kept in the table."""

CORNER_BONUS = 4
UNKNOWN = 2
"""In place of a value: there is none yet."""


class ReversiSearch(NamedTuple):
    """The arrays of the search.

    ``table`` uint64 (power of 2, 3): the discs of who moves and of the rival, and 1 plus the least
    value, and from bit 8 on 1 plus the greatest; all 0 is empty. One row a depth: ``own`` and
    ``other`` uint64 (depths,), ``moves`` uint64 (depths, 64), of which 0 is a pass, and ``frames``
    int64 (depths, 6): the alpha of the beginning, alpha, beta, best value, number of moves, next
    move. ``scores`` int64 (64,) are those of moves that are being ordered. ``nodes`` int64 (1,):
    positions visited.
    """

    table: Words
    own: Words
    other: Words
    moves: Words
    frames: NDArray[np.int64]
    scores: NDArray[np.int64]
    nodes: NDArray[np.int64]


FLOOR, ALPHA, BETA, BEST, COUNT, NEXT = range(6)


def new_search(entries: int) -> ReversiSearch:
    """Allocate a search with a table of so many entries, a power of 2."""
    return ReversiSearch(
        np.zeros((entries, 3), np.uint64),
        np.zeros(DEPTHS, np.uint64),
        np.zeros(DEPTHS, np.uint64),
        np.zeros((DEPTHS, CELLS), np.uint64),
        np.zeros((DEPTHS, 6), np.int64),
        np.zeros(CELLS, np.int64),
        np.zeros(1, np.int64),
    )


@kernel
def placeable(own: np.uint64, other: np.uint64) -> np.uint64:
    """Return the empty squares on which a disc of one's own outflanks others."""
    inner = other & INNER
    found = _behind(own, inner, ACROSS) | _behind(own, other, UP)
    found |= _behind(own, inner, SLANT) | _behind(own, inner, BACK_SLANT)
    return found & ~(own | other)


@kernel
def _behind(own: np.uint64, through: np.uint64, step: np.uint64) -> np.uint64:
    """Return the squares behind unbroken lines that begin beside one's own discs, in two senses."""
    up, down = through & (own << step), through & (own >> step)
    for _ in range(SIZE - 3):
        up |= through & (up << step)
        down |= through & (down >> step)
    return np.uint64((up << step) | (down >> step))


@kernel
def turned(own: np.uint64, other: np.uint64, place: np.uint64) -> np.uint64:
    """Return the rival's discs that a disc on an empty square turns."""
    inner = other & INNER
    found = _between(own, inner, place, ACROSS) | _between(own, other, place, UP)
    return np.uint64(
        found | _between(own, inner, place, SLANT) | _between(own, inner, place, BACK_SLANT)
    )


@kernel
def _between(own: np.uint64, through: np.uint64, place: np.uint64, step: np.uint64) -> np.uint64:
    """Return the unbroken lines from a square to one's own discs, in two senses."""
    up, down = through & (place << step), through & (place >> step)
    for _ in range(SIZE - 3):
        up |= through & (up << step)
        down |= through & (down >> step)
    found = NONE
    if (up << step) & own:
        found |= up
    if (down >> step) & own:
        found |= down
    return found


@kernel
def solve(search: ReversiSearch, own: np.uint64, other: np.uint64, nodes: int) -> int:
    """Return the value of a position for who moves, ``UNKNOWN`` if it takes more than ``nodes``.

    Who moves may have to pass. The table keeps what was found.
    """
    stop = search.nodes[0] + nodes
    search.own[0], search.other[0] = own, other
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
        own, other = search.own[depth], search.other[depth]
        changed = turned(own, other, move)
        search.own[depth + 1] = other ^ changed
        search.other[depth + 1] = own | move | changed
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
def _enter(search: ReversiSearch, depth: int, alpha: int, beta: int) -> int:
    """Begin a position; return its value if it needs no search."""
    search.nodes[0] += 1
    own, other = search.own[depth], search.other[depth]
    places = placeable(own, other)
    if places == NONE and placeable(other, own) == NONE:
        return _outcome(own, other)
    if not _is_late(own, other):
        entry = search.table[_slot(search.table, own, other)]
        if entry[0] == own and entry[1] == other:
            low, high = _low(entry), _high(entry)
            alpha, beta = max(alpha, low), min(beta, high)
            if low == high or alpha >= beta:
                return low if low >= beta else high
    frame = search.frames[depth]
    frame[FLOOR], frame[ALPHA], frame[BETA] = alpha, alpha, beta
    frame[BEST], frame[NEXT] = -1, 0
    frame[COUNT] = _list(search, depth, places)
    return UNKNOWN


@kernel
def _outcome(own: np.uint64, other: np.uint64) -> int:
    """Return the value of a position in which neither can place a disc."""
    lead = population(own) - population(other)
    return min(max(lead, -1), 1)


@kernel
def _is_late(own: np.uint64, other: np.uint64) -> bool:
    return population(~(own | other)) <= LATE


@kernel
def _list(search: ReversiSearch, depth: int, places: np.uint64) -> int:
    """List the moves, likely good ones first, or a pass; return how many."""
    own, other, moves = search.own[depth], search.other[depth], search.moves[depth]
    if places == NONE:
        moves[0] = NONE
        return 1
    is_late, scores, count = _is_late(own, other), search.scores, 0
    while places:
        move = places & (~places + ONE)
        places ^= move
        score = 0
        if not is_late:
            changed = turned(own, other, move)
            replies = placeable(other ^ changed, own | move | changed)
            score = -population(replies) - population(replies & CORNERS)
            if move & CORNERS:
                score += CORNER_BONUS
        at = count
        while at > 0 and scores[at - 1] < score:
            scores[at], moves[at] = scores[at - 1], moves[at - 1]
            at -= 1
        scores[at], moves[at] = score, move
        count += 1
    return count


@kernel
def _slot(table: Words, own: np.uint64, other: np.uint64) -> int:
    mixed = (own * HASH_OWN) ^ (other * HASH_OTHER)
    return int((mixed ^ (mixed >> HIGH)) & np.uint64(len(table) - 1))


@kernel
def _low(entry: Words) -> int:
    return int(entry[2] & np.uint64(3)) - 1


@kernel
def _high(entry: Words) -> int:
    return int(entry[2] >> UP) - 1


@kernel
def _store(search: ReversiSearch, depth: int) -> None:
    """Keep what the search of a position has shown, with what was known before."""
    frame, own, other = search.frames[depth], search.own[depth], search.other[depth]
    if _is_late(own, other):
        return
    entry = search.table[_slot(search.table, own, other)]
    low, high = -1, 1
    if entry[0] == own and entry[1] == other:
        low, high = _low(entry), _high(entry)
    best = int(frame[BEST])
    if best > frame[FLOOR]:
        low = max(low, best)
    if best < frame[BETA]:
        high = min(high, best)
    entry[0], entry[1] = own, other
    entry[2] = np.uint64(low + 1) | (np.uint64(high + 1) << UP)
