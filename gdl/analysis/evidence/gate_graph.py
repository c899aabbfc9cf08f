"""The and-inverter graph of a game, as plain tuples to reason about.

The nodes are the rows of :mod:`gdl.circuit.layout`, with those that only copy another row resolved.
Literals are those of AIGER: twice a row, plus one where it is negated; 0 is false and 1 is true.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from gdl.circuit import TRUE, GateProgram, Layout


@dataclass(frozen=True, slots=True)
class Segment:
    """Gates in evaluation order, each with its row and two literals; a cycle is evaluated again.

    ``feedback`` pairs the rows that are read before they are computed with the literals that
    define them.
    """

    gates: tuple[tuple[int, int, int], ...]
    feedback: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class GateGraph:
    """The circuit of a game. Outputs are literals; ``offsets`` has each role's first move."""

    fluents: range
    moves: range
    offsets: tuple[int, ...]
    view: tuple[Segment, ...]
    transition: tuple[Segment, ...]
    legal: tuple[int, ...]
    terminal: int
    goals: tuple[int, ...]
    next: tuple[int, ...]
    rows: int

    @property
    def gate_count(self) -> int:
        """The number of gates, without those that only copy a row."""
        return sum(len(segment.gates) for segment in (*self.view, *self.transition))

    def moves_of(self, role: int) -> range:
        """The indices of a role's moves among all moves."""
        return range(self.offsets[role], self.offsets[role + 1])


def gate_graph_of(layout: Layout) -> GateGraph:
    """Read the graph off a layout; rows that only copy others are resolved."""
    copies = {
        row: literal
        for program in (layout.view, layout.transition)
        for row, literal, other in program.gates.tolist()
        if other == TRUE
    }
    offsets = [0]
    for count in layout.move_counts:
        offsets.append(offsets[-1] + count)
    view, transition = (_segments(program, copies) for program in (layout.view, layout.transition))

    def literals(first: int, count: int) -> tuple[int, ...]:
        return tuple(_resolved(2 * row, copies) for row in range(first, first + count))

    return GateGraph(
        fluents=range(layout.fluents, layout.fluents + layout.fluent_count),
        moves=range(layout.moves, layout.moves + offsets[-1]),
        offsets=tuple(offsets),
        view=view,
        transition=transition,
        legal=literals(layout.legal, offsets[-1]),
        terminal=_resolved(2 * layout.terminal, copies),
        goals=literals(layout.goals, layout.goal_count),
        next=literals(layout.next, layout.fluent_count),
        rows=layout.rows,
    )


def _resolved(literal: int, copies: Mapping[int, int]) -> int:
    while literal >> 1 in copies:
        literal = copies[literal >> 1] ^ (literal & 1)
    return literal


def _segments(program: GateProgram, copies: Mapping[int, int]) -> tuple[Segment, ...]:
    segments = []
    gates = program.gates.tolist()
    feedback = program.feedback.tolist()
    for first, last, first_loop, last_loop in program.segments.tolist():
        inner = tuple(
            (row, _resolved(left, copies), _resolved(right, copies))
            for row, left, right in gates[first:last]
            if row not in copies
        )
        loop = tuple(
            (row, _resolved(literal, copies)) for row, literal in feedback[first_loop:last_loop]
        )
        if inner or loop:
            segments.append(Segment(inner, loop))
    return tuple(segments)


def fanin_cone(circuit: GateGraph, literals: Iterable[int]) -> GateGraph:
    """Restrict the circuit to the gates that some literals depend on."""
    needed = {literal >> 1 for literal in literals}
    # The transition comes first, as it adds to what is needed of the view.
    transition = _thinned(circuit.transition, needed)
    return replace(circuit, view=_thinned(circuit.view, needed), transition=transition)


def _thinned(segments: Sequence[Segment], needed: set[int]) -> tuple[Segment, ...]:
    """Keep the gates of needed rows, from the last on; what they read becomes needed, too."""
    kept = []
    for segment in reversed(segments):
        defined = {row for row, _, _ in segment.gates} | {row for row, _ in segment.feedback}
        if segment.feedback and defined & needed:  # a cycle is kept as a whole
            needed |= defined | {literal >> 1 for _, literal in segment.feedback}
        gates = []
        for gate in reversed(segment.gates):
            if gate[0] in needed:
                needed.update((gate[1] >> 1, gate[2] >> 1))
                gates.append(gate)
        feedback = tuple(pair for pair in segment.feedback if pair[0] in needed)
        if gates or feedback:
            kept.append(Segment(tuple(reversed(gates)), feedback))
    return tuple(reversed(kept))
