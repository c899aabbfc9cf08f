"""Ternary simulation: what is certain of a game's circuit where not everything is known.

Each row is 0, 1 or unknown. Many cases are simulated at once: a Python integer holds one bit for
each case.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gdl.analysis.evidence.gate_graph import GateGraph, Segment


@dataclass(frozen=True, slots=True)
class TernaryValues:
    """What is known of each row in a number of cases, encoded on two rails.

    ``surely`` and ``possibly`` have one integer per row: a bit says that the row is true in that
    case whatever the unknowns are, or that it can be. ``all_cases`` has a bit for each case.
    """

    surely: list[int]
    possibly: list[int]
    all_cases: int

    def holds(self, literal: int) -> int:
        """The cases in which a literal is certain, a bit each."""
        row = literal >> 1
        return self.all_cases & ~self.possibly[row] if literal & 1 else self.surely[row]


def simulate_ternary(
    circuit: GateGraph,
    fluents: Sequence[tuple[int, int]],
    all_cases: int,
    fixed: Mapping[int, int],
) -> TernaryValues:
    """Evaluate the circuit where some fluents are known, others are not, and moves are unknown.

    ``fluents`` gives, for each, the cases in which it is surely and possibly true. ``fixed`` maps
    literals that are known in all cases to 0 or 1.
    """
    surely = [0] * circuit.rows
    possibly = [0] * circuit.rows
    for row, (sure, possible) in zip(circuit.fluents, fluents, strict=True):
        surely[row], possibly[row] = sure, possible
    for row in circuit.moves:
        possibly[row] = all_cases
    known = TernaryValues(surely, possibly, all_cases)
    forced = {literal >> 1: all_cases * (value ^ (literal & 1)) for literal, value in fixed.items()}
    for segment in (*circuit.view, *circuit.transition):
        while True:
            _evaluate(segment, known, forced)
            if not _feed_back(segment, known):
                break
    return known


def _evaluate(segment: Segment, known: TernaryValues, forced: Mapping[int, int]) -> None:
    surely, possibly, all_cases = known.surely, known.possibly, known.all_cases
    for row, left, right in segment.gates:
        value = forced.get(row)
        if value is not None:
            surely[row] = possibly[row] = value
            continue
        a, b = left >> 1, right >> 1
        sure = all_cases & ~possibly[a] if left & 1 else surely[a]
        surely[row] = sure & (all_cases & ~possibly[b] if right & 1 else surely[b])
        possible = all_cases & ~surely[a] if left & 1 else possibly[a]
        possibly[row] = possible & (all_cases & ~surely[b] if right & 1 else possibly[b])


def _feed_back(segment: Segment, known: TernaryValues) -> bool:
    """Copy the computed values to the rows that are read early; return whether any changed."""
    changed = False
    for row, literal in segment.feedback:
        other = literal >> 1
        sure, possible = known.surely[other], known.possibly[other]
        if literal & 1:
            sure, possible = known.all_cases & ~possible, known.all_cases & ~sure
        if (sure, possible) != (known.surely[row], known.possibly[row]):
            known.surely[row], known.possibly[row] = sure, possible
            changed = True
    return changed
