"""The subgames of a series that are over, and how little of them has to be remembered.

Once a subgame is over, the rest of the game reads no more of it than its interface, such as who
has won it. States that are equal in that, and in all facts of the other subgames, have the same
future and count as one, so that each subgame is searched once for every outcome of those before it.

That is claimed only where it is shown: the order of the subgames must be proved, the next facts of
a subgame must depend on nothing but its own facts and moves, and what remains of a subgame after
its last move is followed until it repeats itself, as a change of turns may go on in it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from gdl import State
from gdl.analysis import Decomposition
from gdl.analysis.decomposition import Conjunction, evaluate_conditions, interface_of
from gdl.analysis.evidence.gate_graph import gate_graph_of
from gdl.analysis.evidence.influence_graph import supports
from gdl.engine import (
    Packed,
    PropnetStateMachine,
    hash_states,
    packed_from_rows,
    packed_state,
)

MAX_AFTERMATH = 32
"""Steps within which the remains of a subgame must repeat themselves."""


@dataclass(frozen=True, slots=True)
class SubgamePrefix:
    """The first subgames of a series together, which may be over.

    ``moves`` bool (moves of all roles,) marks their moves, ``fluents`` their fluents, as the bits
    of a packed state. ``interface``: what the rest of the game reads of them. ``constant``
    remembers, by what remained of them, whether their interface stays the same for ever.
    """

    moves: NDArray[np.bool_]
    fluents: Packed
    interface: tuple[Conjunction, ...]
    constant: dict[bytes, bool] = field(default_factory=dict)


class FinishedSubgames:
    """Distinguishes states by what matters for their future.

    ``stages`` holds the prefixes of the series of which something can be forgotten, the longest
    first. States are packed, at most as many as a block has lanes.
    """

    def __init__(self, machine: PropnetStateMachine, decomposition: Decomposition) -> None:
        self.machine = machine
        # Machine code does not write the rows that only gates read; the interpreter writes all.
        self._block = machine.new_engine(machine.words).block()
        self._relevant: Packed = np.packbits(machine.relevant_fluents, bitorder="little")
        proved = decomposition.in_series.is_proved
        self.stages = tuple(_stages(machine, decomposition)) if proved else ()

    def canonical(self, state: State) -> tuple[NDArray[np.uint64], NDArray[np.int32]]:
        """Return a state's key, uint64 (1, 1), and the moves, which stay the same."""
        keys, _ = self.summaries(packed_state(self.machine, state))
        return keys[:, None], np.arange(sum(map(len, self.machine.moves)), dtype=np.int32)

    def summaries(self, states: Packed) -> tuple[NDArray[np.uint64], NDArray[np.float64]]:
        """Summarize states: what the rest of the game can still read of them.

        Returns keys, uint64 (n,), which are equal for states with the same future, and goal values,
        float64 (n, roles): 0 where none holds, NaN where the match goes on.
        """
        self._load(states)
        count, block = len(states), self._block
        legal = block.legal()[:count]
        ends = np.maximum(block.goal_values()[:count], 0.0)
        ends[~block.terminal()[:count]] = np.nan
        parts = [states & self._relevant]
        unfinished = np.ones(count, dtype=np.bool_)
        for stage in self.stages:
            over = unfinished & ~legal[:, stage.moves].any(axis=1)
            self._load(states)
            interface = packed_from_rows(evaluate_conditions(block.rows, stage.interface))[:count]
            over[over] = self._is_constant(stage, (states & stage.fluents)[over], interface[over])
            parts[0][over] &= ~stage.fluents
            parts.append(np.where(over[:, None], interface, 0).astype(np.uint8))
            parts.append(over[:, None].astype(np.uint8))
            unfinished &= ~over
        return hash_states(np.hstack(parts)), ends

    def _load(self, states: Packed) -> None:
        """Evaluate the view and the transition of states in which nobody moves."""
        block, layout = self._block, self._block.engine.layout
        block.load_packed(states)
        block.rows[layout.moves :][: sum(layout.move_counts)] = 0
        block.view()
        block.transition()

    def _is_constant(
        self, stage: SubgamePrefix, remains: Packed, interface: Packed
    ) -> NDArray[np.bool_]:
        """Check in which states the interface of a prefix stays the same for ever: bool (n,)."""
        known = stage.constant
        names = [fluents.tobytes() for fluents in remains]
        indices = {name: index for index, name in enumerate(names) if name not in known}
        if indices:
            chosen = list(indices.values())
            answers = self._follow(stage, remains[chosen], interface[chosen])
            known.update(zip(indices, answers.tolist(), strict=True))
        return np.array([known[name] for name in names], dtype=np.bool_)

    def _follow(
        self, stage: SubgamePrefix, remains: Packed, interface: Packed
    ) -> NDArray[np.bool_]:
        """Follow remains until they repeat; return where the interface was always the same."""
        block, count = self._block, len(remains)
        same = np.ones(count, dtype=np.bool_)
        repeats = np.zeros(count, dtype=np.bool_)
        past, now = [remains], remains
        for _ in range(MAX_AFTERMATH):
            self._load(now)
            read = packed_from_rows(evaluate_conditions(block.rows, stage.interface))[:count]
            same &= (read == interface).all(axis=1)
            following = packed_from_rows(block.next)[:count]
            now = following & stage.fluents
            repeats |= np.any([(now == before).all(axis=1) for before in past], axis=0)
            if repeats.all():
                break
            past.append(now)
        return same & repeats


def _stages(machine: PropnetStateMachine, decomposition: Decomposition) -> Iterator[SubgamePrefix]:
    """Yield the prefixes whose next facts depend on nothing but their own facts and moves."""
    circuit = gate_graph_of(machine.engine.layout)
    depends = supports(circuit)
    prefixes = accumulate([subgame] for subgame in decomposition.parts[:-1])
    for subgames in reversed(list(prefixes)):
        moves = np.array(
            [
                any(move in subgame.moves.get(role, ()) for subgame in subgames)
                for role, own in zip(machine.roles, machine.moves, strict=True)
                for move in own
            ]
        )
        facts = [any(fact in subgame.facts for subgame in subgames) for fact in machine.facts]
        own = {row for row, inside in zip(circuit.fluents, facts, strict=True) if inside}
        inputs = own | {row for row, inside in zip(circuit.moves, moves, strict=True) if inside}
        following = list(zip(circuit.next, facts, strict=True))
        reads = {depends[literal >> 1] for literal, inside in following if inside}
        if any(mask & ~sum(1 << row for row in inputs) for mask in reads):
            continue
        outputs = [
            *(legal for legal, inside in zip(circuit.legal, moves, strict=True) if not inside),
            circuit.terminal,
            *circuit.goals,
            *(literal for literal, inside in following if not inside),
        ]
        interface = tuple(interface_of(circuit, own, outputs))
        yield SubgamePrefix(moves, np.packbits(facts, bitorder="little"), interface)
