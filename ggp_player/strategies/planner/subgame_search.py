"""Search of the independent subgames of a game one by one, each from the outcomes of the others.

A subgame is searched breadth first by its own moves, and states are distinguished by the fluents of
the subgames alone. Of all ways to play it only the shortest to each *outcome* is kept: the rest of
the game reads no more of a subgame than a few conditions, such as whether it is solved, so that a
few outcomes stand for all its states. From these the next subgame is searched. So the number of
states is the sum over the subgames, not the product. All states are states of the whole game, and
all plans are paths through it.

Sources: E. Cox, E. Schkufza, R. Madsen and M. Genesereth, Factoring general games using
propositional automata (2009); M. Guenther, S. Schiffel and M. Thielscher, Factoring general games
(2009).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import count

import numpy as np
from numpy.typing import NDArray

from gdl.analysis.decomposition import Conjunction, evaluate_conditions
from gdl.engine import Expander, Packed, hash_states, packed_from_rows
from ggp_player.strategies.planner.beam_search import Beam, BeamSearch
from ggp_player.strategies.planner.best_first import FIRST_MAX_STATES, MAX_STATES_FACTOR
from ggp_player.strategies.planner.heuristics import Heuristics
from ggp_player.strategies.planner.search_memory import KeyTable, NodeBatch, SearchTree
from ggp_player.strategies.planner.state_space import (
    MAX_PLAN_STEPS,
    Integers,
    PlanStream,
    StateSpace,
    Successors,
)

FIRST_MAX_OUTCOMES, MAX_OUTCOMES_FACTOR = 8, 4
"""How many outcomes are searched from at first, and by what factor more in every later turn."""

WAITING_OUTCOMES, WAITING_WIDTH = 4, 64
"""Outcomes of all subgames from which the end is searched for, and the width of that beam."""


def search_subgames(
    space: StateSpace, root: Packed, max_states: int, heuristics: Heuristics
) -> PlanStream:
    """Search the subgames within wider and wider bounds, until nothing is left out."""
    for turn in count():
        bounds = SubgameBounds(
            min(FIRST_MAX_STATES * MAX_STATES_FACTOR**turn, max_states),
            FIRST_MAX_OUTCOMES * MAX_OUTCOMES_FACTOR**turn,
        )
        search = SubgameSearch(space, root, heuristics, bounds)
        yield from search.run()
        if not search.dropped and (not search.full or bounds.states == max_states):
            return


@dataclass(frozen=True, slots=True)
class SubgameBounds:
    """How many states of a subgame are remembered, and from how many outcomes it is searched."""

    states: int
    outcomes: int


class SubgameSearch:
    """One search of all subgames within bounds: ``full`` of states, or with outcomes ``dropped``.

    Even if it is neither, it proves nothing: there is no proof that playing the subgames one after
    the other is as good as any other plan.
    """

    def __init__(
        self, space: StateSpace, root: Packed, heuristics: Heuristics, bounds: SubgameBounds
    ) -> None:
        self._space = space
        self._heuristics = heuristics
        self._bounds = bounds
        self._tree = SearchTree()
        self._reached = NodeBatch(root, self._tree.add_root())
        self._fluents: Packed = np.bitwise_or.reduce(
            [subgame.fluents for subgame in space.decomposition.subgames]
        )
        self.full = self.dropped = False

    def run(self) -> PlanStream:
        """Yield after every block of states."""
        later, interface = self._fluents, list[Conjunction]()
        for subgame in self._space.decomposition.subgames:
            later = later & ~subgame.fluents
            interface += subgame.interface
            expander = Expander(self._space.engine, partial(np.bitwise_and, subgame.moves))
            self._keep_the_best(expander)
            if not len(self._reached.nodes):
                return
            outcomes = Outcomes(self._space, interface, later)
            yield from self._play(expander, outcomes)
            self._reached = outcomes.reached
        yield from self._wait()

    def _play(self, expander: Expander, outcomes: Outcomes) -> PlanStream:
        """Search a subgame by its own moves, from all the states reached before at once."""
        table = KeyTable(self._bounds.states)
        level = self._reached
        table.add(hash_states(level.states, mask=self._fluents))
        for _ in range(MAX_PLAN_STEPS):
            outcomes.add(level)
            following = []
            for children in self._space.successors(level.states, expander=expander):
                yield self._tree.better_plan(children, level.nodes)
                children = children.expandable
                children = children[table.add(hash_states(children.states, mask=self._fluents))]
                nodes = self._tree.add(level.nodes[children.parents], children.moves)
                following.append(NodeBatch(children.states, nodes))
            if not following or table.full:
                break
            level = NodeBatch.joined(following)
        self.full |= table.full

    def _keep_the_best(self, expander: Expander) -> None:
        """Drop outcomes from which the subgame cannot be played, and the worst if too many."""
        # A subgame of a series that was over before the search began cannot be played from the
        # root, the only node at first: then the search begins with the next subgame.
        if self._space.decomposition.in_series and len(self._tree) > 1:
            playable = expander.choice_counts(self._reached.states).any(axis=1)
            self._reached = self._reached[np.flatnonzero(playable)]
        if len(self._reached.nodes) > self._bounds.outcomes:
            self._reached = self._reached[self._order()[: self._bounds.outcomes]]
            self.dropped = True

    def _order(self) -> Integers:
        """Return the indices of the states that were reached, the best first."""
        scores = []
        for batch in self._reached.split(self._space.lanes):
            features = self._space.features(batch.states)
            states = Successors(batch.nodes, batch.nodes, batch.states, features)
            scores.append(self._heuristics.goal_value(states))
        return np.argsort(np.concatenate(scores), kind="stable")

    def _wait(self) -> PlanStream:
        """Search for an end that the subgames alone do not cause, as one at a certain step."""
        for index in self._order()[:WAITING_OUTCOMES].tolist():
            beam = Beam(self._heuristics.distance, WAITING_WIDTH)
            start = self._reached.states[index : index + 1]
            search = BeamSearch(
                self._space, start, self._bounds.states, beam, ignore_counters=False
            )
            path = self._tree.path(int(self._reached.nodes[index]))
            for found in search.run():
                yield found and self._tree.better(replace(found, moves=(*path, *found.moves)))


class Outcomes:
    """The first state reached of each outcome; those of an outcome are the same to other subgames.

    ``interface`` are the conditions that the rest of the game reads of the subgames so far,
    ``later`` the fluents of the subgames to come, as the bits of a packed state.
    """

    def __init__(self, space: StateSpace, interface: Sequence[Conjunction], later: Packed) -> None:
        self._space = space
        self._interface = interface
        self._later = later
        # Machine code does not write the rows that only gates read; the interpreter writes all.
        self._block = space.machine.new_engine(space.engine.words).block()
        self._known: set[int] = set()
        self._batches: list[NodeBatch] = []

    @property
    def reached(self) -> NodeBatch:
        """One state of each outcome, in the order in which they were found."""
        return NodeBatch.joined(self._batches)

    def add(self, reached: NodeBatch) -> None:
        """Add the states that have a new outcome, for each the first of them."""
        for batch in reached.split(self._space.lanes):
            keys, first = np.unique(self._keys(batch.states), return_index=True)
            fresh = [key not in self._known for key in keys.tolist()]
            self._known.update(keys.tolist())
            self._batches.append(batch[np.sort(first[fresh])])

    def _keys(self, states: Packed) -> NDArray[np.uint64]:
        self._block.load_packed(states)
        self._block.view()
        self._space.cost += self._space.view_cost
        interface = packed_from_rows(evaluate_conditions(self._block.rows, self._interface))
        return hash_states(np.hstack([interface[: len(states)], states & self._later]))
