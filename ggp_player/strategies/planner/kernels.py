"""Kernels of the relaxed reachability. They take arrays and addresses only."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gdl.engine.kernel_library import allocating_kernel, call_evaluator


class Rails(NamedTuple):
    """A block of doubled rows, and what evaluates it.

    ``block`` uint64 (2 * rows, words): first the rows that may be true, then those that must be.
    ``code`` int64 (3,): the addresses of the interpreter, and of the doubled programs of view and
    transition. ``places`` int64 (7,): the first rows of fluents, moves, legal and next; the numbers
    of fluents, of moves, and of rows.
    """

    block: NDArray[np.uint64]
    code: NDArray[np.int64]
    places: NDArray[np.int64]


FLUENTS, MOVES, LEGAL, NEXT, FLUENT_COUNT, MOVE_COUNT, ROWS = range(7)
"""Places in ``Rails.places``."""


@allocating_kernel
def relax(rails: Rails, asked: NDArray[np.int64], lacking: NDArray[np.uint8], most: int) -> int:
    """Let steps be made in every possible way, ``most`` at most, from the states in the rails.

    ``asked`` int64 (k,): literals of rows. ``lacking`` uint8 (k, lanes) is raised by one for every
    step before which the literal is impossible in the lane. Returns the number of steps looked at,
    negative where the last one makes no difference any more.
    """
    block, code = rails.block, rails.code
    for step in range(1, most + 1):
        call_evaluator(code[0], block.ctypes.data, code[1])
        if not _count_lacking(rails, asked, lacking):
            return step
        _make_all_moves(rails)
        call_evaluator(code[0], block.ctypes.data, code[2])
        if not _advance(rails):
            return -step
    return most


@allocating_kernel
def _count_lacking(rails: Rails, asked: NDArray[np.int64], lacking: NDArray[np.uint8]) -> bool:
    block, rows = rails.block, rails.places[ROWS]
    some = False
    one = np.uint64(1)
    for k in range(len(asked)):
        row = asked[k] >> 1
        for word in range(block.shape[1]):
            absent = block[rows + row, word] if asked[k] & 1 else ~block[row, word]
            if absent:
                some = True
                for lane in range(64):
                    lacking[k, 64 * word + lane] += np.uint8((absent >> np.uint64(lane)) & one)
    return some


@allocating_kernel
def _make_all_moves(rails: Rails) -> None:
    """Every legal move may be made, none must be."""
    block, places = rails.block, rails.places
    moves, legal = places[MOVES], places[LEGAL]
    count, rows = places[MOVE_COUNT], places[ROWS]
    block[moves : moves + count] = block[legal : legal + count]
    block[rows + moves : rows + moves + count] = 0


@allocating_kernel
def _advance(rails: Rails) -> bool:
    """Add what may be true next, and drop what need not be; tell whether that is a change."""
    block, places = rails.block, rails.places
    fluents, following = places[FLUENTS], places[NEXT]
    count, rows = places[FLUENT_COUNT], places[ROWS]
    changed = np.uint64(0)
    for i in range(count):
        for word in range(block.shape[1]):
            may = block[fluents + i, word] | block[following + i, word]
            must = block[rows + fluents + i, word] & block[rows + following + i, word]
            changed |= may ^ block[fluents + i, word]
            changed |= must ^ block[rows + fluents + i, word]
            block[fluents + i, word] = may
            block[rows + fluents + i, word] = must
    return bool(changed != 0)


@allocating_kernel
def sum_up(costs: NDArray[np.int32], gates: NDArray[np.int64], first: int, never: int) -> None:
    """Add the costs of gates to those of the literals before them.

    ``costs`` int32 (literals, lanes); ``gates`` int64 (n, 2): the parts of each conjunction, by
    their literals. The first gate's literals are ``first`` and, negated, ``first + 1``.
    """
    for gate in range(len(gates)):
        left, right = gates[gate]
        here = first + 2 * gate
        for lane in range(costs.shape[1]):
            together = costs[left, lane] + costs[right, lane]
            costs[here, lane] = min(together, never)
            costs[here + 1, lane] = min(costs[left ^ 1, lane], costs[right ^ 1, lane])
