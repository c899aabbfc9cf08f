"""The graph of a game's view, read back from its layout, for circuits to be added to it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from gdl.circuit.aig import FALSE, AndInverterGraph
from gdl.circuit.arrays import Integers, Mask
from gdl.circuit.layout import GateProgram, Layout
from gdl.circuit.winning_moves.cone_copies import ConeCopier, arrays_of_program

UNDEFINED = -1


class ViewGraph:
    """What the view of a layout computes, as a graph whose first inputs are the fluents.

    It has legal moves, the end, the ``goal_rows`` asked for and what the transition reads of the
    view. ``literal_of``, int64 (rows,), is the literal of each of these rows, and of the inputs;
    :data:`UNDEFINED` elsewhere.

    Gates within cycles are not read back. What depends on them is an input of its own where
    ``moves_view`` leaves it in a row to be read, and undefined elsewhere.
    """

    def __init__(self, layout: Layout, goal_rows: Sequence[int]) -> None:
        self.layout = layout
        self.left_rows = _rows_left_by_moves_view(layout)
        is_opaque = self._depends_on_cycles()
        opaque = self.left_rows[is_opaque[self.left_rows]]
        self._input_rows = np.concatenate([layout.fluents + np.arange(layout.fluent_count), opaque])
        self.graph = AndInverterGraph(len(self._input_rows))
        self.literal_of = np.full(layout.rows, UNDEFINED)
        self.literal_of[0] = FALSE
        self.literal_of[self._input_rows] = 2 * (1 + np.arange(len(self._input_rows)))
        gates = arrays_of_program(layout.view, layout.rows)
        acyclic = replace(gates, order=gates.order[~is_opaque[gates.order]])
        roots = np.array([*self.left_rows.tolist(), *goal_rows])
        cone = ConeCopier(acyclic, roots)
        leaves = self.literal_of[cone.leaves, None]
        self.literal_of[roots] = cone.copies(self.graph, leaves, lambda unchanged: unchanged)[:, 0]

    def literal(self, row: int) -> int:
        """Return the literal of a row, or :data:`UNDEFINED`."""
        return int(self.literal_of[row])

    def row_of_nodes(self) -> Integers:
        """Return a row that holds each node's value after ``moves_view``: int64 (nodes,).

        It is :data:`UNDEFINED` for nodes that have to be computed.
        """
        result = np.full(len(self.graph), UNDEFINED)
        literals = self.literal_of[self.left_rows]
        is_plain = literals & 1 == 0
        result[literals[is_plain] >> 1] = self.left_rows[is_plain]
        result[1 : 1 + len(self._input_rows)] = self._input_rows
        result[0] = 0
        return result

    def _depends_on_cycles(self) -> Mask:
        """Mark the rows that depend on a cycle: bool (rows,)."""
        marks = rows_in_cycles(self.layout.view, self.layout.rows)
        if marks.any():
            is_opaque = bytearray(marks)
            for row, left, right in (self.layout.view.gates >> [0, 1, 1]).tolist():
                is_opaque[row] |= is_opaque[left] | is_opaque[right]
            marks = np.frombuffer(is_opaque, dtype=np.bool_)
        return marks


def rows_in_cycles(program: GateProgram, rows: int) -> Mask:
    """Mark the rows that segments with feedback write: bool (rows,)."""
    marks = np.zeros(rows, dtype=np.bool_)
    for first, last, first_feedback, last_feedback in program.segments.tolist():
        if last_feedback > first_feedback:
            marks[program.gates[first:last, 0]] = True
            marks[program.feedback[first_feedback:last_feedback, 0]] = True
    return marks


def _rows_left_by_moves_view(layout: Layout) -> Integers:
    """The rows that can be read after ``moves_view``, rising: those of native code are the fewest.

    They are the legal moves, the end and what the transition reads.
    """
    is_written = np.zeros(layout.rows, dtype=np.bool_)
    is_written[layout.moves_view.gates[:, 0]] = True
    is_written[layout.moves_view.feedback[:, 0]] = True
    is_read = np.zeros(layout.rows, dtype=np.bool_)
    is_read[layout.transition.gates[:, 1:] >> 1] = True
    is_read[layout.transition.feedback[:, 1] >> 1] = True
    is_read[layout.legal : layout.terminal + 1] = True
    return np.flatnonzero(is_written & is_read)
