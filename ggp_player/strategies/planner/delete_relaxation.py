"""How far a goal is if nothing that became possible is ever lost again: a relaxed reachability.

Every row of the network gets two rails: it *may* be true, and it *must* be true. A conjunction may
be true where both parts may, and must where both must; a negation exchanges the rails. So the same
gates, doubled, say of 512 states at once what may be the case after a step in which every legal
move is made, and after two, and so on. From the step at which each fluent may first have the value
that the goal asks for, a cost is summed up over the goal's conditions. A goal that never may hold
cannot be reached: that much is certain, the cost is not.

Source: B. Bonet and H. Geffner, Planning as Heuristic Search (2001), for sums over a relaxation;
S. Schiffel and M. Thielscher, Fluxplayer (2007), for the distance of a goal's condition.
"""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gdl.circuit import TRUE, GateProgram, Layout
from gdl.engine import Packed, aligned_rows, load_kernels, program_array, rows_from_packed
from ggp_player.strategies.planner.kernels import Rails, relax, sum_up
from ggp_player.strategies.planner.state_space import BLOCK, GATE, Integers, StateSpace, bits_of

NEVER = 1 << 20
"""The cost of what cannot come true any more."""

GATE_BUDGET = 4_000_000
"""Gates that one block may evaluate: it bounds the steps looked ahead in large networks."""

MOST_STEPS, FEWEST_STEPS = 128, 8

LARGEST_CONE = 30_000
"""A goal of more gates is not summed up; its cost is the step at which it may first hold."""

Costs = NDArray[np.int32]


class DeleteRelaxation:
    """The relaxed distance of states to one goal value, in blocks."""

    def __init__(self, space: StateSpace, value: int) -> None:
        layout, engine = space.layout, space.engine
        self._space, self._layout, self._words = space, layout, engine.words
        # The interpreter reads these by address.
        self._programs = [doubled(each, layout.rows) for each in (layout.view, layout.transition)]
        self._arrays = [program_array(program) for program in self._programs]
        self._kernels = load_kernels(engine.words)
        code = [self._kernels.address("interpret"), *(each.ctypes.data for each in self._arrays)]
        first = [layout.fluents, layout.moves, layout.legal, layout.next]
        counts = [layout.fluent_count, sum(layout.move_counts), layout.rows]
        self._rails = Rails(
            aligned_rows(2 * layout.rows, engine.words),
            np.array(code, dtype=np.int64),
            np.array([*first, *counts], dtype=np.int64),
        )
        self._counters = np.flatnonzero(space.counted >= 0)
        steps = GATE_BUDGET // max(2 * space.gates, 1)
        self._steps = int(np.clip(steps, FEWEST_STEPS, MOST_STEPS))
        self._aim(value)

    def to(self, value: int) -> DeleteRelaxation:
        """Return the relaxed distance to another goal value."""
        other = copy(self)
        other._aim(value)
        return other

    def _aim(self, value: int) -> None:
        layout, space = self._layout, self._space
        self.value = value
        goals = np.flatnonzero(space.engine.goal_table[:, 1] == value) + layout.goals
        self._cone = Cone.of(layout, goals.tolist())
        asked = len(self._cone.asked)
        self._work = 2 * space.gates * GATE + 0.01 * layout.fluent_count + 0.1 * asked

    def costs(self, states: Packed) -> Costs:
        """Return the cost of each state, int32 (n,): 0 where the goal holds, NEVER if hopeless."""
        lanes = 64 * self._words
        parts = [
            self._costs(states[first : first + lanes]) for first in range(0, len(states), lanes)
        ]
        return np.concatenate([np.zeros(0, dtype=np.int32), *parts])

    def _costs(self, states: Packed) -> Costs:
        lacking, result = self._lacking(states, self._steps)
        steps = abs(result)
        costs = lacking.astype(np.int32)
        # What was lacking before every step is out of reach, if there was nothing more to come.
        costs[lacking == steps] = NEVER if result < 0 else steps + 1
        goals = self._cone.costs(costs)[self._cone.goals]
        cheapest: Costs = goals.min(axis=0, initial=NEVER)
        return cheapest

    def fulfilled(self, states: Packed) -> NDArray[np.bool_]:
        """Return which of the goal's conditions hold in the states: bool (n, conditions)."""
        lanes = 64 * self._words
        parts = [
            self._fulfilled(states[first : first + lanes]) for first in range(0, len(states), lanes)
        ]
        return np.concatenate([np.zeros((0, len(self._cone.conditions)), dtype=np.bool_), *parts])

    def _fulfilled(self, states: Packed) -> NDArray[np.bool_]:
        lacking, _ = self._lacking(states, 1)
        costs = self._cone.costs(lacking.astype(np.int32))
        holds: NDArray[np.bool_] = costs[self._cone.conditions] == 0
        return holds.T

    def _lacking(self, states: Packed, most: int) -> tuple[NDArray[np.uint8], int]:
        """Look ``most`` steps ahead from at most a block of states.

        Returns how often each asked literal was lacking, uint8 (k, n), and what ``relax`` returns.
        """
        cone = self._cone
        self._load(states)
        lacking = np.zeros((len(cone.asked), 64 * self._words), dtype=np.uint8)
        result = relax(self._rails, cone.asked, lacking, most)
        self._space.work += BLOCK + abs(result) * self._work + cone.work
        return lacking[:, : len(states)], result

    def _load(self, states: Packed) -> None:
        """Write states to both rails; the lanes that are left repeat them.

        Step counters count as if all the time to come were there at once: else nothing would be
        settled before it is over.
        """
        layout, block = self._layout, self._rails.block
        may = block[layout.fluents :][: layout.fluent_count]
        must = block[layout.rows + layout.fluents :][: layout.fluent_count]
        filled = states[np.arange(64 * self._words) % len(states)]
        may[:] = rows_from_packed(filled, layout.fluent_count, self._words)
        must[:] = may
        if len(self._counters):
            counted = self._space.counted[self._counters]
            bits = bits_of(filled, layout.fluent_count)[:, self._counters]
            now = np.where(bits, counted, -1).max(axis=1)
            ahead = np.packbits(counted[:, None] >= now, axis=1, bitorder="little")
            may[self._counters] = ahead.view("<u8")
            must[self._counters] = 0


