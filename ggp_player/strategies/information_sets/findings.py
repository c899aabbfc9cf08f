"""What a search over information sets has found, and the searches as generators of that.

Each yields again and again, within some hundredths of a second: a :class:`SearchFinding` that
replaces the one before, or None where there is nothing new.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from gdl import Term
from ggp_player.belief import Belief, Hypothesis
from ggp_player.strategies import Counts, Limit, Method
from ggp_player.strategies.information_sets.belief_expectimax import (
    BeliefExpectimax,
    TooDeepError,
)
from ggp_player.strategies.information_sets.counterfactual_regret import (
    RegretMinimisation,
    node_values,
    reach_probabilities,
)
from ggp_player.strategies.information_sets.extensive_form import (
    ExtensiveForm,
    ExtensiveFormBuilder,
    InformationSet,
    estimated_leaves,
)
from ggp_player.strategies.information_sets.game_graph import GameGraph
from ggp_player.strategies.information_sets.information_set_tree import InformationSetTree

MAX_VERTICES = 200_000
"""The states that a search may remember, of some kilobytes each."""

MAX_BELIEFS = 50_000
"""The beliefs that expectimax may remember."""

MAX_NODES = 300_000
"""The nodes that the trees of all roles may have."""

MAX_WIDTH = 4096
"""The most moves of a belief that are tried."""

PROBES = 64
"""Random lines of play from which the size of a game tree is estimated."""

ITERATIONS = 2_000
"""Iterations of regret minimisation, after which there is next to nothing to gain."""

NODES_AT_ONCE = 10_000
"""Nodes of a game tree that regret minimisation updates between two findings."""

Floats: TypeAlias = NDArray[np.float64]

Moves: TypeAlias = tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class SearchFinding:
    """What a search has found: arrays with an entry for each legal move, float64 (moves,).

    ``policy``: how probable each move is to be chosen. ``values``: the expected goal values, NaN
    where a move has none. ``visits``: how often each was tried, None where that is not counted.
    ``limit``: which one the search has reached, in its last finding, unless that is proved.
    """

    policy: Floats
    values: Floats
    method: Method
    counts: Counts
    note: str = ""
    visits: Floats | None = None
    proved: bool = False
    limit: Limit | None = None

    @property
    def value(self) -> float:
        """The expected goal value of what is chosen."""
        return float(np.nansum(self.policy * self.values))


Findings: TypeAlias = Generator[SearchFinding | None, None, None]


def tree_findings(
    tree: InformationSetTree, graph: GameGraph, belief: Belief, random: Random
) -> Findings:
    """Search the trees below a belief, until they are as large as they may be."""
    weighted = belief.open_hypotheses()
    hypotheses: Sequence[Hypothesis] = list(weighted)
    bounds = np.cumsum(list(weighted.values())).tolist()
    root = tree.root(hypotheses[0][0])
    limit: Limit | None = None
    while limit is None:
        tree.iterate(random.choices(hypotheses, cum_weights=bounds, k=tree.at_once))
        counts = Counts(iterations=tree.iterations, nodes=tree.nodes)
        if tree.nodes >= MAX_NODES:
            limit = Limit.NODES
        elif len(graph.vertices) >= 2 * MAX_VERTICES:
            limit = Limit.STATES
        visits = root.visits.copy()
        method, values = Method.INFORMATION_SETS, 100 * root.means
        yield SearchFinding(root.policy, values, method, counts, visits=visits, limit=limit)


def expectimax_findings(
    expectimax: BeliefExpectimax, graph: GameGraph, belief: Belief, moves: Moves
) -> Findings:
    """Solve a belief of one player against chance, with more and more of the moves."""
    weights: dict[int, float] = {}
    for (state, _), weight in belief.open_hypotheses().items():
        number = graph.number(state)
        weights[number] = weights.get(number, 0.0) + weight
    width = 1
    while width <= MAX_WIDTH:
        expectimax.widen(width)
        search = expectimax.solve(weights)
        while True:
            try:
                next(search)
            except StopIteration as end:
                solved = end.value
                break
            except TooDeepError:
                return
            if expectimax.size > MAX_BELIEFS or len(graph.vertices) > MAX_VERTICES:
                return
            yield None
        chosen = np.array([float(move == solved.move) for move in moves])
        values = np.where(chosen > 0, solved.value, np.nan)
        is_best = expectimax.is_exact or solved.value >= expectimax.best_goal
        proved = is_best and belief.is_exact
        note = f"expectimax over {expectimax.size} beliefs, up to {width} moves of each"
        yield SearchFinding(chosen, values, Method.EXPECTIMAX, Counts(), note, proved=proved)
        if is_best:
            return
        width *= 2


class Equilibrium:
    """Regret minimisation on the whole game, if it has at most ``max_nodes`` nodes.

    It is built during the first searches of a match, and serves all of them.
    """

    def __init__(self, graph: GameGraph, max_nodes: int, random: Random) -> None:
        self._graph = graph
        self._max_nodes = max_nodes
        self._random = random
        self._building = self._build()
        self._minimisation: RegretMinimisation | None = None

    def findings(self, role: int, belief: Belief) -> Findings:
        """Go on with it; end where the game is too large, or the belief is none of its own."""
        for _ in self._building:
            yield None
        minimisation = self._minimisation
        if minimisation is None or not belief.begins_at_the_start:
            return
        found = minimisation.form.find(role, belief.observations)
        if found is None:
            return
        at_once = max(1, NODES_AT_ONCE // len(minimisation.form.goals))
        while True:
            for _ in range(at_once):
                if minimisation.iterations < ITERATIONS:
                    minimisation.iterate()
            yield self._finding(minimisation, found)
            if minimisation.iterations >= ITERATIONS:
                return

    def _build(self) -> Iterator[None]:
        leaves = 0.0
        for _ in range(PROBES):
            leaves += estimated_leaves(self._graph, self._random) / PROBES
            yield
            if leaves > self._max_nodes:
                return
        form = yield from ExtensiveFormBuilder(self._graph, self._max_nodes).build()
        if form is not None:
            self._minimisation = RegretMinimisation(form)

    def _finding(self, minimisation: RegretMinimisation, found: InformationSet) -> SearchFinding:
        form, profile = minimisation.form, minimisation.average()
        values = action_values(form, profile, found)
        counts = Counts(iterations=minimisation.iterations, nodes=len(form.goals))
        note = f"equilibrium of {counts.nodes} nodes, {counts.iterations} iterations"
        limit = Limit.ITERATIONS if minimisation.iterations >= ITERATIONS else None
        policy = profile[found.actions]
        return SearchFinding(policy, values, Method.EQUILIBRIUM, counts, note, limit=limit)


def action_values(form: ExtensiveForm, profile: Floats, found: InformationSet) -> Floats:
    """The expected goal values of the actions of an information set: float64 (moves,)."""
    values = node_values(form, profile)[:, found.player]
    others = reach_probabilities(form, profile, found.player)[1]
    sums, weights = np.zeros(len(profile)), np.zeros(len(profile))
    for level in form.levels:
        edges = level.actions >= 0
        actions, reached = level.actions[edges], others[level.nodes[level.parents[edges]]]
        np.add.at(sums, actions, reached * values[level.children[edges]])
        np.add.at(weights, actions, reached)
    own = found.actions
    return np.where(weights[own] > 0, sums[own] / np.maximum(weights[own], 1e-12), np.nan)
