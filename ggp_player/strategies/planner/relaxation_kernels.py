"""Kernels of the delete relaxation. They take arrays and addresses only."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gdl.engine.kernel_library import call_evaluator, kernel


class DualRail(NamedTuple):
    """A block in dual-rail encoding, in which every row is there twice, and what evaluates it.

    ``block`` uint64 (2 * row_count, words): first the rows that may be true, then those that must
    be. ``code`` int64 (3,): the addresses of the interpreter, and of the dual-rail programs of the
    view and the transition. ``fluents``, ``moves``, ``legal`` and ``next``: the first row of each.
    """

    block: NDArray[np.uint64]
    code: NDArray[np.int64]
    fluents: int
    moves: int
    legal: int
    next: int
    fluent_count: int
    move_count: int
    row_count: int


@kernel
def relax(
    rails: DualRail, inputs: NDArray[np.int64], unreached: NDArray[np.uint8], most: int
) -> int:
    """Make all legal moves at once, in up to ``most`` steps, from the states in the rails.

    ``inputs`` int64 (k,): literals of rows. ``unreached`` uint8 (k, lanes) is raised by one for
    every step before which the literal cannot be true in the lane. Returns the number of steps,
    negative if the last one changed nothing.
    """
    block, code = rails.block, rails.code
    for step in range(1, most + 1):
        call_evaluator(code[0], block.ctypes.data, code[1])
        if not _count_unreached(rails, inputs, unreached):
            return step
        _make_all_moves(rails)
        call_evaluator(code[0], block.ctypes.data, code[2])
        if not _advance(rails):
            return -step
    return most


@kernel
def _count_unreached(
    rails: DualRail, inputs: NDArray[np.int64], unreached: NDArray[np.uint8]
) -> bool:
    """Raise the counts of literals that cannot be true; return whether there are any."""
    block, rows = rails.block, rails.row_count
    some = False
    one = np.uint64(1)
    for k in range(len(inputs)):
        row = inputs[k] >> 1
        for word in range(block.shape[1]):
            absent = block[rows + row, word] if inputs[k] & 1 else ~block[row, word]
            if absent:
                some = True
                for lane in range(64):
                    unreached[k, 64 * word + lane] += np.uint8((absent >> np.uint64(lane)) & one)
    return some


@kernel
def _make_all_moves(rails: DualRail) -> None:
    """Let every legal move be possible, and none certain."""
    block, moves, legal = rails.block, rails.moves, rails.legal
    count, rows = rails.move_count, rails.row_count
    for move in range(count):
        for word in range(block.shape[1]):
            block[moves + move, word] = block[legal + move, word]
            block[rows + moves + move, word] = 0


@kernel
def _advance(rails: DualRail) -> bool:
    """Add the fluents that may be true next, drop those that need not; return whether any did."""
    block, fluents, following = rails.block, rails.fluents, rails.next
    count, rows = rails.fluent_count, rails.row_count
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


@kernel
def add_costs(costs: NDArray[np.int32], gates: NDArray[np.int64], first: int, most: int) -> None:
    """Compute the costs of gates from those of the literals before them (h_add).

    ``costs`` int32 (literals, lanes); ``gates`` int64 (n, 2): the two literals of each conjunction.
    The first gate's own literal is ``first``, its negation ``first + 1``.
    """
    for gate in range(len(gates)):
        left, right = gates[gate]
        here = first + 2 * gate
        for lane in range(costs.shape[1]):
            together = costs[left, lane] + costs[right, lane]
            costs[here, lane] = min(together, most)
            costs[here + 1, lane] = min(costs[left ^ 1, lane], costs[right ^ 1, lane])
