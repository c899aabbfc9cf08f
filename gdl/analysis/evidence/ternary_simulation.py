"""A game's network as a value to reason about: what depends on what, and what is certain.

The nodes are the rows of :mod:`gdl.circuit.layout`; a literal is twice a row, plus one where it is
negated, so that 0 is false and 1 is true. Many cases are looked at at once: a Python integer
holds one bit per case.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from gdl.circuit import TRUE, GateProgram, Layout


@dataclass(frozen=True, slots=True)
class Segment:
    """Gates in order, each with its row and two literals; repeated where there is feedback.

    ``feedback`` pairs the rows that are read early with the literals that define them.
    """

    gates: tuple[tuple[int, int, int], ...]
    feedback: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class GateGraph:
    """The network of a game. Outputs are literals; ``offsets`` is each role's first move."""

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
        """Return the places of a role's moves among all moves."""
        return range(self.offsets[role], self.offsets[role + 1])


@dataclass(frozen=True, slots=True)
class TernaryValues:
    """What is known of each row in a number of cases.

    ``must`` and ``may`` have one integer per row; a bit says that the row is true for certain in
    the case, or that it can be.
    """

    must: list[int]
    may: list[int]
    everywhere: int

    def holds(self, literal: int) -> int:
        """Return the cases in which a literal is certain."""
        row = literal >> 1
        return self.everywhere & ~self.may[row] if literal & 1 else self.must[row]


def gate_graph_of(layout: Layout) -> GateGraph:
    """Return the network that a layout was made from; rows that copy others are resolved."""
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
    found = []
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
            found.append(Segment(inner, loop))
    return tuple(found)


def ternary_simulation(
    circuit: GateGraph,
    fluents: Sequence[tuple[int, int]],
    everywhere: int,
    fixed: Mapping[int, int],
) -> TernaryValues:
    """Evaluate the network where some things are known and others are not.

    ``fluents`` gives, for each, the cases in which it must and may be true; moves are unknown.
    ``fixed`` has literals that are known in all cases, with 0 or 1.
    """
    must = [0] * circuit.rows
    may = [0] * circuit.rows
    for row, (sure, possible) in zip(circuit.fluents, fluents, strict=True):
        must[row], may[row] = sure, possible
    for row in circuit.moves:
        may[row] = everywhere
    known = TernaryValues(must, may, everywhere)
    forced = {
        literal >> 1: everywhere * (value ^ (literal & 1)) for literal, value in fixed.items()
    }
    for segment in (*circuit.view, *circuit.transition):
        while True:
            _evaluate(segment, known, forced)
            if not _feed_back(segment, known):
                break
    return known


def _evaluate(segment: Segment, known: TernaryValues, forced: Mapping[int, int]) -> None:
    must, may, everywhere = known.must, known.may, known.everywhere
    for row, left, right in segment.gates:
        value = forced.get(row)
        if value is not None:
            must[row] = may[row] = value
            continue
        a, b = left >> 1, right >> 1
        sure = everywhere & ~may[a] if left & 1 else must[a]
        must[row] = sure & (everywhere & ~may[b] if right & 1 else must[b])
        possible = everywhere & ~must[a] if left & 1 else may[a]
        may[row] = possible & (everywhere & ~must[b] if right & 1 else may[b])


def _feed_back(segment: Segment, known: TernaryValues) -> bool:
    """Set the rows that are read early; tell whether any changed."""
    changed = False
    for row, literal in segment.feedback:
        other = literal >> 1
        sure, possible = known.must[other], known.may[other]
        if literal & 1:
            sure, possible = known.everywhere & ~possible, known.everywhere & ~sure
        if (sure, possible) != (known.must[row], known.may[row]):
            known.must[row], known.may[row] = sure, possible
            changed = True
    return changed


def supports(circuit: GateGraph) -> list[int]:
    """Return, for each row, the inputs it depends on: bit ``row`` of an integer per input row.

    The terminal row counts as a constant: what follows a state matters only where play goes on.
    """
    seeds = {row: 1 << row for row in (*circuit.fluents, *circuit.moves)}
    is_gate = circuit.terminal >> 1 >= circuit.moves.stop
    return spread(circuit, seeds, circuit.terminal >> 1 if is_gate else None)


def spread(circuit: GateGraph, seeds: Mapping[int, int], constant: int | None = None) -> list[int]:
    """Return, for each row, the bits of all seeds that it depends on.

    ``seeds`` are the bits of input rows; ``constant`` is a gate's row that depends on nothing.
    """
    found = [0] * circuit.rows
    for row, mask in seeds.items():
        found[row] = mask
    for segment in (*circuit.view, *circuit.transition):
        changed = True
        while changed:
            for row, left, right in segment.gates:
                if row != constant:
                    found[row] = found[left >> 1] | found[right >> 1]
            changed = False
            for row, literal in segment.feedback:
                merged = found[row] | found[literal >> 1]
                changed |= merged != found[row]
                found[row] = merged
    return found


def bits(number: int) -> list[int]:
    """Return the places of the bits that are 1, in rising order."""
    packed = np.frombuffer(number.to_bytes(-(-number.bit_length() // 8), "little"), np.uint8)
    places: list[int] = np.flatnonzero(np.unpackbits(packed, bitorder="little")).tolist()
    return places


def without_others(circuit: GateGraph, literals: Iterable[int]) -> GateGraph:
    """Return the circuit with those gates only that some literals depend on."""
    needed = {literal >> 1 for literal in literals}
    # The transition comes first, as it adds to what is needed of the view.
    transition = _thinned(circuit.transition, needed)
    return replace(circuit, view=_thinned(circuit.view, needed), transition=transition)


def _thinned(segments: Sequence[Segment], needed: set[int]) -> tuple[Segment, ...]:
    """Return the gates of needed rows, from the last on; what they read is needed, too."""
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
