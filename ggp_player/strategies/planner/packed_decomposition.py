"""The decomposition of a one-player game, packed: the subgames to plan, and what is idle."""

from __future__ import annotations

from collections.abc import Iterable, Set
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gdl import Term
from gdl.analysis import Decomposition, Subgame
from gdl.analysis.decomposition import Conjunction, interface_of
from gdl.analysis.evidence.gate_graph import gate_graph_of
from gdl.engine import Bits, Packed, PropnetStateMachine


@dataclass(frozen=True, slots=True)
class PackedSubgame:
    """A subgame: its moves and fluents, and its interface to the rest of the game.

    ``moves`` uint8 (moves,) marks its moves, ``fluents`` its fluents, as the bits of a packed
    state. ``interface``: what other moves, the end and the goals read of it.
    """

    moves: NDArray[np.uint8]
    fluents: Packed
    interface: tuple[Conjunction, ...]


@dataclass(frozen=True, slots=True)
class PackedDecomposition:
    """The subgames that matter, in the order in which to plan them, and the rest of the game.

    ``in_series``: as soon as a subgame has a legal move, those before it have none. ``passes``
    uint8 (moves,) marks the moves that matter neither to the end nor to any goal, ``idle``, as the
    bits of a packed state, the fluents that only such moves change or depend on.
    """

    subgames: tuple[PackedSubgame, ...]
    in_series: bool
    passes: NDArray[np.uint8]
    idle: Packed

    def with_one_pass(self, legal: Bits) -> Bits:
        """Return the legal moves with only the first pass of each state: uint8 (n, moves)."""
        passes = legal & self.passes
        first = passes.argmax(axis=1)
        tried = legal & ~passes
        tried[np.arange(len(legal)), first] |= passes.any(axis=1)
        return tried


def pack_decomposition(
    machine: PropnetStateMachine, decomposition: Decomposition
) -> PackedDecomposition:
    """Pack the decomposition of a game of one role.

    There are no subgames if one of them changes while others are played. In a series nothing is
    idle, since a subgame that matters for nothing else can open the way to the next one.
    """
    in_series = decomposition.in_series.value
    subgames = [each for each in decomposition.parts if in_series or not each.is_idle]
    if not in_series:
        # Subgames that can end the match go last; otherwise the largest go first, since they are
        # then searched from the fewest outcomes.
        subgames.sort(key=lambda subgame: (subgame.ends, -len(subgame.facts)))
    independent = in_series or all(subgame.rests for subgame in subgames)
    role = machine.roles[0]
    idle = [each for each in decomposition.parts if each not in subgames]
    passes = decomposition.passes.get(role, frozenset()).union(*(each.moves[role] for each in idle))
    return PackedDecomposition(
        tuple(_packed_subgame(machine, subgame) for subgame in subgames if independent),
        in_series,
        _marks(machine.moves[0], passes),
        _packed(machine, frozenset[Term]().union(*(each.facts for each in idle))),
    )


def _packed_subgame(machine: PropnetStateMachine, subgame: Subgame) -> PackedSubgame:
    circuit = gate_graph_of(machine.engine.layout)
    moves = _marks(machine.moves[0], subgame.moves[machine.roles[0]])
    facts = zip(circuit.fluents, machine.facts, strict=True)
    interface = interface_of(
        circuit,
        {row for row, fact in facts if fact in subgame.facts},
        [
            *(legal for legal, own in zip(circuit.legal, moves, strict=True) if not own),
            circuit.terminal,
            *circuit.goals,
        ],
    )
    return PackedSubgame(moves, _packed(machine, subgame.facts), tuple(interface))


def _packed(machine: PropnetStateMachine, facts: Set[Term]) -> Packed:
    return np.packbits(_marks(machine.facts, facts), bitorder="little")


def _marks(terms: Iterable[Term], chosen: Set[Term]) -> NDArray[np.uint8]:
    return np.array([term in chosen for term in terms], dtype=np.uint8)
