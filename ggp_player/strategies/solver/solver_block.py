"""A block of a compiled machine, in the form that the kernels take: arrays and addresses."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gdl import State
from gdl.engine import PropnetStateMachine, SymmetryGroup, as_words, packed_state, trivial_group
from gdl.engine.kernel_library import (
    TRANSITION,
    TRANSITION_PROGRAM,
    VIEW,
    VIEW_PROGRAM,
    make_canonical,
)
from ggp_player.strategies.solver.block_kernels import BlockRows, Words

MAX_MOVES = 4096
"""Games in which the roles together have more moves are refused: kernels list moves in arrays."""


class SolverBlock:
    """A block of a machine's engine, and the ``symmetries`` by which states are made canonical."""

    def __init__(
        self, machine: PropnetStateMachine, symmetries: SymmetryGroup | None = None
    ) -> None:
        self.machine = machine
        self._symmetries = symmetries or trivial_group(machine.engine.layout)
        self._engine = machine.engine
        self._block = self._engine.block()
        self._layout = machine.engine.layout
        self.move_ends = np.cumsum([0, *self._layout.move_counts])
        self.words = -(-self._layout.fluent_count // 64)

    def rows(self) -> BlockRows:
        """Return the block with the fastest evaluators that are ready by now."""
        code, layout = self._engine.addresses(), self._layout
        return BlockRows(
            self._block.rows,
            code[[VIEW, VIEW_PROGRAM]],
            code[[TRANSITION, TRANSITION_PROGRAM]],
            layout.fluents,
            layout.moves,
            layout.legal,
            layout.goals,
            layout.next,
            layout.terminal,
            layout.fluent_count,
            self.move_ends,
            self._engine.goal_table,
            self._symmetries,
        )

    def packed(self, state: State) -> Words:
        """Return a state packed: uint64 (1, words)."""
        return as_words(packed_state(self.machine, state))

    def canonical(self, state: State) -> tuple[Words, NDArray[np.int32]]:
        """Return a state's canonical state, packed, and what each move becomes: int32 (moves,)."""
        packed = self.packed(state)
        element = make_canonical(self._symmetries, packed[0], np.empty_like(packed[0]))
        return packed, self._symmetries.moves[element]
