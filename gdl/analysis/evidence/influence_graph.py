"""What depends on what in a game: supports of rows, and the influence graph of its fluents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from gdl.analysis.evidence.gate_graph import GateGraph


@dataclass(frozen=True, slots=True)
class Cluster:
    """Fluents and moves, as integers with a bit for each index."""

    fluents: int
    moves: int


@dataclass(frozen=True, slots=True)
class InfluenceGraph:
    """Dependencies by index, as integers with a bit for each fluent or move.

    ``fluents_of``, ``moves_of``: the fluents and moves on which a fluent's next value depends.
    ``legal_by``: the fluents on which a move's legality depends. ``goal_by``, ``end_by``: those
    on which a goal row, and the end of the match, depend.
    """

    fluents_of: Sequence[int]
    moves_of: Sequence[int]
    legal_by: Sequence[int]
    goal_by: Sequence[int]
    end_by: int


def build_influence_graph(circuit: GateGraph, supports: Sequence[int]) -> InfluenceGraph:
    """Build the influence graph from the rows' :func:`supports`."""
    first_move = circuit.moves.start
    fluent_mask = (1 << len(circuit.fluents)) - 1
    shift = circuit.fluents.start

    def fluents(mask: int) -> int:
        return (mask >> shift) & fluent_mask

    seeds = {row: 1 << row for row in circuit.fluents}
    view = propagate_supports(circuit, seeds)
    return InfluenceGraph(
        fluents_of=[fluents(supports[literal >> 1]) for literal in circuit.next],
        moves_of=[supports[literal >> 1] >> first_move for literal in circuit.next],
        legal_by=[fluents(supports[literal >> 1]) for literal in circuit.legal],
        goal_by=[fluents(view[literal >> 1]) for literal in circuit.goals],
        end_by=fluents(view[circuit.terminal >> 1]),
    )


def supports(circuit: GateGraph) -> list[int]:
    """Compute the structural support of each row: bit ``row`` of an integer per input row.

    The terminal row counts as a constant: what follows a state matters only while play goes on.
    """
    seeds = {row: 1 << row for row in (*circuit.fluents, *circuit.moves)}
    is_gate = circuit.terminal >> 1 >= circuit.moves.stop
    return propagate_supports(circuit, seeds, circuit.terminal >> 1 if is_gate else None)


def propagate_supports(
    circuit: GateGraph, seeds: Mapping[int, int], constant: int | None = None
) -> list[int]:
    """Combine, for each row, the bits of all seeds that it depends on.

    ``seeds`` gives input rows their bits; ``constant`` is a gate's row that depends on nothing.
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


def bit_indices(number: int) -> list[int]:
    """List the indices of the bits that are 1, in rising order."""
    packed = np.frombuffer(number.to_bytes(-(-number.bit_length() // 8), "little"), np.uint8)
    indices: list[int] = np.flatnonzero(np.unpackbits(packed, bitorder="little")).tolist()
    return indices
