"""A compiled machine as the kernels take it: arrays, and addresses in arrays."""

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
from ggp_player.strategies.solver.lane_kernels import Rows, Words

MAX_MOVES = 4096
"""With more moves that can ever be made, a game is far too large, and lists of moves are too."""


class LaneRows:
    """A block of its own in the engine of a machine; ``images`` as in :class:`Rows`, or none."""

    def __init__(self, machine: PropnetStateMachine, images: SymmetryGroup | None = None) -> None:
        self.machine = machine
        self._images = images or trivial_group(machine.engine.layout)
        self._engine = machine.engine
        self._block = self._engine.block()
        layout = self._engine.layout
        # In the order of the places that the kernels' module names.
        self._first = np.array(
            [
                layout.fluents,
                layout.moves,
                layout.legal,
                layout.goals,
                layout.next,
                layout.terminal,
            ]
        )
        self.move_ends = np.cumsum([0, *layout.move_counts])
        self.words = -(-layout.fluent_count // 64)

    def rows(self) -> Rows:
        """Return the block with the evaluators that are the fastest by now."""
        code = self._engine.addresses()
        return Rows(
            self._block.rows,
            code[[VIEW, VIEW_PROGRAM]],
            code[[TRANSITION, TRANSITION_PROGRAM]],
            self._first,
            self.move_ends,
            self._engine.goal_table,
            self._images,
        )

    def packed(self, state: State) -> Words:
        """Return a state packed: uint64 (1, words)."""
        return as_words(packed_state(self.machine, state))

    def least(self, state: State) -> tuple[Words, NDArray[np.int32]]:
        """Return the least image of a state, packed, and what each move becomes: int32 (moves,)."""
        packed = self.packed(state)
        element = make_canonical(self._images, packed[0], np.empty_like(packed[0]))
        return packed, self._images.moves[element]
