"""Layout: which row of a block holds what, and the gates as arrays.

A block is a ``uint64`` array of shape (rows, words): bit ``i % 64`` of word ``i // 64`` of each row
belongs to lane ``i``. Row 0 is always zero, so that a literal of rows (twice the row, plus one
where negated) can also be the constants false, 0, and true, 1.

::

    0            false
    fluents      what is true in the state
    moves        what each role does, role after role, in the order of its legal rows
    gates        first those of the view, then those that only the transition needs
    legal        for each move row, whether the move is legal
    terminal     one row
    goals        one row for each role and goal value
    percepts     one row for each role and percept
    next         for each fluent row, whether it is true in the next state
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gdl.propnet.network import TRUE, Network


@dataclass(frozen=True, slots=True)
class GateProgram:
    """What is to be evaluated, in order.

    ``gates``: int32 (n, 3): the row that is written, and the two literals of which it is the
    conjunction. ``segments``: int64 (k, 4): first and last (exclusive) gate, first and last
    (exclusive) feedback; a segment with feedback is repeated until no feedback row changes.
    ``feedback``: int32 (m, 2): the row that is read early, and the literal that defines it.
    """

    gates: NDArray[np.int32]
    segments: NDArray[np.int64]
    feedback: NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Layout:
    """The rows of a block, by their first, and what evaluates them.

    ``move_counts`` is the number of move rows of each role. ``view`` computes legal, terminal
    and goal rows from the fluents; ``transition`` the percepts and next rows from all before.
    """

    rows: int
    fluents: int
    fluent_count: int
    moves: int
    move_counts: tuple[int, ...]
    legal: int
    terminal: int
    goals: int
    goal_count: int
    percepts: int
    percept_count: int
    next: int
    view: GateProgram
    transition: GateProgram


@dataclass(frozen=True, slots=True)
class Outputs:
    """The literals that a block is evaluated for."""

    legal: Sequence[int]
    terminal: int
    goals: Sequence[int]
    percepts: Sequence[int]
    next: Sequence[int]


def lay_out(
    network: Network, fluent_count: int, move_counts: Sequence[int], outputs: Outputs
) -> Layout:
    """Give every node and output that matters a row."""
    view_outputs = [*outputs.legal, outputs.terminal, *outputs.goals]
    later_outputs = [*outputs.percepts, *outputs.next]
    view_nodes = set(network.cone(view_outputs))
    later_nodes = set(network.cone(later_outputs)) - view_nodes
    row_of = {node: node for node in range(1 + network.inputs)}
    for nodes in (view_nodes, later_nodes):
        for node in sorted(nodes):
            if node not in row_of:
                row_of[node] = len(row_of)
    first_output = len(row_of)
    legal = first_output
    terminal = legal + len(outputs.legal)
    goals = terminal + 1
    percepts = goals + len(outputs.goals)
    following = percepts + len(outputs.percepts)
    return Layout(
        rows=following + len(outputs.next),
        fluents=1,
        fluent_count=fluent_count,
        moves=1 + fluent_count,
        move_counts=tuple(move_counts),
        legal=legal,
        terminal=terminal,
        goals=goals,
        goal_count=len(outputs.goals),
        percepts=percepts,
        percept_count=len(outputs.percepts),
        next=following,
        view=_program(network, view_nodes, row_of, legal, view_outputs),
        transition=_program(network, later_nodes, row_of, percepts, later_outputs),
    )


def _program(
    network: Network,
    nodes: Set[int],
    row_of: dict[int, int],
    first_output: int,
    outputs: Sequence[int],
) -> GateProgram:
    def literal(of: int) -> int:
        return 2 * row_of[of >> 1] + (of & 1)

    gates: list[tuple[int, int, int]] = []
    segments: list[tuple[int, int, int, int]] = []
    feedback: list[tuple[int, int]] = []
    early = {node for cycle in network.cycles for node, _ in cycle.feedback}
    # Gates made within a cycle can have users elsewhere; the cycle itself is then not repeated.
    inside = {
        node: cycle
        for cycle in network.cycles
        if cycle.feedback[0][0] in nodes
        for node in range(cycle.first, cycle.last)
    }
    current = None
    start = 0
    for node in [*sorted(nodes), None]:
        cycle = inside.get(node) if node is not None else None
        if cycle is not current or node is None:
            first_feedback = len(feedback)
            if current is not None:
                feedback += [
                    (row_of[early_node], literal(definition))
                    for early_node, definition in current.feedback
                ]
            if len(gates) > start or len(feedback) > first_feedback:
                segments.append((start, len(gates), first_feedback, len(feedback)))
            start = len(gates)
            current = cycle
        if node is not None and node > network.inputs and node not in early:
            gates.append((row_of[node], literal(network.left[node]), literal(network.right[node])))
    start = len(gates)
    for number, output in enumerate(outputs):
        gates.append((first_output + number, literal(output), TRUE))
    if len(gates) > start:
        segments.append((start, len(gates), len(feedback), len(feedback)))
    return GateProgram(
        np.array(gates, dtype=np.int32).reshape(-1, 3),
        np.array(segments, dtype=np.int64).reshape(-1, 4),
        np.array(feedback, dtype=np.int32).reshape(-1, 2),
    )
