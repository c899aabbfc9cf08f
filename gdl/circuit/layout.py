"""Layout: which row of a block holds what, and the gates as arrays.

A block is a ``uint64`` array of shape (rows, words): bit ``i % 64`` of word ``i // 64`` of each row
belongs to lane ``i``. Row 0 is always zero, so that a literal of rows (twice the row, plus one
where negated) can also be the constants false, 0, and true, 1.

::

    0            false
    fluents      what is true in the state
    moves        what each role does, role after role, in the order of its legal rows
    gates        those for legal moves and the end, for goals, for the transition
    legal        for each move row, whether the move is legal
    terminal     one row
    goals        one row for each role and goal value
    percepts     one row for each role and percept
    next         for each fluent row, whether it is true in the next state

A gate that is an output has no row but the output's; other outputs are copied to theirs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from gdl.circuit.aig import TRUE, AndInverterGraph, Cycle
from gdl.circuit.native.kernels import order_depth_first


@dataclass(frozen=True, slots=True)
class GateProgram:
    """Gates in the order of their evaluation.

    ``gates``: int32 (n, 3): the row that is written, and the two literals of which it is the
    conjunction. ``segments``: int64 (k, 4): first and last (exclusive) gate, first and last
    (exclusive) feedback; a segment with feedback is repeated until no feedback row changes.
    ``feedback``: int32 (m, 2): the row that is read early, and the literal that defines it.
    """

    gates: NDArray[np.int32]
    segments: NDArray[np.int64]
    feedback: NDArray[np.int32]

    @property
    def and_count(self) -> int:
        """The number of gates, without those that only copy a row."""
        return int(np.count_nonzero(self.gates[:, 2] != TRUE))

    @property
    def cycle_count(self) -> int:
        """The number of segments that are repeated."""
        return int(np.count_nonzero(self.segments[:, 3] > self.segments[:, 2]))


@dataclass(frozen=True, slots=True)
class Layout:
    """The first row of each kind in a block, and the programs that evaluate the rows.

    ``move_counts`` is the number of move rows of each role. ``view`` computes legal, terminal
    and goal rows from the fluents; ``transition`` the percepts and next rows from the moves and
    what the view has computed. ``moves_view``, with which the view begins, computes legal and
    terminal rows and all that the transition reads; it is enough for a step whose goals nobody
    needs. ``goals_view`` is the rest of the view, to be evaluated after it on the same rows.
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
    moves_view: GateProgram
    view: GateProgram
    transition: GateProgram

    @property
    def gate_count(self) -> int:
        """The number of gates of the view and of the transition."""
        return len(self.view.gates) + len(self.transition.gates)

    @property
    def outputs(self) -> range:
        """The rows that are read from outside: legal to next."""
        return range(self.legal, self.rows)

    @property
    def goals_view(self) -> GateProgram:
        """What the view computes after ``moves_view``."""
        gates, feedback = len(self.moves_view.gates), len(self.moves_view.feedback)
        rest = self.view.segments[len(self.moves_view.segments) :]
        return GateProgram(
            self.view.gates[gates:],
            rest - np.array([gates, gates, feedback, feedback]),
            self.view.feedback[feedback:],
        )

    @property
    def goals_are_expensive(self) -> bool:
        """Whether playouts should defer the evaluation of goals.

        Keeping the last states costs some four operations for each fluent in most steps, and
        sometimes the gates for moves once more. The bound was measured on games of 100 to 250,000
        gates.
        """
        of_moves, of_goals = self.moves_view.and_count, self.goals_view.and_count
        return of_goals > 4 * self.fluent_count + of_moves


@dataclass(frozen=True, slots=True)
class Outputs:
    """The literals that a block is evaluated for."""

    legal: Sequence[int]
    terminal: int
    goals: Sequence[int]
    percepts: Sequence[int]
    next: Sequence[int]

    def all(self) -> list[int]:
        """List all literals."""
        return [*self.legal, self.terminal, *self.goals, *self.percepts, *self.next]

    def replaced(self, literals: Sequence[int]) -> Outputs:
        """Replace all literals, which come in the order of :meth:`all`."""
        rest = iter(literals)
        return Outputs(
            legal=list(islice(rest, len(self.legal))),
            terminal=next(rest),
            goals=list(islice(rest, len(self.goals))),
            percepts=list(islice(rest, len(self.percepts))),
            next=list(rest),
        )


