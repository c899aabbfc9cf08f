"""A block of a compiled machine, as the kernels see it, and states made canonical."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gdl import State
from gdl.engine import PropnetStateMachine, SymmetryGroup, as_words, packed_state, trivial_group
from gdl.engine.kernel_library import BlockView, make_canonical
from ggp_player.strategies.solver.block_kernels import Words

MAX_MOVES = 2**14
"""Games in which the roles together have more moves are refused: kernels keep legal moves as bits,
and list them in arrays. Chess has half as many."""


class SolverBlock:
    """A block of a machine's engine, and the ``symmetries`` by which states are made canonical."""

    def __init__(
        self, machine: PropnetStateMachine, symmetries: SymmetryGroup | None = None
    ) -> None:
        self.machine = machine
        self._symmetries = symmetries or trivial_group(machine.engine.layout)
        self._block = machine.engine.block()
        self.move_offsets = self.arrays().move_offsets
        self.words = -(-len(self._block.fluents) // 64)

    def arrays(self) -> BlockView:
        """Return the block with the fastest evaluators that are ready by now."""
        return self._block.arrays(self._symmetries)

    def packed(self, state: State) -> Words:
        """Return a state packed: uint64 (1, words)."""
        return as_words(packed_state(self.machine, state))

    def canonical(self, state: State) -> tuple[Words, NDArray[np.int32]]:
        """Return a state's canonical state, packed, and what each move becomes: int32 (moves,)."""
        packed = self.packed(state)
        element = make_canonical(self._symmetries, packed[0], np.empty_like(packed[0]))
        return packed, self._symmetries.moves[element]


def canonical_key(
    machine: PropnetStateMachine, state: State, symmetries: SymmetryGroup | None
) -> bytes:
    """The state, packed, in place of all that symmetries make of it."""
    packed = as_words(packed_state(machine, state))[0].copy()
    if symmetries is not None:
        make_canonical(symmetries, packed, np.zeros_like(packed))
    return bytes(packed.tobytes())
