"""Complete enumeration of games in series, that is, of subgames that are played in sequence.

States of finished subgames that make no difference to the rest of the game count as one.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Generator, Iterator

import numpy as np
from numpy.typing import NDArray

from gdl import State
from gdl.analysis import Decomposition
from gdl.engine import Expander, Packed, PropnetStateMachine, packed_state
from ggp_player.strategies import (
    Choice,
    Component,
    EngineStrategy,
    Method,
    MoveReport,
    Position,
    component,
    tally,
)
from ggp_player.strategies.solver.enumeration import new_slots, retrograde_analysis
from ggp_player.strategies.solver.enumeration_kernels import (
    COUNTERS,
    HIGHEST,
    UNKNOWN,
    StateGraph,
    fill_slots,
)
from ggp_player.strategies.solver.finished_subgames import FinishedSubgames
from ggp_player.strategies.solver.solution import Solution
from ggp_player.strategies.solver.solver_block import MAX_MOVES

MAX_SERIES_STATES = 1_000_000
"""An enumeration with more states is abandoned."""

SLICE = 2**15
"""Moves made between two yields: about a tenth of a second."""

Indices = NDArray[np.int64]
Values = NDArray[np.float64]


class Series(EngineStrategy):
    """Solves games of several subgames, played one after the other, with moves made in turn.

    The value of a state is the minimax value, for ``random`` the mean, as in
    :class:`.enumeration.Enumeration`. But once a subgame is over, states are distinguished only by
    what the others read of it, so that each subgame is enumerated once for every outcome of those
    before it, not once for every state in which they can end. Until everything is valued, the first
    legal move stands.

    Source: E. Cox, E. Schkufza, R. Madsen and M. Genesereth, Factoring general games using
    propositional automata (2009), for games in series.
    """

    name = "series"
    method = Method.ENUMERATION
    max_moves = MAX_MOVES

    def __init__(self, decomposition: Decomposition) -> None:
        self._decomposition = decomposition
        self._enumerator: SeriesEnumerator | None = None

    @component(Component.SERIES)
    def search(self, position: Position) -> Iterator[Choice]:
        """Yield the first legal move until all states are valued, then the best."""
        moves = position.legal_moves
        if not moves:
            return
        if self._enumerator is None:
            self._enumerator = SeriesEnumerator(
                self.machine_of(position), self._decomposition, position.state
            )
        self._enumerator.slice = min(SLICE, position.work_until(0, SLICE))
        for note in self._enumerator.work:
            yield Choice.first_of(moves, note)
        solution = self._enumerator.solution
        if solution is not None and position.state in solution:
            yield solution.best(position)

    @property
    def work(self) -> int:
        """Joint moves made so far; what it takes to value the states is not counted."""
        return self._enumerator.made if self._enumerator is not None else 0

    def report(self, position: Position) -> tuple[MoveReport, ...]:
        """Return the bounds of each move once the game is solved."""
        solution = None if self._enumerator is None else self._enumerator.solution
        if solution is None or position.state not in solution:
            return ()
        return solution.report(position)


class SeriesEnumerator:
    """An enumeration from one state on; the iterator ``work`` makes it in pieces and yields notes.

    When it has ended there is a ``solution``, unless the enumeration was abandoned: because nothing
    can be forgotten, there are too many states, several roles have a choice at once, or a role has
    no move.
    """

    def __init__(
        self, machine: PropnetStateMachine, decomposition: Decomposition, start: State
    ) -> None:
        self.solution: Solution | None = None
        self.slice = SLICE
        self.made = 0
        self._machine = machine
        self._subgames = FinishedSubgames(machine, decomposition)
        self._expander = Expander(machine.engine)
        self._start = packed_state(machine, start)
        self._indices: dict[int, int] = {}
        self._ends: list[Values] = []
        self._edges: list[Indices] = []
        self._widths: list[Indices] = []
        self.work = self._work()

    def _work(self) -> Iterator[str]:
        if self._subgames.stages and (yield from self._find_all()):
            graph = self._graph()
            yield from retrograde_analysis(graph, self._machine.roles)
            self.solution = Solution(self._subgames, graph)

    def _find_all(self) -> Generator[str, None, bool]:
        """Find all states and the edges between them; return whether that was possible."""
        queue = deque([self._add(self._start)[1]])
        last = self.made
        while queue:
            states = queue.popleft()
            widths = self._expander.choice_counts(states)
            if len(self._indices) > MAX_SERIES_STATES or not _is_in_turn(widths):
                return False
            self._widths.append(widths)
            for children in self._expander.expand(states):
                indices, fresh = self._add(children.states)
                self._edges.append(indices)
                self.made += len(indices)
                tally(moves=len(indices))
                if len(fresh):
                    queue.append(fresh)
            if self.made - last >= self.slice:
                last = self.made
                yield f"{len(self._indices)} states found"
        return True

    def _add(self, states: Packed) -> tuple[Indices, Packed]:
        """Return the indices of the states, and those states that are new and not terminal."""
        keys, ends = self._subgames.summaries(states)
        keys, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
        known = len(self._indices)
        indices = [self._indices.setdefault(key, len(self._indices)) for key in keys.tolist()]
        fresh = first[np.array(indices) >= known]
        self._ends.append(ends[fresh])
        return np.array(indices)[inverse], states[fresh[np.isnan(ends[fresh, 0])]]

    def _graph(self) -> StateGraph:
        """Return the graph of what was found; each state is represented by its key."""
        ends = np.concatenate(self._ends)
        count, is_open = len(ends), np.isnan(ends[:, 0])
        edges = np.concatenate([np.zeros(0, np.int64), *self._edges])
        widths = np.zeros(ends.shape, np.int32)
        widths[is_open] = np.concatenate(self._widths)
        totals = widths.prod(axis=1, dtype=np.int64)
        first_edge = np.concatenate([[0], np.cumsum(totals)])
        counters = np.zeros(1, COUNTERS)
        counters["states"], counters["edges"] = count, len(edges)
        counters["widest"] = totals.max()
        counters["backward"] = (edges <= np.repeat(np.arange(count), totals)).sum()
        keys = np.fromiter(self._indices, np.uint64, count)[:, None]
        slots = new_slots(count)
        fill_slots(slots, keys, 0, count)
        return StateGraph(
            states=keys,
            slots=slots,
            widths=widths,
            first_edge=first_edge,
            edges=edges.astype(np.int32),
            low=np.where(is_open[:, None], 0, ends).astype(np.float32),
            high=np.where(is_open[:, None], HIGHEST, ends).astype(np.float32),
            steps=np.where(is_open[:, None], UNKNOWN, np.zeros(ends.shape)).astype(np.int32),
            counters=counters,
        )


def _is_in_turn(widths: Indices) -> bool:
    """Check that every role has a move in all states, and at most one role has a choice."""
    return bool((widths > 0).all() and ((widths > 1).sum(axis=1) < 2).all())
