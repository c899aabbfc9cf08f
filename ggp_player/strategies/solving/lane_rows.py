"""A compiled machine as the kernels take it: arrays, and addresses in arrays."""

from __future__ import annotations

from typing import TypeGuard

import numpy as np

from gdl import State, StateMachine
from gdl.propnet.expansion import packed_state
from gdl.propnet.machine import PropnetStateMachine
from ggp_player.strategies.solving.lane_kernels import Rows, Words


class LaneRows:
    """A block of its own in the engine of a machine."""

    def __init__(self, machine: PropnetStateMachine) -> None:
        self.machine = machine
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
        self.words = max(1, -(-layout.fluent_count // 64))

    def rows(self) -> Rows:
        """Return the block with the evaluators that are the fastest by now."""
        engine = self._engine
        view, transition = engine.view, engine.transition
        return Rows(
            self._block.rows,
            np.array([view.function, view.program]),
            np.array([transition.function, transition.program]),
            self._first,
            self.move_ends,
            engine.goal_table,
        )

    def packed(self, state: State) -> Words:
        """Return a state packed: uint64 (words,)."""
        packed = packed_state(self.machine, state)[0]
        padded = np.zeros(8 * self.words, dtype=np.uint8)
        padded[: len(packed)] = packed
        return padded.view("<u8").astype(np.uint64)


def is_compiled(machine: StateMachine) -> TypeGuard[PropnetStateMachine]:
    """Tell whether a machine has an engine that evaluates blocks of states."""
    return isinstance(machine, PropnetStateMachine)
