"""The independent parts of a one-player game by places: what is played apart, and what is idle."""

from __future__ import annotations

from collections.abc import Iterable, Set
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gdl import Term
from gdl.analysis import Decomposition, Subgame
from gdl.analysis.decomposition import Conjunction, interface_of
from gdl.analysis.evidence import gate_graph_of
from gdl.engine import Bits, Packed, PropnetStateMachine


@dataclass(frozen=True, slots=True)
class GamePart:
    """A part of a game.

    ``moves`` uint8 (moves,) marks its moves, ``facts`` its fluents, as the bits of a packed state.
    ``interface``: what other moves, the end and the goals see of it.
    """

    moves: NDArray[np.uint8]
    facts: Packed
    interface: tuple[Conjunction, ...]


@dataclass(frozen=True, slots=True)
class GameParts:
    """A game's parts that matter, in the order in which to plan them, and what else there is.

    ``in_series``: once one has a move, those before have none. ``passes`` uint8 (moves,) marks the
    moves that matter neither to the end nor to any goal, ``idle``, as the bits of a packed state,
    the fluents that they change on which moves depend, and only their own.
    """

    played: tuple[GamePart, ...]
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


def parts_of(machine: PropnetStateMachine, division: Decomposition) -> GameParts:
    """Return the parts of a game of one role.

    None are played apart where some do not rest while others are played. In a series nothing is
    idle, since what matters for nothing else can open the way to the next part.
    """
    in_series = division.in_series.value
    subgames = [part for part in division.parts if in_series or not part.is_idle]
    if not in_series:
        # What can end the match goes last, and before that what is large, from the fewest states.
        subgames.sort(key=lambda part: (part.ends, -len(part.facts)))
    apart = in_series or all(part.rests for part in subgames)
    role = machine.roles[0]
    idle = [part for part in division.parts if part not in subgames]
    passes = division.passes.get(role, frozenset()).union(*(part.moves[role] for part in idle))
    return GameParts(
        tuple(_part(machine, part) for part in subgames if apart),
        in_series,
        _marks(machine.moves[0], passes),
        _packed(machine, frozenset[Term]().union(*(part.facts for part in idle))),
    )


def _part(machine: PropnetStateMachine, part: Subgame) -> GamePart:
    circuit = gate_graph_of(machine.engine.layout)
    moves = _marks(machine.moves[0], part.moves[machine.roles[0]])
    facts = zip(circuit.fluents, machine.facts, strict=True)
    seen = interface_of(
        circuit,
        {row for row, fact in facts if fact in part.facts},
        [
            *(legal for legal, own in zip(circuit.legal, moves, strict=True) if not own),
            circuit.terminal,
            *circuit.goals,
        ],
    )
    return GamePart(moves, _packed(machine, part.facts), tuple(seen))


def _packed(machine: PropnetStateMachine, facts: Set[Term]) -> Packed:
    return np.packbits(_marks(machine.facts, facts), bitorder="little")


def _marks(terms: Iterable[Term], chosen: Set[Term]) -> NDArray[np.uint8]:
    return np.array([term in chosen for term in terms], dtype=np.uint8)