def doubled(program: GateProgram, rows: int) -> GateProgram:
    """Return a gate program on both rails: row r may be true in r, must be true in ``rows + r``."""

    def both(table: NDArray[np.int32]) -> NDArray[np.int32]:
        written, read = table[:, 0], table[:, 1:]
        found = np.empty((2 * len(table), table.shape[1]), dtype=np.int32)
        found[0::2, 0], found[1::2, 0] = written, written + rows
        found[0::2, 1:] = read + (read & 1) * 2 * rows
        found[1::2, 1:] = read + (1 - (read & 1)) * 2 * rows
        return found

    return GateProgram(both(program.gates), 2 * program.segments, both(program.feedback))


@dataclass(frozen=True, slots=True)
class Cone:
    """The gates that a goal depends on, each after those it needs.

    ``asked`` int64 (k,): literals of fluents' rows, and of rows in cycles, that the goal asks for.
    The cone's own literals are numbered anew: the constants 0 and 1, then for each asked row the
    literal and its negation, then so for the gates. ``known``: the numbers of the asked literals.
    ``gates`` int64 (n, 2): the literals of which each gate is the conjunction. ``goals``: the
    literals of which one must be true. ``conditions``: literals all of which must be true.
    ``size``: the number of literals.
    """

    asked: Integers
    known: Integers
    gates: Integers
    goals: list[int]
    conditions: list[int]
    size: int

    @staticmethod
    def of(layout: Layout, goals: list[int]) -> Cone:
        """Return the cone of some rows of the view."""
        definition = {row: (left, right) for row, left, right in layout.view.gates.tolist()}
        for row in layout.view.feedback[:, 0].tolist():
            definition.pop(row, None)
        order = _ordered(definition, goals)
        if len(order) > LARGEST_CONE:
            order, definition = [], {}
        asked = _asked(definition, [2 * row for row in goals])
        place = {0: 0}
        for row in sorted({literal >> 1 for literal in asked}):
            place[row] = len(place)
        known = [2 * place[literal >> 1] + (literal & 1) for literal in asked]
        for row in order:
            place[row] = len(place)
        gates = [[2 * place[x >> 1] + (x & 1) for x in definition[row]] for row in order]
        return Cone(
            np.array(asked, dtype=np.int64),
            np.array(known, dtype=np.int64),
            np.array(gates, dtype=np.int64).reshape(-1, 2),
            [2 * place[row] for row in goals],
            [2 * place[x >> 1] + (x & 1) for x in _conditions(definition, goals)],
            2 * len(place),
        )

    @property
    def work(self) -> float:
        """The work of one block's costs."""
        return 10 + 0.15 * self.size

    def costs(self, asked: Costs) -> Costs:
        """Return the cost of each literal, int32 (size, n), given that of the asked ones (k, n).

        A conjunction costs what its parts cost together, a disjunction what its cheapest part
        does. The cost of a literal's negation stands beside its own.
        """
        costs = np.full((self.size, asked.shape[1]), NEVER, dtype=np.int32)
        costs[1] = 0
        costs[self.known] = asked
        sum_up(costs, self.gates, self.size - 2 * len(self.gates), NEVER)
        return costs


def _conditions(definition: dict[int, tuple[int, int]], goals: list[int]) -> list[int]:
    """Return the literals whose conjunction a goal is; none where there are several goals."""
    found: dict[int, None] = {}
    stack = [2 * row for row in goals] if len(goals) == 1 else []
    while stack:
        literal = stack.pop()
        if literal & 1 or literal >> 1 not in definition:
            found.setdefault(literal)
        else:
            stack += definition[literal >> 1]
    found.pop(TRUE, None)
    return list(found)


def _asked(definition: dict[int, tuple[int, int]], goals: list[int]) -> list[int]:
    """Return the literals of rows without a definition that some literals depend on."""
    found, stack = set(goals), list(goals)
    while stack:
        literal = stack.pop()
        for part in definition.get(literal >> 1, ()):
            needed = part ^ (literal & 1)
            if needed not in found:
                found.add(needed)
                stack.append(needed)
    return sorted(x for x in found if x >> 1 not in definition and x > 1)


def _ordered(definition: dict[int, tuple[int, int]], goals: list[int]) -> list[int]:
    """Return the rows with a definition that some rows depend on, each after its parts."""
    order: dict[int, None] = {}
    stack = list(goals)
    while stack:
        parts = [literal >> 1 for literal in definition.get(stack[-1], ())]
        missing = [part for part in parts if part in definition and part not in order]
        if missing:
            stack += missing
        else:
            row = stack.pop()
            if row in definition:
                order.setdefault(row)
    return list(order)
