"""The parts of a game in series that are over, and how little of them has to be remembered.

Once a part is over, the rest of the game sees no more of it than its interface, such as who has
won it. States that are equal in that, and in all facts of the other parts, have the same future
and count as one, so that each part has to be searched once for every outcome of those before it.

That is claimed only where it is shown: the order of the parts must be proved, the next facts of a
part must depend on nothing but its facts and moves, and what is left of a part after its last move
is followed until it repeats itself, as a change of turns may go on in it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from gdl.analysis import Decomposition
from gdl.analysis.decomposition import Conjunction, evaluate_conditions, interface_of
from gdl.analysis.evidence import gate_graph_of, supports
from gdl.engine import Packed, PropnetStateMachine, hash_states, packed_from_rows, rows_from_packed

LONGEST_COURSE = 32
"""Steps after which what is left of a part must have repeated itself."""


@dataclass(frozen=True, slots=True)
class PartStage:
    """The first parts of a series together, which can be over.

    ``moves`` bool (moves of all roles,) marks their moves, ``facts`` their fluents, as the bits of
    a packed state. ``seen``: what the rest of the game sees of them. ``settled`` remembers of what
    was left of them whether the rest will see the same of it for ever.
    """

    moves: NDArray[np.bool_]
    facts: Packed
    seen: tuple[Conjunction, ...]
    settled: dict[bytes, bool] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Seen:
    """What is to be seen of n states.

    ``keys`` uint64 (n,): equal where the future is the same. ``terminal`` bool (n,). ``values``
    float64 (n, roles): goal values, 0 where none holds.
    """

    keys: NDArray[np.uint64]
    terminal: NDArray[np.bool_]
    values: NDArray[np.float64]


class FinishedParts:
    """Tells states apart by what matters of them; ``stages`` is empty where nothing is forgotten.

    Those come with the most parts first. States are packed, at most as many as a block has lanes.
    """

    def __init__(self, machine: PropnetStateMachine, division: Decomposition) -> None:
        # Machine code does not write the rows that only gates read; the interpreter writes all.
        self._engine = machine.new_engine(machine.words)
        self._layout = self._engine.layout
        self._roles = len(machine.roles)
        self._block = self._engine.block()
        self._relevant: Packed = np.packbits(machine.relevant_fluents, bitorder="little")
        self.stages = tuple(_stages(machine, division)) if division.in_series.is_proved else ()

    def look_at(self, states: Packed) -> Seen:
        """Return what is to be seen of the states."""
        self._load(states)
        count, block = len(states), self._block
        legal, terminal = block.legal()[:count], block.terminal()[:count]
        values = self._values()[:count]
        told = [states & self._relevant]
        going_on = np.ones(count, dtype=np.bool_)
        for stage in self.stages:
            over = going_on & ~legal[:, stage.moves].any(axis=1)
            self._load(states)
            seen = packed_from_rows(evaluate_conditions(block.rows, stage.seen))[:count]
            over[over] = self._settled(stage, (states & stage.facts)[over], seen[over])
            told[0][over] &= ~stage.facts
            told.append(np.where(over[:, None], seen, 0).astype(np.uint8))
            told.append(over[:, None].astype(np.uint8))
            going_on &= ~over
        return Seen(hash_states(np.hstack(told)), terminal, values)

    def _load(self, states: Packed) -> None:
        """Evaluate view and transition of states in which nobody moves."""
        layout, rows = self._layout, self._block.rows
        fluents = rows_from_packed(states, layout.fluent_count, self._engine.words)
        rows[layout.fluents :][: layout.fluent_count] = fluents
        rows[layout.moves :][: sum(layout.move_counts)] = 0
        self._block.view()
        self._engine.transition(rows.ctypes.data)

    def _values(self) -> NDArray[np.float64]:
        table, goals = self._engine.goal_table, self._block.goals()
        values = np.zeros((len(goals), self._roles))
        for row in range(len(table))[::-1]:  # of several values the lowest counts
            values[goals[:, row] == 1, table[row, 0]] = table[row, 1]
        return values

    def _settled(self, stage: PartStage, left: Packed, seen: Packed) -> NDArray[np.bool_]:
        """Tell whether the rest of the game will see the same of parts for ever: bool (n,)."""
        known = stage.settled
        names = [facts.tobytes() for facts in left]
        places = {name: place for place, name in enumerate(names) if name not in known}
        if places:
            chosen = list(places.values())
            answers = self._course(stage, left[chosen], seen[chosen])
            known.update(zip(places, answers.tolist(), strict=True))
        return np.array([known[name] for name in names], dtype=np.bool_)

    def _course(self, stage: PartStage, left: Packed, seen: Packed) -> NDArray[np.bool_]:
        """Follow what is left of parts until it repeats itself; tell where it looks the same."""
        layout, rows, count = self._layout, self._block.rows, len(left)
        same = np.ones(count, dtype=np.bool_)
        repeats = np.zeros(count, dtype=np.bool_)
        past, now = [left], left
        for _ in range(LONGEST_COURSE):
            self._load(now)
            same &= (packed_from_rows(evaluate_conditions(rows, stage.seen))[:count] == seen).all(
                axis=1
            )
            following = packed_from_rows(rows[layout.next :][: layout.fluent_count])[:count]
            now = following & stage.facts
            repeats |= np.any([(now == before).all(axis=1) for before in past], axis=0)
            if repeats.all():
                break
            past.append(now)
        return same & repeats


def _stages(machine: PropnetStateMachine, division: Decomposition) -> Iterator[PartStage]:
    circuit = gate_graph_of(machine.engine.layout)
    depends = supports(circuit)
    for parts in list(accumulate([part] for part in division.parts[:-1]))[::-1]:
        moves = np.array(
            [
                any(move in part.moves.get(role, ()) for part in parts)
                for role, own in zip(machine.roles, machine.moves, strict=True)
                for move in own
            ]
        )
        facts = [any(fact in part.facts for part in parts) for fact in machine.facts]
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
        seen = tuple(interface_of(circuit, own, outputs))
        yield PartStage(moves, np.packbits(facts, bitorder="little"), seen)
