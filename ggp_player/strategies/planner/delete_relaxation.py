"""Delete relaxation: the distance of a goal if nothing that became possible is ever lost again.

The circuit is evaluated in dual-rail encoding: every row is there twice, once for whether it *may*
be true, once for whether it *must* be. A conjunction may be true if both parts may, and must be if
both must; a negation exchanges the rails. So the same gates, doubled, compute for 512 states at
once what may be the case after a step in which all legal moves are made, after two, and so on.

The cost of a fluent that the goal asks for is the step at which it may first have the required
value. From these the cost of the goal is computed as in the heuristic h_add: a conjunction costs
the sum of its parts. That is no lower bound; but a goal that can never hold in the relaxation is
out of reach for certain.

Source: B. Bonet and H. Geffner, Planning as Heuristic Search (2001), for h_add; S. Schiffel and
M. Thielscher, Fluxplayer (2007), for the distance of a goal's condition.
"""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gdl.circuit import TRUE, GateProgram, Layout
from gdl.engine import Packed, aligned_rows, load_kernels, program_array, rows_from_packed
from ggp_player.strategies.planner.relaxation_kernels import DualRail, add_costs, relax
from ggp_player.strategies.planner.state_space import (
    BLOCK_COST,
    GATE_COST,
    Integers,
    StateSpace,
    bits_of,
)

UNREACHABLE = 1 << 20
"""The cost of what can never become true."""

GATE_BUDGET = 4_000_000
"""Gates evaluated per block at most: it limits the lookahead in large circuits."""

MAX_LOOKAHEAD, MIN_LOOKAHEAD = 128, 8
"""Steps."""

MAX_CONE = 30_000
"""A goal of more gates is not decomposed: its cost is the step at which it may first hold."""

Costs = NDArray[np.int32]


