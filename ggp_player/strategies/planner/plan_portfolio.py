"""Several searches for a plan side by side, each with its share of the work."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import count

import numpy as np

from gdl.engine import Packed
from ggp_player.strategies.planner.beam_search import Beam, LevelSearch
from ggp_player.strategies.planner.best_first import (
    DEEPEST_FIRST,
    DEPTH_FIRST,
    FIRST_ROOM,
    GREEDY,
    MORE_ROOM,
    NARROW,
    SHORT_AND_GREEDY,
    BestFirstSearch,
    Order,
)
from ggp_player.strategies.planner.delete_relaxation import NEVER, DeleteRelaxation
from ggp_player.strategies.planner.heuristics import Heuristic, Heuristics
from ggp_player.strategies.planner.nested_search import NestedSearch
from ggp_player.strategies.planner.part_search import in_parts
from ggp_player.strategies.planner.state_space import BLOCK, Found, Progress, StateSpace

NARROWEST, WIDENING, WIDEST = 64, 8, 1 << 17
"""The widths of the beams: the first, the factor from one round to the next, and the bound."""

PLAYED_WIDEST = 1 << 12
"""Beams that are guided by playouts are dear: they get no wider than this."""

BONUS = 2
"""What the search that found the best plan so far gets on top of its share."""

UNVARIED = 4
"""Turns in which guides are followed to the letter; the next ones add some noise."""


@dataclass(slots=True)
class Member:
    """A search and the work that it has had, divided by its share."""

    name: str
    share: int
    progress: Progress
    spent: float = 0


class PlanPortfolio:
    """The searches for the best plan from one state; stopped, they can be gone on with.

    The search that has had the least work for its share goes next, so that what is found depends on
    nothing but the seed.
    """

    def __init__(
        self, space: StateSpace, root: Packed, room: int, random: np.random.Generator
    ) -> None:
        self._space = space
        self._root = root
        self._room = room
        self._random = random
        self._relaxation = within_reach(space, root)
        self._guides = Heuristics(space, self._relaxation, random)
        self._members = [
            Member("nested", 1, NestedSearch(space, root, self._guides, random).run()),
            Member("breadth first", 1, self._breadth(True)),
            Member("all states", 1, self._breadth(False)),
            Member("beams", 3, self._beams()),
            Member("played beams", 1, self._played_beams()),
            Member("best first", 2, self._best_first()),
            Member("depth first", 1, self._depth_first()),
            Member("narrow", 2, self._narrow()),
        ]
        if space.parts.played:
            parts = in_parts(space, root, room, self._guides)
            self._members.append(Member("parts", 4, parts))
        self._best = Found(-1, ())
        self._finder = ""

    def run(self) -> Progress:
        """Yield each plan that is better than all before, and None after other work."""
        while not self._best.proved and self._members:
            member = min(self._members, key=lambda member: member.spent)
            before = self._space.work
            try:
                found = next(member.progress)
            except StopIteration:
                self._members.remove(member)
                continue
            bonus = BONUS if member.name == self._finder else 0
            member.spent += (BLOCK + self._space.work - before) / (member.share + bonus)
            yield self._better(found, member.name)

    def _better(self, found: Found | None, finder: str) -> Found | None:
        if found is None or (found.value <= self._best.value and not found.proved):
            return None
        if found.value > self._best.value:
            self._best = found
            self._finder = finder if found.value else ""
        if found.proved or found.value >= self._relaxation.value:
            self._best = replace(self._best, proved=True)
        return self._best

    # ------------------------------------------------------------------ members

    def _breadth(self, without_counters: bool) -> Progress:
        room = self._room
        search = LevelSearch(self._space, self._root, room, without_counters=without_counters)
        return search.run()

    def _beams(self) -> Progress:
        """Search with wider and wider beams, each width with every guide.

        Some goals must be reached at a certain step: one beam of each width tells steps apart.
        """
        guides = self._guides
        for turn in count():
            width = _width(turn, WIDEST)
            for guide in guides.telling():
                yield from self._beam(guide, width, turn)
            if self._space.counters.any():
                yield from self._beam(guides.near, width, turn, without_counters=False)
            yield None

    def _played_beams(self) -> Progress:
        for turn in count():
            yield from self._beam(self._guides.played, _width(turn, PLAYED_WIDEST), turn)
            yield None

    def _beam(
        self, guide: Heuristic, width: int, turn: int, *, without_counters: bool = True
    ) -> Progress:
        beam = Beam(self._varied(guide, turn), width)
        search = LevelSearch(
            self._space, self._root, self._room, beam, without_counters=without_counters
        )
        return search.run()

    def _best_first(self) -> Progress:
        guides = self._guides
        pairs = [(guides.near, SHORT_AND_GREEDY), (guides.near, GREEDY), (guides.rich, GREEDY)]
        return self._first(pairs)

    def _depth_first(self) -> Progress:
        guides = self._guides
        pairs = [(guide, DEEPEST_FIRST) for guide in (guides.tight, guides.near)]
        return self._first([*pairs, (guides.open, DEPTH_FIRST), (guides.near, DEPTH_FIRST)])

    def _narrow(self) -> Progress:
        return self._first([(self._guides.near, NARROW)])

    def _first(self, pairs: list[tuple[Heuristic, Order]]) -> Progress:
        """Search with every guide and order in turn, with more and more room."""
        for turn in count():
            room = min(FIRST_ROOM * MORE_ROOM**turn, self._room)
            for guide, order in pairs:
                how = self._varied(guide, turn), order
                yield from BestFirstSearch(self._space, self._root, room, self._guides, how).run()
            yield None

    def _varied(self, guide: Heuristic, turn: int) -> Heuristic:
        """Return the guide for a turn: later ones are led a little astray."""
        return self._guides.noisy(guide, turn - UNVARIED + 1) if turn >= UNVARIED else guide


def _width(turn: int, widest: int) -> int:
    return int(min(NARROWEST * WIDENING ** min(turn, 9), widest))


def within_reach(space: StateSpace, root: Packed) -> DeleteRelaxation:
    """Return the relaxed distance to the highest goal value that may be reached from the root."""
    values = sorted(set(space.engine.goal_table[:, 1].tolist()), reverse=True) or [0]
    relaxation = DeleteRelaxation(space, values[0])
    for value in values:
        relaxation = relaxation.to(value)
        if relaxation.costs(root)[0] < NEVER:
            break
    return relaxation
