"""Search of a game's independent parts one by one, each from what came of those before it.

A part is searched breadth first by its own moves, and states are told apart by the facts of the
parts alone. Of all ways to play it only the shortest to each *outcome* is kept: the rest of the
game sees no more of a part than a few conditions, such as whether it is solved, so that a few
outcomes stand for all its states. From these the next part is searched. So states are looked at by
the sum of what the parts have, not by the product. All states are states of the whole game, and
all plans are ways through it.

Sources: E. Cox, E. Schkufza, R. Madsen and M. Genesereth, Factoring general games using
propositional automata (2009); M. Guenther, S. Schiffel and M. Thielscher, Factoring general games
(2009).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import count

import numpy as np
from numpy.typing import NDArray

from gdl.analysis.decomposition import Conjunction, evaluate_conditions
from gdl.engine import Expander, Packed, hash_states, packed_from_rows, rows_from_packed
from ggp_player.strategies.planner.beam_search import Beam, LevelSearch
from ggp_player.strategies.planner.best_first import FIRST_ROOM, MORE_ROOM, SearchTree
from ggp_player.strategies.planner.heuristics import Heuristics
from ggp_player.strategies.planner.state_space import (
    LONGEST,
    Found,
    Integers,
    KeyTable,
    Offspring,
    Progress,
    StateSpace,
)

FIRST_OUTCOMES, MORE_OUTCOMES = 8, 4
"""How many outcomes of the parts so far are gone on from, and how many times that next."""

WAITED, WAITING_WIDTH = 4, 64
"""Outcomes of all parts from which the end is waited for, and how wide the beam that does so is."""


def in_parts(space: StateSpace, root: Packed, room: int, guides: Heuristics) -> Progress:
    """Search the parts with more and more room, until nothing is left out; see the module."""
    for turn in count():
        bounds = PartBounds(
            min(FIRST_ROOM * MORE_ROOM**turn, room), FIRST_OUTCOMES * MORE_OUTCOMES**turn
        )
        search = PartSearch(space, root, guides, bounds)
        yield from search.run()
        if not search.dropped and (not search.full or bounds.states == room):
            return


@dataclass(frozen=True, slots=True)
class PartBounds:
    """How many states of a part are remembered, and how many outcomes are gone on from."""

    states: int
    outcomes: int


@dataclass(frozen=True, slots=True)
class Reached:
    """States, and their numbers as nodes of the tree."""

    states: Packed
    nodes: Integers

    def __getitem__(self, chosen: Integers) -> Reached:
        """Return some of them, by place."""
        return Reached(self.states[chosen], self.nodes[chosen])

    def batches(self, size: int) -> Iterator[Reached]:
        """Yield them in batches of at most so many."""
        for first in range(0, len(self.nodes), size):
            yield self[np.arange(first, min(first + size, len(self.nodes)))]

    @staticmethod
    def joined(parts: Sequence[Reached]) -> Reached:
        """Return several batches as one."""
        return Reached(
            np.concatenate([part.states for part in parts]),
            np.concatenate([part.nodes for part in parts]),
        )


class PartSearch:
    """One search of all parts within bounds: ``full`` of states, or with outcomes ``dropped``.

    It proves nothing where it is neither: that the parts are as good apart is not shown.
    """

    def __init__(
        self, space: StateSpace, root: Packed, guides: Heuristics, bounds: PartBounds
    ) -> None:
        self._space = space
        self._guides = guides
        self._bounds = bounds
        self._tree = SearchTree()
        self._reached = Reached(root, self._tree.add(np.array([-1]), np.array([0])))
        self._facts: Packed = np.bitwise_or.reduce([part.facts for part in space.parts.played])
        self._best = -1
        self.full = self.dropped = False

    def run(self) -> Progress:
        """Yield after every block of states."""
        later, seen = self._facts, list[Conjunction]()
        for part in self._space.parts.played:
            later = later & ~part.facts
            seen += part.interface
            expander = Expander(self._space.engine, partial(np.bitwise_and, part.moves))
            self._keep_the_best(expander)
            if not len(self._reached.nodes):
                return
            outcomes = Outcomes(self._space, seen, later)
            yield from self._play(expander, outcomes)
            self._reached = outcomes.reached
        yield from self._wait()

    def _play(self, expander: Expander, outcomes: Outcomes) -> Progress:
        """Search a part by its moves from what was reached before, all that together."""
        table = KeyTable(self._bounds.states)
        level = self._reached
        table.add(hash_states(level.states, mask=self._facts))
        for _ in range(LONGEST):
            outcomes.add(level)
            following = []
            for children in self._space.children(level.states, expander=expander):
                yield self._best_end(children, level)
                children = children.going_on
                children = children[table.add(hash_states(children.states, mask=self._facts))]
                nodes = self._tree.add(level.nodes[children.parents], children.moves)
                following.append(Reached(children.states, nodes))
            if not following or table.full:
                break
            level = Reached.joined(following)
        self.full |= table.full

    def _keep_the_best(self, expander: Expander) -> None:
        """Drop outcomes that do not lead on, and the worst where there are too many."""
        # Nothing leads on to parts that were over before the search began; it begins after them.
        if self._space.parts.in_series and len(self._tree) > 1:
            going_on = expander.choice_counts(self._reached.states).any(axis=1)
            self._reached = self._reached[np.flatnonzero(going_on)]
        if len(self._reached.nodes) > self._bounds.outcomes:
            self._reached = self._reached[self._order()[: self._bounds.outcomes]]
            self.dropped = True

    def _order(self) -> Integers:
        """Return the places of what was reached, the best first."""
        scores = [
            self._guides.rich.score(
                Offspring(batch.nodes, batch.nodes, batch.states, self._space.look_at(batch.states))
            )
            for batch in self._reached.batches(self._space.lanes)
        ]
        return np.argsort(np.concatenate(scores), kind="stable")

    def _wait(self) -> Progress:
        """Look for the end where the parts alone do not bring it on, as at a certain step."""
        for place in self._order()[:WAITED].tolist():
            beam = Beam(self._guides.near, WAITING_WIDTH)
            start = self._reached.states[place : place + 1]
            search = LevelSearch(
                self._space, start, self._bounds.states, beam, without_counters=False
            )
            way = self._tree.way(int(self._reached.nodes[place]))
            for found in search.run():
                yield found and self._news(replace(found, moves=(*way, *found.moves)))

    def _best_end(self, children: Offspring, parents: Reached) -> Found | None:
        best, value = children.best_end()
        if value <= self._best:
            return None
        way = self._tree.way(int(parents.nodes[children.parents[best]]))
        return self._news(Found(value, (*way, int(children.moves[best]))))

    def _news(self, found: Found) -> Found | None:
        """Return what was found if it is better than all before."""
        if found.value <= self._best:
            return None
        self._best = found.value
        return found


class Outcomes:
    """The first state reached of each outcome: equal in all that the rest of the game sees.

    ``seen`` are the conditions that it sees of the parts so far, ``later`` the fluents of the parts
    to come, as the bits of a packed state.
    """

    def __init__(self, space: StateSpace, seen: Sequence[Conjunction], later: Packed) -> None:
        self._space = space
        self._seen = seen
        self._later = later
        # Machine code does not write the rows that only gates read; the interpreter writes all.
        self._block = space.machine.new_engine(space.engine.words).block()
        self._known: set[int] = set()
        self._parts: list[Reached] = []

    @property
    def reached(self) -> Reached:
        """One state of each outcome, in the order of their coming up."""
        return Reached.joined(self._parts)

    def add(self, reached: Reached) -> None:
        """Take in states; of equal ones the first counts."""
        for batch in reached.batches(self._space.lanes):
            keys, places = np.unique(self._keys(batch.states), return_index=True)
            fresh = [key not in self._known for key in keys.tolist()]
            self._known.update(keys.tolist())
            self._parts.append(batch[np.sort(places[fresh])])

    def _keys(self, states: Packed) -> NDArray[np.uint64]:
        space, rows = self._space, self._block.rows
        fluents = rows_from_packed(states, space.layout.fluent_count, space.engine.words)
        rows[space.layout.fluents :][: space.layout.fluent_count] = fluents
        self._block.view()
        space.work += space.look_work
        seen = packed_from_rows(evaluate_conditions(rows, self._seen))[: len(states)]
        return hash_states(np.hstack([seen, states & self._later]))