class DeleteRelaxation:
    """The relaxed distance of states to one goal value, computed in blocks."""

    def __init__(self, space: StateSpace, value: int) -> None:
        layout, engine = space.layout, space.engine
        self._space, self._layout, self._words = space, layout, engine.words
        # The interpreter reads these by address.
        self._programs = [dual_rail(each, layout.rows) for each in (layout.view, layout.transition)]
        self._arrays = [program_array(program) for program in self._programs]
        self._kernels = load_kernels(engine.words)
        code = [self._kernels.address("interpret"), *(each.ctypes.data for each in self._arrays)]
        self._rails = DualRail(
            aligned_rows(2 * layout.rows, engine.words),
            np.array(code, dtype=np.int64),
            layout.fluents,
            layout.moves,
            layout.legal,
            layout.next,
            layout.fluent_count,
            sum(layout.move_counts),
            layout.rows,
        )
        self._counters = np.flatnonzero(space.counted >= 0)
        steps = GATE_BUDGET // max(2 * space.gates, 1)
        self._steps = int(np.clip(steps, MIN_LOOKAHEAD, MAX_LOOKAHEAD))
        self._set_goal(value)

    def for_goal(self, value: int) -> DeleteRelaxation:
        """Return the relaxed distance to another goal value."""
        other = copy(self)
        other._set_goal(value)
        return other

    def _set_goal(self, value: int) -> None:
        layout, space = self._layout, self._space
        self.value = value
        goals = np.flatnonzero(space.engine.goal_table[:, 1] == value) + layout.goals
        self._cone = Cone.of(layout, goals.tolist())
        inputs = len(self._cone.inputs)
        self._step_cost = 2 * space.gates * GATE_COST + 0.01 * layout.fluent_count + 0.1 * inputs

    def costs(self, states: Packed) -> Costs:
        """Return the cost of each state, int32 (n,): 0 where the goal holds, or ``UNREACHABLE``."""
        none = np.zeros(0, dtype=np.int32)
        return np.concatenate([none, *map(self._costs, self._batches(states))])

    def _costs(self, states: Packed) -> Costs:
        unreached, result = self._count_unreached(states, self._steps)
        steps = abs(result)
        costs = unreached.astype(np.int32)
        # A literal that was unreached before every step never holds, if the last step changed
        # nothing; otherwise it may hold one step later.
        costs[unreached == steps] = UNREACHABLE if result < 0 else steps + 1
        goals = self._cone.costs(costs)[self._cone.goals]
        cheapest: Costs = goals.min(axis=0, initial=UNREACHABLE)
        return cheapest

    def fulfilled(self, states: Packed) -> NDArray[np.bool_]:
        """Return which conditions of the goal hold in the states: bool (n, conditions)."""
        none = np.zeros((0, len(self._cone.conditions)), dtype=np.bool_)
        return np.concatenate([none, *map(self._fulfilled, self._batches(states))])

    def _fulfilled(self, states: Packed) -> NDArray[np.bool_]:
        unreached, _ = self._count_unreached(states, 1)
        costs = self._cone.costs(unreached.astype(np.int32))
        holds: NDArray[np.bool_] = costs[self._cone.conditions] == 0
        return holds.T

    def _batches(self, states: Packed) -> Iterator[Packed]:
        lanes = 64 * self._words
        return (states[first : first + lanes] for first in range(0, len(states), lanes))

    def _count_unreached(self, states: Packed, most: int) -> tuple[NDArray[np.uint8], int]:
        """Relax up to ``most`` steps from at most a block of states.

        Returns before how many steps each input of the cone was unreached, uint8 (k, n), and what
        :func:`relax` returns.
        """
        cone = self._cone
        self._load(states)
        unreached = np.zeros((len(cone.inputs), 64 * self._words), dtype=np.uint8)
        result = relax(self._rails, cone.inputs, unreached, most)
        self._space.cost += BLOCK_COST + abs(result) * self._step_cost + cone.block_cost
        return unreached[:, : len(states)], result

    def _load(self, states: Packed) -> None:
        """Write states to both rails; the remaining lanes repeat them.

        Of step counters, all later steps may be true at once: otherwise every relaxed step would
        add a fluent, and the relaxation would not converge before the last step.
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


def dual_rail(program: GateProgram, rows: int) -> GateProgram:
    """Return a program in dual-rail encoding: row ``r`` may be true, row ``rows + r`` must be."""

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
    """The cone of influence of a goal: the gates that it depends on, each after its inputs.

    ``inputs`` int64 (k,): literals of fluents' rows, and of rows in cycles, that the goal depends
    on. The cone has literals of its own: the constants 0 and 1, then for each input row the literal
    and its negation, then the same for the gates. ``input_literals``: the inputs as such literals.
    ``gates`` int64 (n, 2): the two literals of each conjunction. ``goals``: the literals of which
    one must be true. ``conditions``: literals that must all be true. ``size``: the number of
    literals.
    """

    inputs: Integers
    input_literals: Integers
    gates: Integers
    goals: list[int]
    conditions: list[int]
    size: int

    @staticmethod
    def of(layout: Layout, goals: list[int]) -> Cone:
        """Return the cone of some goal rows of the view."""
        definition = {row: (left, right) for row, left, right in layout.view.gates.tolist()}
        for row in layout.view.feedback[:, 0].tolist():
            definition.pop(row, None)
        order = _ordered(definition, goals)
        if len(order) > MAX_CONE:
            order, definition = [], {}
        inputs = _inputs(definition, [2 * row for row in goals])
        index = {0: 0}
        for row in sorted({literal >> 1 for literal in inputs}):
            index[row] = len(index)
        input_literals = [2 * index[literal >> 1] + (literal & 1) for literal in inputs]
        for row in order:
            index[row] = len(index)
        gates = [[2 * index[x >> 1] + (x & 1) for x in definition[row]] for row in order]
        return Cone(
            np.array(inputs, dtype=np.int64),
            np.array(input_literals, dtype=np.int64),
            np.array(gates, dtype=np.int64).reshape(-1, 2),
            [2 * index[row] for row in goals],
            [2 * index[x >> 1] + (x & 1) for x in _conditions(definition, goals)],
            2 * len(index),
        )

    @property
    def block_cost(self) -> float:
        """The cost of evaluating the cone for one block, in nominal microseconds."""
        return 10 + 0.15 * self.size

    def costs(self, inputs: Costs) -> Costs:
        """Return the cost of each literal, int32 (size, n), from that of the inputs, (k, n).

        The cost of a conjunction is the sum of its parts', that of a disjunction the least of its
        parts'.
        """
        costs = np.full((self.size, inputs.shape[1]), UNREACHABLE, dtype=np.int32)
        costs[1] = 0
        costs[self.input_literals] = inputs
        add_costs(costs, self.gates, self.size - 2 * len(self.gates), UNREACHABLE)
        return costs


def _conditions(definition: dict[int, tuple[int, int]], goals: list[int]) -> list[int]:
    """Return the literals of which a single goal is the conjunction; none for several goals."""
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


def _inputs(definition: dict[int, tuple[int, int]], goals: list[int]) -> list[int]:
    """Return the literals of undefined rows that the literals of goals depend on."""
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
    """Return the defined rows that the rows of goals depend on, each after its parts."""
    needed = set(goals)
    for row, parts in reversed(definition.items()):  # in the order of gates, so parts come first
        if row in needed:
            needed.update(literal >> 1 for literal in parts)
    return [row for row in definition if row in needed]