@dataclass(frozen=True, slots=True)
class _Stage:
    """The nodes that are computed together, and the literals of some outputs.

    ``runs`` are the nodes in their order, int64 (n,) each, with the cycle that a run is repeated
    for. ``outputs`` is int64 (m,); ``first`` is the index of the first of them among all.
    """

    runs: Sequence[tuple[NDArray[np.int64], Cycle | None]]
    outputs: NDArray[np.int64]
    first: int

    @property
    def nodes(self) -> NDArray[np.int64]:
        """All nodes, in their order: int64 (n,)."""
        return np.concatenate([nodes for nodes, _ in self.runs])


def lay_out(
    graph: AndInverterGraph, fluent_count: int, move_counts: Sequence[int], outputs: Outputs
) -> Layout:
    """Give a row to every output, and to every node that an output depends on."""
    stages = _stages(graph, outputs)
    output_of = np.full(len(graph), -1)
    for stage in stages:
        _assign_outputs(graph, stage, output_of)
    computed = np.concatenate([np.arange(1 + graph.inputs), *(stage.nodes for stage in stages)])
    with_own_row = computed[output_of[computed] < 0]
    legal = len(with_own_row)
    row_of = legal + output_of
    row_of[with_own_row] = np.arange(legal)
    terminal = legal + len(outputs.legal)
    goals = terminal + 1
    percepts = goals + len(outputs.goals)
    following = percepts + len(outputs.percepts)
    moves_view, view = _programs(graph, stages[:2], row_of, legal)
    (transition,) = _programs(graph, stages[2:], row_of, legal)
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
        moves_view=moves_view,
        view=view,
        transition=transition,
    )


def _stages(graph: AndInverterGraph, outputs: Outputs) -> tuple[_Stage, _Stage, _Stage]:
    """Divide the nodes: for legal moves and the end, for goals, and for the transition.

    What both goals and the transition need is in the first stage.
    """
    moves = [*outputs.legal, outputs.terminal]
    later = [*outputs.percepts, *outputs.next]
    of_moves, of_goals, of_later = (
        _computed(graph, literals) for literals in (moves, outputs.goals, later)
    )
    first = of_moves | (of_goals & of_later)
    depth_first = DepthFirst(graph)
    return (
        _stage(graph, depth_first, first, moves, 0),
        _stage(graph, depth_first, of_goals & ~first, outputs.goals, len(moves)),
        _stage(graph, depth_first, of_later & ~first, later, len(moves) + len(outputs.goals)),
    )


def _stage(
    graph: AndInverterGraph,
    depth_first: DepthFirst,
    is_in: NDArray[np.bool_],
    outputs: Sequence[int],
    first: int,
) -> _Stage:
    # Gates made within a cycle can have users elsewhere; the cycle itself is then not repeated.
    cycle_of = np.full(len(graph), -1)
    for index, cycle in enumerate(graph.cycles):
        if is_in[cycle.feedback[0][0]]:
            cycle_of[cycle.first : cycle.last] = index
    literals = np.array(outputs, dtype=np.int64)
    nodes = np.flatnonzero(is_in)
    begins = np.flatnonzero(np.diff(cycle_of[nodes], prepend=-2))
    runs = []
    for run, roots in zip(
        np.split(nodes, begins[1:]), _roots_by_run(nodes, begins, literals >> 1), strict=True
    ):
        number = int(cycle_of[run[0]]) if len(run) else -1
        repeated = graph.cycles[number] if number >= 0 else None
        runs.append((depth_first.order(run, roots), repeated))
    return _Stage(runs, literals, first)


def _roots_by_run(
    nodes: NDArray[np.int64], begins: NDArray[np.int64], outputs: NDArray[np.int64]
) -> list[list[int]]:
    """The nodes of each run that are outputs, in the order of the outputs.

    ``nodes`` rise, and their runs begin at the indices ``begins``.
    """
    roots = outputs[np.isin(outputs, nodes)]
    run = np.searchsorted(begins, np.searchsorted(nodes, roots), side="right")
    order = np.argsort(run, kind="stable")
    ends = np.searchsorted(run[order], np.arange(1, len(begins)), side="right")
    return [own.tolist() for own in np.split(roots[order], ends)]


class DepthFirst:
    """Orders nodes so that each comes soon before the first that reads it, still in a cache."""

    def __init__(self, graph: AndInverterGraph) -> None:
        self._graph = graph
        self._waiting = np.zeros(len(graph), dtype=np.uint8)

    def order(self, nodes: NDArray[np.int64], first: Sequence[int]) -> NDArray[np.int64]:
        """Order nodes, which rise; those that the ``first`` of them read come to begin with."""
        self._waiting[nodes] = 1
        found = np.empty(len(nodes), dtype=np.int64)
        roots = np.concatenate([np.array(first, dtype=np.int64), nodes[::-1]])
        order_depth_first(self._graph.left, self._graph.right, self._waiting, roots, found)
        return found


