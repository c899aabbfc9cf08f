"""Winning moves: for each move, whether it ends the match at once with the best goal for its role.

Such moves are called decisive. A circuit finds them for all moves and all states of a block
together: the successor's fluents, as functions of the state's, take the place of the fluents in
``terminal`` and in the role's best goal. Little of that depends on the move, and structural
hashing makes the rest once. Three facts keep it small:

- the move is legal and the state is not terminal, which gives values to many gates of the state;
- the other roles make their only legal moves, so that ``does`` is ``legal`` for them;
- long conjunctions are trees, see :mod:`gdl.circuit.cube_extraction`, in which another literal
  changes few gates.

Source: F. Teytaud and O. Teytaud, On the huge benefit of decisive moves in Monte-Carlo tree
search algorithms (2010).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import pairwise
from operator import or_

import numpy as np
from numpy.typing import NDArray

from gdl.circuit.aig import FALSE, TRUE, AndInverterGraph
from gdl.circuit.arrays import Integers, Mask
from gdl.circuit.cube_extraction import extract_cubes
from gdl.circuit.layout import DepthFirst, GateProgram, Layout, ProgramWriter
from gdl.circuit.winning_moves.cone_copies import ConeCopier, arrays_of_graph, arrays_of_program
from gdl.circuit.winning_moves.implied_values import ImpliedValues, with_constants
from gdl.circuit.winning_moves.view_graph import UNDEFINED, ViewGraph, rows_in_cycles

MIN_GATES = 20_000
"""So many gates are always allowed, whatever the size of the game's own circuit."""

MAX_GROWTH = 6
"""At most so many times the gates of the game's own circuit are allowed, if that is more."""

MAX_COPIED_GATES = 12_000_000
"""Copies of gates that may be tried, over all moves: a second or two of work."""

_MAX_IMPLIED_VALUES = 200_000_000
"""Nodes times moves whose values may be propagated, two bits each."""

_ROUNDS = 2
"""How often what excludes each other is propagated; a third round gains nothing in our games."""

_COPIED_TOGETHER = 1_000_000
"""Gates times moves that are held in memory at once."""


@dataclass(frozen=True, slots=True)
class WinningMoves:
    """The rows of winning moves, which follow those of the layout, and the gates for them.

    Row ``first + i`` belongs to move ``i`` among those of all roles, in the order of the legal
    rows. In a lane it is true if the move is legal and leads at once to a terminal state in which
    the greatest goal value of the game holds for the move's role. That is so only for lanes whose
    state is not terminal and in which each other role has exactly one legal move; elsewhere it
    means nothing.

    ``rows`` is the number of rows that a block needs in all. ``program`` is evaluated after the
    view or ``moves_view``, before the fluents change; it writes no row of the layout. ``moves``,
    int64 (n,), are the moves that may win. Rows of the others are not written and stay zero:
    those of moves that never win, of roles with one goal value only, and of a role that waits,
    whose move is the only legal one wherever it is legal and does not tell what the others do.
    """

    first: int
    rows: int
    moves: NDArray[np.int64]
    program: GateProgram


def build_winning_moves(
    layout: Layout,
    goal_table: NDArray[np.int64],
    mutex_groups: Sequence[Collection[int]] = (),
) -> WinningMoves | None:
    """Make the gates for winning moves; None where no move can win, or gates are too many.

    ``goal_table``, int64 (goal rows, 2), has role and value of each. ``mutex_groups`` are sets of
    fluents, by their numbers, of which at most one is true in any state that will be asked about;
    knowing them saves gates.

    The result is None too where the end or the best goals of a successor depend on a cycle, such
    as a connection of cells.
    """
    try:
        return _Builder(layout, goal_table).built(mutex_groups)
    except _NotFeasibleError:
        return None


class _NotFeasibleError(Exception):
    """The gates would be too many, or a cycle would have to be copied."""


