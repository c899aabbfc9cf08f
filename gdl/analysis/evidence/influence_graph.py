"""Which fluents and moves depend on which, read off the network."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gdl.analysis.evidence.ternary_simulation import GateGraph, spread


@dataclass(frozen=True, slots=True)
class Cluster:
    """Fluents and moves, as integers with a bit for each place."""

    fluents: int
    moves: int


@dataclass(frozen=True, slots=True)
class InfluenceGraph:
    """Dependences by place, as integers with a bit for each fluent or move.

    ``fluents_of``, ``moves_of``: the fluents and moves on which a fluent's next value depends.
    ``legal_by``: the fluents on which a move's legality depends. ``goal_by``, ``end_by``: those
    on which a goal row, and the end of the match, depend.
    """

    fluents_of: Sequence[int]
    moves_of: Sequence[int]
    legal_by: Sequence[int]
    goal_by: Sequence[int]
    end_by: int


def influence_graph(circuit: GateGraph, supports: Sequence[int]) -> InfluenceGraph:
    """Return what depends on what; ``supports`` as :func:`gdl.analysis.evidence.ternary_simulation.supports` gives."""
    first_move = circuit.moves.start
    fluent_mask = (1 << len(circuit.fluents)) - 1
    shift = circuit.fluents.start

    def fluents(mask: int) -> int:
        return (mask >> shift) & fluent_mask

    seeds = {row: 1 << row for row in circuit.fluents}
    view = spread(circuit, seeds)
    return InfluenceGraph(
        fluents_of=[fluents(supports[literal >> 1]) for literal in circuit.next],
        moves_of=[supports[literal >> 1] >> first_move for literal in circuit.next],
        legal_by=[fluents(supports[literal >> 1]) for literal in circuit.legal],
        goal_by=[fluents(view[literal >> 1]) for literal in circuit.goals],
        end_by=fluents(view[circuit.terminal >> 1]),
    )