def _computed(graph: AndInverterGraph, literals: Sequence[int]) -> NDArray[np.bool_]:
    """Mark the nodes that literals depend on, without inputs: bool (nodes,)."""
    found = np.zeros(len(graph), dtype=np.bool_)
    found[graph.cone(literals)] = True
    found[: 1 + graph.inputs] = False
    return found


def _assign_outputs(graph: AndInverterGraph, stage: _Stage, output_of: NDArray[np.int64]) -> None:
    """Write to ``output_of`` of each gate the first output that it is, among all outputs."""
    is_gate = np.zeros(len(graph), dtype=np.bool_)
    is_gate[stage.nodes] = True
    is_gate[_early_nodes(graph)] = False
    nodes = stage.outputs >> 1
    written = np.flatnonzero((stage.outputs & 1 == 0) & is_gate[nodes])
    output_of[nodes[written[::-1]]] = stage.first + written[::-1]


def _early_nodes(graph: AndInverterGraph) -> list[int]:
    return [node for cycle in graph.cycles for node, _ in cycle.feedback]


class ProgramWriter:
    """Writes gates, and makes segments of those of a cycle; ``row_of`` has a row for each node."""

    def __init__(self, graph: AndInverterGraph, row_of: NDArray[np.int64]) -> None:
        self._graph = graph
        self._row_of = row_of
        self._gates = [np.zeros((0, 3), dtype=np.int32)]
        self._count = 0
        self._segments: list[tuple[int, int, int, int]] = []
        self._feedback: list[tuple[int, int]] = []

    def write(self, nodes: NDArray[np.int64]) -> None:
        """Write the gates of some nodes."""
        left, right = self._graph.left[nodes], self._graph.right[nodes]
        self._write(self._row_of[nodes], self._literals(left), self._literals(right))

    def copy(self, literals: NDArray[np.int64], rows: NDArray[np.int64]) -> None:
        """Copy the values of literals to rows."""
        self._write(rows, self._literals(literals), np.full(len(rows), TRUE))

    def _write(self, *columns: NDArray[np.int64]) -> None:
        self._gates.append(np.stack(columns, axis=1).astype(np.int32))
        self._count += len(columns[0])

    def _literals(self, of: NDArray[np.int64]) -> NDArray[np.int64]:
        """Translate literals of nodes to those of rows."""
        rows: NDArray[np.int64] = 2 * self._row_of[of >> 1] + (of & 1)
        return rows

    def close(self, cycle: Cycle | None) -> None:
        """End a segment, to be repeated where its gates are a cycle's."""
        start = self._segments[-1][1] if self._segments else 0
        first = len(self._feedback)
        if cycle:
            nodes, definitions = np.array(cycle.feedback, dtype=np.int64).T
            rows = zip(self._row_of[nodes], self._literals(definitions), strict=True)
            self._feedback += rows
        if self._count > start or len(self._feedback) > first:
            self._segments.append((start, self._count, first, len(self._feedback)))

    def program(self) -> GateProgram:
        """The gates written so far."""
        self._gates = [np.concatenate(self._gates)]
        return GateProgram(
            self._gates[0],
            np.array(self._segments, dtype=np.int64).reshape(-1, 4),
            np.array(self._feedback, dtype=np.int32).reshape(-1, 2),
        )


def _programs(
    graph: AndInverterGraph,
    stages: Sequence[_Stage],
    row_of: NDArray[np.int64],
    first_output: int,
) -> list[GateProgram]:
    """Write a program for each stage, which computes those before it too."""
    writer = ProgramWriter(graph, row_of)
    programs = []
    for stage in stages:
        _write_gates(graph, stage, writer)
        rows = first_output + stage.first + np.arange(len(stage.outputs))
        is_copy = (stage.outputs & 1 == 1) | (row_of[stage.outputs >> 1] != rows)
        writer.copy(stage.outputs[is_copy], rows[is_copy])
        writer.close(None)
        programs.append(writer.program())
    return programs


def _write_gates(graph: AndInverterGraph, stage: _Stage, writer: ProgramWriter) -> None:
    is_early = np.zeros(len(graph), dtype=np.bool_)
    is_early[_early_nodes(graph)] = True
    for nodes, cycle in stage.runs:
        writer.write(nodes[~is_early[nodes]])
        writer.close(cycle)
