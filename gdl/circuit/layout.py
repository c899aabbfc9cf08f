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

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from gdl.circuit.aig import TRUE, AndInverterGraph, Cycle


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
    """The rows of a block, by their first, and what evaluates them.

    ``move_counts`` is the number of move rows of each role. ``view`` computes legal, terminal
    and goal rows from the fluents; ``transition`` the percepts and next rows from the moves and
    what the view has computed. ``moves_view``, with which the view begins, computes legal and
    terminal rows and all that the transition reads: it does for a step whose goals nobody asks for.
    ``goals_view`` is the rest of the view, to be evaluated after it on the same rows.
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
        """How many gates there are, of the view and of the transition."""
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
        """Whether playouts had better evaluate goals late.

        Holding last states costs some four operations on each fluent in most steps, and now and
        then the gates for moves once more. The bound was measured on games of 100 to 250,000 gates.
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
        """Return all literals."""
        return [*self.legal, self.terminal, *self.goals, *self.percepts, *self.next]

    def replaced(self, literals: Sequence[int]) -> Outputs:
        """Return the same outputs as other literals, in the order of :meth:`all`."""
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
    """The nodes that are computed together, and what for: its outputs, from ``first`` on.

    Gates that are outputs are ``written`` straight to the row of their first output, whose place
    among all outputs they are given with.
    """

    nodes: Sequence[int]
    outputs: Sequence[int]
    first: int
    written: dict[int, int]


def lay_out(
    network: AndInverterGraph, fluent_count: int, move_counts: Sequence[int], outputs: Outputs
) -> Layout:
    """Give every node and output that matters a row."""
    stages = _stages(network, outputs)
    row_of = {node: node for node in range(1 + network.inputs)}
    written = {node: place for stage in stages for node, place in stage.written.items()}
    for stage in stages:
        for node in stage.nodes:
            if node not in written:
                row_of[node] = len(row_of)
    legal = len(row_of)
    row_of |= {node: legal + place for node, place in written.items()}
    terminal = legal + len(outputs.legal)
    goals = terminal + 1
    percepts = goals + len(outputs.goals)
    following = percepts + len(outputs.percepts)
    moves_view, view = _programs(network, stages[:2], row_of, legal)
    (transition,) = _programs(network, stages[2:], row_of, legal)
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


def _stages(network: AndInverterGraph, outputs: Outputs) -> tuple[_Stage, _Stage, _Stage]:
    """Return what legal moves and the end are computed with, then goals, then the transition.

    What both goals and the transition need is in the first stage.
    """
    moves = [*outputs.legal, outputs.terminal]
    later = [*outputs.percepts, *outputs.next]
    of_goals, of_later = set(network.cone(outputs.goals)), set(network.cone(later))
    first = set(network.cone(moves)) | (of_goals & of_later)
    return (
        _stage(network, first, moves, 0),
        _stage(network, of_goals - first, outputs.goals, len(moves)),
        _stage(network, of_later - first, later, len(moves) + len(outputs.goals)),
    )


def _stage(
    network: AndInverterGraph, nodes: Set[int], outputs: Sequence[int], first: int
) -> _Stage:
    early = {node for cycle in network.cycles for node, _ in cycle.feedback}
    computed = sorted(node for node in nodes if node > network.inputs)
    gates = set(computed) - early
    written: dict[int, int] = {}
    for place, output in enumerate(outputs, first):
        if not output & 1 and output >> 1 in gates:
            written.setdefault(output >> 1, place)
    return _Stage(computed, outputs, first, written)


class _ProgramWriter:
    """Writes gates, and closes segments around those of a cycle."""

    def __init__(self, network: AndInverterGraph, row_of: Mapping[int, int]) -> None:
        self._network = network
        self._row_of = row_of
        self.gates: list[tuple[int, int, int]] = []
        self._segments: list[tuple[int, int, int, int]] = []
        self._feedback: list[tuple[int, int]] = []

    def literal(self, of: int) -> int:
        """Return a network's literal as one of rows."""
        return 2 * self._row_of[of >> 1] + (of & 1)

    def gate(self, node: int) -> None:
        """Write a node's gate."""
        left, right = self._network.left[node], self._network.right[node]
        self.gates.append((self._row_of[node], self.literal(left), self.literal(right)))

    def close(self, cycle: Cycle | None) -> None:
        """End a segment, to be repeated where its gates are a cycle's."""
        start = self._segments[-1][1] if self._segments else 0
        first = len(self._feedback)
        for node, definition in cycle.feedback if cycle else ():
            self._feedback.append((self._row_of[node], self.literal(definition)))
        if len(self.gates) > start or len(self._feedback) > first:
            self._segments.append((start, len(self.gates), first, len(self._feedback)))

    def program(self) -> GateProgram:
        """Return what has been written."""
        return GateProgram(
            np.array(self.gates, dtype=np.int32).reshape(-1, 3),
            np.array(self._segments, dtype=np.int64).reshape(-1, 4),
            np.array(self._feedback, dtype=np.int32).reshape(-1, 2),
        )


def _programs(
    network: AndInverterGraph,
    stages: Sequence[_Stage],
    row_of: Mapping[int, int],
    first_output: int,
) -> list[GateProgram]:
    """Return a program for each stage, which computes those before it too."""
    writer = _ProgramWriter(network, row_of)
    programs = []
    for stage in stages:
        _write_gates(network, stage, writer)
        for place, output in enumerate(stage.outputs, stage.first):
            if stage.written.get(output >> 1) != place:
                writer.gates.append((first_output + place, writer.literal(output), TRUE))
        writer.close(None)
        programs.append(writer.program())
    return programs


def _write_gates(network: AndInverterGraph, stage: _Stage, writer: _ProgramWriter) -> None:
    early = {node for cycle in network.cycles for node, _ in cycle.feedback}
    nodes = set(stage.nodes)
    # Gates made within a cycle can have users elsewhere; the cycle itself is then not repeated.
    inside = {
        node: cycle
        for cycle in network.cycles
        if cycle.feedback[0][0] in nodes
        for node in range(cycle.first, cycle.last)
    }
    current = None
    for node in stage.nodes:
        cycle = inside.get(node)
        if cycle is not current:
            writer.close(current)
            current = cycle
        if node not in early:
            writer.gate(node)
    writer.close(current)
