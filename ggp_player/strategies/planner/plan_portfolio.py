"""A portfolio of searches for a plan, which take turns by their shares of the work."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import count

import numpy as np

from gdl.engine import Packed
from ggp_player.strategies.planner.beam_search import Beam, BeamSearch
from ggp_player.strategies.planner.best_first import (
    DEPTH_FIRST,
    DEPTH_FIRST_IN_BATCHES,
    FIRST_MAX_STATES,
    GREEDY,
    MAX_STATES_FACTOR,
    MOST_CONSTRAINED_FIRST,
    WEIGHTED_A_STAR,
    BestFirstSearch,
    SearchOrder,
)
from ggp_player.strategies.planner.delete_relaxation import UNREACHABLE, DeleteRelaxation
from ggp_player.strategies.planner.heuristics import Heuristic, Heuristics
from ggp_player.strategies.planner.nested_search import NestedSearch
from ggp_player.strategies.planner.state_space import BLOCK_COST, FoundPlan, PlanStream, StateSpace
from ggp_player.strategies.planner.subgame_search import search_subgames

FIRST_WIDTH, WIDTH_FACTOR, MAX_WIDTH = 64, 8, 1 << 17
"""The widths of the beams: the first, the factor from one turn to the next, and the largest."""

MAX_PLAYOUT_WIDTH = 1 << 12
"""The largest width of beams that are guided by playouts, which are expensive."""

BONUS = 2
"""What is added to the share of the search that found the best plan so far."""

EXACT_TURNS = 4
"""Turns in which heuristics are used as they are; in later turns noise is added."""


@dataclass(slots=True)
class PortfolioMember:
    """A search, its share, and the cost that it has had in proportion to the share."""

    name: str
    share: int
    plans: PlanStream
    spent: float = 0


class PlanPortfolio:
    """The searches for the best plan from one state; they can be stopped and resumed.

    The search that has had the least work in proportion to its share goes next. Work is counted in
    nominal costs, so that the result depends on nothing but the seed.
    """

    def __init__(
        self, space: StateSpace, root: Packed, max_states: int, random: np.random.Generator
    ) -> None:
        self._space = space
        self._root = root
        self._max_states = max_states
        self._relaxation = relaxation_of_best_goal(space, root)
        self._heuristics = Heuristics(space, self._relaxation, random)
        nested = NestedSearch(space, root, self._heuristics, random)
        self._members = [
            PortfolioMember("nested", 1, nested.run()),
            PortfolioMember("breadth first", 1, self._breadth_first(ignore_counters=True)),
            PortfolioMember("all states", 1, self._breadth_first(ignore_counters=False)),
            PortfolioMember("beams", 3, self._beams()),
            PortfolioMember("playout beams", 1, self._playout_beams()),
            PortfolioMember("best first", 2, self._best_first()),
            PortfolioMember("depth first", 1, self._depth_first()),
            PortfolioMember("most constrained first", 2, self._most_constrained_first()),
        ]
        if space.decomposition.subgames:
            plans = search_subgames(space, root, max_states, self._heuristics)
            self._members.append(PortfolioMember("subgames", 4, plans))
        self._best = FoundPlan(-1, ())
        self._finder = ""

    def run(self) -> PlanStream:
        """Yield each plan that is better than all before, and None after other work."""
        while not self._best.proved and self._members:
            member = min(self._members, key=lambda member: member.spent)
            before = self._space.cost
            try:
                found = next(member.plans)
            except StopIteration:
                self._members.remove(member)
                continue
            bonus = BONUS if member.name == self._finder else 0
            member.spent += (BLOCK_COST + self._space.cost - before) / (member.share + bonus)
            yield self._better(found, member.name)

    def _better(self, found: FoundPlan | None, finder: str) -> FoundPlan | None:
        if found is None or (found.value <= self._best.value and not found.proved):
            return None
        if found.value > self._best.value:
            self._best = found
            self._finder = finder if found.value else ""
        if found.proved or found.value >= self._relaxation.value:
            self._best = replace(self._best, proved=True)
        return self._best

    # ------------------------------------------------------------------ members

    def _breadth_first(self, *, ignore_counters: bool) -> PlanStream:
        return BeamSearch(
            self._space, self._root, self._max_states, ignore_counters=ignore_counters
        ).run()

    def _beams(self) -> PlanStream:
        """Search with wider and wider beams, each width with every informative heuristic.

        Some goals must be reached at a certain step: one beam of each width counts steps.
        """
        heuristics = self._heuristics
        for turn in count():
            width = _width(turn, MAX_WIDTH)
            for heuristic in heuristics.informative():
                yield from self._beam(heuristic, width, turn)
            if self._space.counters.any():
                yield from self._beam(heuristics.distance, width, turn, ignore_counters=False)
            yield None

    def _playout_beams(self) -> PlanStream:
        for turn in count():
            yield from self._beam(self._heuristics.playouts, _width(turn, MAX_PLAYOUT_WIDTH), turn)
            yield None

    def _beam(
        self, heuristic: Heuristic, width: int, turn: int, *, ignore_counters: bool = True
    ) -> PlanStream:
        beam = Beam(self._varied(heuristic, turn), width)
        search = BeamSearch(
            self._space, self._root, self._max_states, beam, ignore_counters=ignore_counters
        )
        return search.run()

    def _best_first(self) -> PlanStream:
        distance, goal_value = self._heuristics.distance, self._heuristics.goal_value
        return self._in_turns((distance, WEIGHTED_A_STAR), (distance, GREEDY), (goal_value, GREEDY))

    def _depth_first(self) -> PlanStream:
        heuristics = self._heuristics
        return self._in_turns(
            (heuristics.fewest_moves, DEPTH_FIRST),
            (heuristics.distance, DEPTH_FIRST),
            (heuristics.most_moves, DEPTH_FIRST_IN_BATCHES),
            (heuristics.distance, DEPTH_FIRST_IN_BATCHES),
        )

    def _most_constrained_first(self) -> PlanStream:
        return self._in_turns((self._heuristics.distance, MOST_CONSTRAINED_FIRST))

    def _in_turns(self, *pairs: tuple[Heuristic, SearchOrder]) -> PlanStream:
        """Search with each heuristic and order, in every turn with a larger bound on states."""
        for turn in count():
            max_states = min(FIRST_MAX_STATES * MAX_STATES_FACTOR**turn, self._max_states)
            for heuristic, order in pairs:
                varied = self._varied(heuristic, turn)
                yield from BestFirstSearch(
                    self._space, self._root, max_states, varied, order, self._relaxation
                ).run()
            yield None

    def _varied(self, heuristic: Heuristic, turn: int) -> Heuristic:
        """Return the heuristic for a turn, with noise that grows after ``EXACT_TURNS``."""
        noise = turn - EXACT_TURNS + 1
        return self._heuristics.noisy(heuristic, noise) if noise > 0 else heuristic


def _width(turn: int, widest: int) -> int:
    return int(min(FIRST_WIDTH * WIDTH_FACTOR ** min(turn, 9), widest))


def relaxation_of_best_goal(space: StateSpace, root: Packed) -> DeleteRelaxation:
    """Return the relaxed distance to the highest goal value that may be reached from the root."""
    values = sorted(set(space.engine.goal_table[:, 1].tolist()), reverse=True) or [0]
    relaxation = DeleteRelaxation(space, values[0])
    for value in values:
        relaxation = relaxation.for_goal(value)
        if relaxation.costs(root)[0] < UNREACHABLE:
            break
    return relaxation