class _Builder:
    """Builds one graph: the view, then what is true after each move."""

    def __init__(self, layout: Layout, goal_table: NDArray[np.int64]) -> None:
        self.layout = layout
        self.best = _best_goal_rows(layout, goal_table)
        self.view = ViewGraph(layout, list(self.best.values()))
        self.graph = self.view.graph
        self.transition = arrays_of_program(layout.transition, layout.rows)
        self.is_cyclic = rows_in_cycles(layout.transition, layout.rows)
        self.offsets = np.cumsum([0, *layout.move_counts])
        self.copied = 0

    def built(self, mutex_groups: Sequence[Collection[int]]) -> WinningMoves | None:
        """Make the gates of all roles' moves and give them rows."""
        conditions = {role: self._condition(row) for role, row in self.best.items()}
        self.state = arrays_of_graph(self.graph)
        if len(self.state.left) * self.offsets[-1] > _MAX_IMPLIED_VALUES:
            raise _NotFeasibleError
        self.implied = self._implied_values(mutex_groups)
        wins = np.full(self.offsets[-1], FALSE)
        for role, condition in conditions.items():
            moves = self._moves_of(role)
            moves = moves[self._is_wanted(role, moves)]
            if condition not in (FALSE, TRUE) and len(moves):
                wins[moves] = self._wins(role, moves, condition)
        if not (wins != FALSE).any():
            return None
        return _laid_out(self.layout, *_extracted(self.view, wins, self._most_gates()))

    def _most_gates(self) -> int:
        return max(MIN_GATES, MAX_GROWTH * self.layout.gate_count)

    # ------------------------------------------------------------------ what winning is

    def _condition(self, goal_row: int) -> int:
        """Return the literal of winning in a state: terminal, and the goal row is true.

        Often the goal implies the end: a line is both.
        """
        goal, terminal = self.view.literal(goal_row), self.view.literal(self.layout.terminal)
        if goal == UNDEFINED:
            raise _NotFeasibleError
        implied = ImpliedValues(self.graph, 1)
        implied.assume(goal, 1)
        implied.propagate()
        constants = implied.constants(np.zeros(1, dtype=np.int64))
        cone = ConeCopier(arrays_of_graph(self.graph), np.array([terminal >> 1]))
        (end,) = cone.copies(
            self.graph,
            2 * cone.leaves[:, None],
            lambda literals: with_constants(literals, constants),
        )
        end = with_constants(end[None, :], constants)[0, 0] ^ (terminal & 1)
        return self.graph.and2(goal, int(end))

    # ------------------------------------------------------------------ what is known

    def _implied_values(self, mutex_groups: Sequence[Collection[int]]) -> ImpliedValues:
        """Find what follows from each move's being legal, in a column for each move."""
        every = (1 << int(self.offsets[-1])) - 1
        legal = self._legal(np.arange(self.offsets[-1])).tolist()
        implied = ImpliedValues(self.graph, len(legal))
        implied.assume(self.view.literal(self.layout.terminal) ^ 1, every)
        for move, literal in enumerate(legal):
            implied.assume(literal, 1 << move)
        for _ in range(_ROUNDS):
            implied.propagate()
            for group in mutex_groups:
                implied.assume_at_most_one([self.graph.input(fluent) for fluent in group], every)
            for first, last in pairwise(self.offsets.tolist()):
                own = (1 << last) - (1 << first)
                implied.assume_at_most_one(legal[first:last], every & ~own)
        implied.propagate()
        return implied

    def _is_wanted(self, role: int, moves: Integers) -> Mask:
        """Mark the moves of a role by which it does more than wait: bool (moves,)."""
        columns = self._columns_with_choice(role)
        others_known = -1
        for other in range(len(self.layout.move_counts)):
            if other != role:
                others_known &= self._columns_with_known_move(other)
        columns |= others_known
        return np.array([columns >> move & 1 for move in moves.tolist()], dtype=np.bool_)

    def _columns_with_choice(self, role: int) -> int:
        """Return the columns in which two moves of a role may be legal, as bits."""
        once = twice = 0
        for literal in self._legal_moves_of(role):
            possible = ~self.implied.holds(literal ^ 1)
            once, twice = once | possible, twice | once & possible
        return twice

    def _columns_with_known_move(self, role: int) -> int:
        """Return the columns in which some move of a role is known to be legal, as bits."""
        holds = (self.implied.holds(literal) for literal in self._legal_moves_of(role))
        return reduce(or_, holds, 0)

    def _legal_moves_of(self, role: int) -> list[int]:
        """Return the literals of a role's legal moves."""
        literals: list[int] = self._legal(self._moves_of(role)).tolist()
        return literals

    def _moves_of(self, role: int) -> Integers:
        return np.arange(self.offsets[role], self.offsets[role + 1])

    def _legal(self, moves: Integers) -> Integers:
        """Return the literals of moves' being legal."""
        literals: Integers = self.view.literal_of[self.layout.legal + moves]
        return literals

    # ------------------------------------------------------------------ after each move

    def _wins(self, role: int, moves: Integers, condition: int) -> Integers:
        """Return for some moves of a role the literals of winning by them: int64 (moves,)."""
        after = ConeCopier(self.state, np.array([condition >> 1]))
        fluents = after.leaves - 1
        if (fluents >= self.layout.fluent_count).any():
            raise _NotFeasibleError
        step = ConeCopier(self.transition, self.layout.next + fluents)
        size = (after.size + step.size) * len(moves)
        self.copied += size
        if self.copied > MAX_COPIED_GATES or self.is_cyclic[step.gates].any():
            raise _NotFeasibleError
        parts = np.array_split(moves, 1 + size // _COPIED_TOGETHER)
        wins = [self._wins_of(role, part, step, after) for part in parts if len(part)]
        after_all = np.concatenate(wins) ^ (condition & 1)
        return self.graph.and2_all(self._legal(moves), after_all)

    def _wins_of(self, role: int, moves: Integers, step: ConeCopier, after: ConeCopier) -> Integers:
        """Return the literals of winning after some moves: int64 (moves,)."""
        constants = self.implied.constants(moves)

        def simplified(literals: Integers) -> Integers:
            if len(self.graph) > len(self.state.left) + 2 * self._most_gates():
                raise _NotFeasibleError
            return with_constants(literals, constants)

        state = simplified(self._literals_before(role, moves, step.leaves))
        following = step.copies(self.graph, state, simplified)
        wins: Integers = after.copies(self.graph, following, simplified)[0]
        return wins

    def _literals_before(self, role: int, moves: Integers, rows: Integers) -> Integers:
        """Return the literals that rows have when each of a role's moves is made.

        Both arguments int64 (n,), the result int64 (rows, moves).
        """
        layout = self.layout
        move = rows - layout.moves
        is_move = (move >= 0) & (move < self.offsets[-1])
        literals = self.view.literal_of[np.where(is_move, layout.legal + move, rows)]
        result = np.repeat(literals[:, None], len(moves), axis=1)
        is_own = is_move & (move >= self.offsets[role]) & (move < self.offsets[role + 1])
        result[is_own] = move[is_own, None] == moves
        return result


def _best_goal_rows(layout: Layout, goal_table: NDArray[np.int64]) -> dict[int, int]:
    """Return the row of each role's greatest goal value; roles with one value only have none."""
    values: dict[int, dict[int, int]] = {}
    for row, (role, value) in enumerate(goal_table.tolist(), layout.goals):
        values.setdefault(role, {})[value] = row
    return {role: own[max(own)] for role, own in values.items() if len(own) > 1}


def _extracted(
    view: ViewGraph, wins: Integers, most_gates: int
) -> tuple[AndInverterGraph, Integers, Integers]:
    """Take winning moves out of the view's graph, up to the rows that it leaves; extract cubes.

    Return a graph of their own, the rows where its inputs stand after ``moves_view``, int64
    (inputs,), and the literals of winning moves, int64 (moves,).
    """
    row_of = view.row_of_nodes()
    gates = arrays_of_graph(view.graph)
    computed = replace(gates, order=gates.order[row_of[gates.order] == UNDEFINED])
    cone = ConeCopier(computed, wins >> 1)
    if len(cone.gates) > most_gates:
        raise _NotFeasibleError
    leaves = cone.leaves[cone.leaves > 0]  # The constant is no input.
    graph = AndInverterGraph(len(leaves))
    inputs = 2 * np.searchsorted(leaves, cone.leaves, side="right")
    (literals,) = cone.copies(graph, inputs[:, None], lambda unchanged: unchanged).T
    graph, found = extract_cubes(graph, (literals ^ (wins & 1)).tolist())
    return graph, row_of[leaves], np.array(found, dtype=np.int64)


def _laid_out(
    layout: Layout, graph: AndInverterGraph, input_rows: Integers, wins: Integers
) -> WinningMoves:
    """Give each gate a row, that of a winning move where it is one."""
    inputs = 1 + graph.inputs
    outputs = np.flatnonzero(wins != FALSE)
    is_gate = (wins[outputs] & 1 == 0) & (wins[outputs] >> 1 >= inputs)
    written = outputs[is_gate][::-1]
    output_of = np.full(len(graph), UNDEFINED)
    output_of[wins[written] >> 1] = written
    inner = inputs + np.flatnonzero(output_of[inputs:] == UNDEFINED)
    first = layout.rows + len(inner)
    row_of = first + output_of
    row_of[inner] = layout.rows + np.arange(len(inner))
    row_of[:inputs] = [0, *input_rows]
    writer = ProgramWriter(graph, row_of)
    gates = np.arange(inputs, len(graph))
    writer.write(DepthFirst(graph).order(gates, (wins[outputs] >> 1).tolist()))
    is_copy = ~is_gate | (row_of[wins[outputs] >> 1] != first + outputs)
    writer.copy(wins[outputs[is_copy]], first + outputs[is_copy])
    writer.close(None)
    return WinningMoves(first, first + len(wins), outputs, writer.program())
