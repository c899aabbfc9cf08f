"""How kernels see a block: one record of arrays, row numbers and addresses.

A :class:`BlockView` is what kernels written in Python take; :meth:`gdl.engine.block.Block.arrays`
makes one, and playouts are run on it too. ``R`` is the number of roles, ``W`` the words of a row.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gdl.array_kernels import kernel
from gdl.engine.bits import Words, write_lanes
from gdl.engine.calls import (
    SELECT,
    TRANSITION,
    TRANSITION_PROGRAM,
    VIEW,
    VIEW_PROGRAM,
    call_evaluator,
    call_select,
    copy_memory,
)
from gdl.engine.canonical_state import SymmetryGroup


class BlockView(NamedTuple):
    """A block, what stands in which of its rows, and what evaluates it.

    ``rows`` uint64 (rows, W). ``scratch`` and ``random`` are those of the choice of moves.
    ``addresses`` int64: see :meth:`gdl.engine.block.Engine.addresses`; to be written again when
    native code takes over. The row numbers and counts are those of :mod:`gdl.circuit.layout`.
    ``move_offsets`` int64 (R + 1,): each role's first move among all moves, and their number.
    ``goal_table`` int64 (goal rows, 2): role and value of each. ``deferred_goals``: whether goals
    had better be evaluated only where they are needed. ``symmetries``: the group by which states
    are made canonical.
    """

    rows: Words
    scratch: Words
    random: Words
    addresses: NDArray[np.int64]
    fluents: int
    fluent_count: int
    moves: int
    legal: int
    terminal: int
    goals: int
    next: int
    move_offsets: NDArray[np.int64]
    goal_table: NDArray[np.int64]
    deferred_goals: bool
    symmetries: SymmetryGroup


@kernel
def load_states(block: BlockView, states: Words, chosen: NDArray[np.int64]) -> None:
    """Load packed states into the first lanes.

    ``states`` uint64 (any, S); ``chosen`` int64 (lanes used,): the state of each lane, by its
    index. In the other lanes, up to the next multiple of 64, all fluents become false.
    """
    write_lanes(block.rows, block.fluents, block.fluent_count, states, chosen)


@kernel
def evaluate_view(block: BlockView) -> None:
    """Evaluate everything that depends on the states alone."""
    call_evaluator(block.addresses[VIEW], block.rows.ctypes.data, block.addresses[VIEW_PROGRAM])


@kernel
def evaluate_transition(block: BlockView) -> None:
    """Evaluate what the moves in the rows lead to; view first."""
    code = block.addresses
    call_evaluator(code[TRANSITION], block.rows.ctypes.data, code[TRANSITION_PROGRAM])


@kernel
def advance(block: BlockView) -> None:
    """Replace the states by those after the transition."""
    row_size = 8 * block.rows.shape[1]
    rows = block.rows.ctypes.data
    target, origin = rows + row_size * block.fluents, rows + row_size * block.next
    copy_memory(target, origin, row_size * block.fluent_count)


@kernel
def choose_moves(block: BlockView, role: int) -> None:
    """Choose one of a role's legal moves in every lane, uniformly; view first."""
    row_size = 8 * block.rows.shape[1]
    rows, first = block.rows.ctypes.data, block.move_offsets[role]
    call_select(
        block.addresses[SELECT],
        rows + row_size * (block.legal + first),
        rows + row_size * (block.moves + first),
        block.move_offsets[role + 1] - first,
        block.scratch.ctypes.data,
        block.random.ctypes.data,
    )
