"""Monte Carlo tree search as a strategy: it keeps its tree for the whole match."""

from __future__ import annotations

import time
from bisect import bisect
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import accumulate
from typing import Annotated, ClassVar

from pydantic import Field

from gdl import Term
from gdl.engine import SymmetryGroup
from ggp_player.clock import Clock
from ggp_player.search_memory import search_memory
from ggp_player.search_slices import slice_seconds, slice_share
from ggp_player.strategies import (
    Choice,
    Component,
    Counts,
    EngineStrategy,
    Limit,
    Method,
    MoveReport,
    Position,
    component,
)
from ggp_player.strategies.mcts.arrays import MINIMAX_SHARE, Settings
from ggp_player.strategies.mcts.tree_search import MoveStatistics, TreeSearch
from ggp_player.strategies.patterns.pattern_tables import PatternTables, Weights

SLICE_GATES = 5_000_000
"""The most gates evaluated between two choices of a normal slice, some hundredths of a second.

Where there is no budget, CPU time decides: a step may take ten times as long as its gates suggest.
"""

STEP_GATES = 2_000
"""The cost in gates of everything in a step but its gates."""

RESISTANCE_SECONDS = 2.0
"""CPU time spent on choosing among moves of equal proved value where there is no budget."""

RESISTANCE_BYTES = 2**26
"""Memory for the tree of that search."""

SLICE_TOLERANCE = 0.04
"""The part of the playouts of a slice that may be missing."""

DEFAULT = Settings()


class MonteCarlo(EngineStrategy):
    """Monte Carlo tree search with playouts in hundreds of lanes. Refuses interpreted rules.

    Plays any number of roles, also when they move at the same time. ``threads`` grow one tree
    together, each with a block of lanes of its own. ``playouts`` is a budget for each move,
    unlimited by default. Where several moves assure the same proved value, and more would be
    possible, a second search without proofs finds the one with which a rival who has not seen the
    proof errs most often; it has a budget of its own, as large, or two seconds. Of states and moves
    that ``symmetries`` map to one another only one is searched. Patterns can :meth:`guide` it. The
    tree takes the memory of :func:`.search_memory`. ``clock`` returns seconds of CPU time, from
    which the length of slices is chosen where there is no budget.

    Sources: see :mod:`ggp_player.strategies.mcts`.
    """

    name = "mcts"
    method = Method.TREE_SEARCH
    ponders: ClassVar[bool] = True

    def __init__(
        self,
        threads: Annotated[int, Field(ge=1, le=64)] = 1,
        playouts: Annotated[int, Field(ge=1)] | None = None,
        exploration: Annotated[float, Field(ge=0)] = DEFAULT.exploration,
        leaf_lanes: Annotated[int, Field(ge=0, le=512)] = DEFAULT.leaf_lanes,
        fan: Annotated[int, Field(ge=1, le=512)] = DEFAULT.fan,
        proofs: bool = True,
        uniform: Annotated[float, Field(ge=0, le=1)] = DEFAULT.uniform,
        *,
        symmetries: SymmetryGroup | None = None,
        clock: Clock = time.process_time,
    ) -> None:
        self._settings = Settings(exploration, leaf_lanes, fan, proofs, uniform=uniform)
        self._symmetries = symmetries
        self._clock = clock
        self._threads = threads
        self._budget = playouts
        self._guides: deque[tuple[PatternTables, Weights, float]] = deque(maxlen=1)
        self._search: TreeSearch | None = None
        self._resistance: TreeSearch | None = None
        self._searched: Position | None = None
        self._fitting_steps = SLICE_GATES
        self._draw = 0.0
        self._rate = 0.0
        self._steps_left: float | None = None

    def guide(
        self, tables: PatternTables, weights: Weights, minimax_share: float = MINIMAX_SHARE
    ) -> None:
        """Guide the search by patterns from its next slice on: see :meth:`.TreeSearch.guide`.

        It may be called while another thread searches.
        """
        self._guides.append((tables, weights, minimax_share))

    @component(Component.TREE_SEARCH)
    def search(self, position: Position) -> Iterator[Choice]:
        """Yield the best move after each slice, until it is proved or the budget is spent."""
        machine = self.machine_of(position)
        yield Choice.first_of(position.legal_moves, "no playouts yet")
        if self._search is None:
            machine.warm_up_later()
            seed, memory = position.random.getrandbits(32), search_memory()
            self._search = TreeSearch(
                machine, self._settings, seed, memory, self._symmetries, self._threads
            )
        self._searched = position
        self._draw = position.random.random()
        self._search.set_root(position.state)
        yield from self._slices(position, self._search)

    @property
    def work(self) -> int:
        """Playouts so far, also those of the search for resistance."""
        searches = (self._search, self._resistance)
        return sum(search.playouts for search in searches if search is not None)

    def _slices(self, position: Position, search: TreeSearch) -> Iterator[Choice]:
        first = search.playouts
        while True:
            if self._guides:
                search.guide(*self._guides.pop())
            self._run_slice(position, search, first)
            choice = self._choice(position, search)
            if choice is not None and choice.proved:
                yield from self._chosen_among_equals(position, search, choice)
                return
            if choice is not None:
                yield choice
            # Where all lanes are idle, everything that more playouts could show is proved.
            if self._budget is not None and (
                search.playouts - first >= self._budget or search.is_idle
            ):
                if choice is not None:
                    yield replace(choice, limit=Limit.PLAYOUTS)
                return

    def _chosen_among_equals(
        self, position: Position, search: TreeSearch, proved: Choice
    ) -> Iterator[Choice]:
        """Yield the best choice among moves of equal proved value, last of all as proved."""
        role = position.machine.roles.index(position.role)
        equals = equally_good(search.moves(role))
        choice = proved
        if len(equals) > 1 and proved.value != search.ceiling(role):
            for move in self._most_resistant(position, {known.index for known in equals}):
                choice = replace(proved, move=move)
                yield replace(choice, proved=False)
        yield choice

    def _most_resistant(self, position: Position, equals: set[int]) -> Iterator[Term]:
        """Yield the one of some moves that a search without proofs visits most, slice by slice."""
        search = self._resistance_search(position)
        machine = self.machine_of(position)
        role = machine.roles.index(position.role)
        began, first = self._clock(), search.playouts
        while self._resistance_goes_on(position, search.playouts - first, began):
            self._run_slice(position, search, first)
            moves = [known for known in search.moves(role) if known.index in equals]
            if moves:
                best = max(moves, key=lambda known: (known.visits, known.value))
                yield machine.moves[role][best.index]

    def _resistance_search(self, position: Position) -> TreeSearch:
        """The search without proofs, with the position as its root."""
        if self._resistance is None:
            self._resistance = TreeSearch(
                self.machine_of(position),
                self._settings._replace(proofs=False),
                position.random.getrandbits(32),
                RESISTANCE_BYTES,
                self._symmetries,
            )
        self._resistance.set_root(position.state)
        return self._resistance

    def _resistance_goes_on(self, position: Position, playouts: int, began: float) -> bool:
        budget = position.work_slice if self._budget is None else self._budget
        if budget is not None:
            return playouts < (1 - SLICE_TOLERANCE) * budget
        return self._clock() - began < RESISTANCE_SECONDS

    def _run_slice(self, position: Position, search: TreeSearch, first: int) -> None:
        """Run for a slice of time, or of the work since there were ``first`` playouts."""
        if position.work_slice is not None:
            self._run_playouts(search, position.work_until(search.playouts - first, 0))
            return
        began, playouts = self._clock(), search.playouts
        steps = self._steps(search)
        search.run(steps)
        self._note_length(search, steps, search.playouts - playouts)
        seconds = (self._clock() - began) / self._threads
        aim = slice_seconds()
        self._fitting_steps = 1 + int(steps * aim / max(seconds, aim / 2))

    def _run_playouts(self, search: TreeSearch, wanted: int) -> None:
        """Run until about so many more playouts have ended, or nothing more can be shown.

        Steps are made for part of what is missing, by the highest rate so far at which playouts
        end: after a new root none do for a while, and towards the end of a match ever more.
        """
        fastest = self._rate or 64 * search.engine.words / search.playout_length
        first, made, all_steps, share = search.playouts, 0, 0, 0.25
        while made < (1 - SLICE_TOLERANCE) * wanted:
            steps = int(share * (wanted - made) / fastest)
            steps = max(1, min(self._most_steps(search), steps))
            search.run(steps)
            gained = search.playouts - first - made
            fastest, share = max(fastest, gained / steps), 0.9
            made += gained
            all_steps += steps
            if search.is_proved or (search.is_idle and not gained):
                return
        self._rate = made / all_steps
        self._note_length(search, all_steps, made)

    def _note_length(self, search: TreeSearch, steps: int, playouts: int) -> None:
        """Note how many steps a playout takes, where so many have ended in so many steps."""
        if playouts > 0:
            lanes = 64 * search.engine.words * self._threads
            self._steps_left = lanes * steps / playouts

    @property
    def steps_left(self) -> float | None:
        """The mean length of the playouts of the latest slice, in steps from the leaf on."""
        return self._steps_left

    def _most_steps(self, search: TreeSearch) -> int:
        return max(1, SLICE_GATES // (search.engine.layout.gate_count + STEP_GATES))

    def _steps(self, search: TreeSearch) -> int:
        """The steps of a slice."""
        most = max(1, int(self._most_steps(search) * slice_share()))
        return most if self._budget is not None else min(most, self._fitting_steps)

    def report(self, position: Position) -> Sequence[MoveReport]:
        """Report the statistics of each move at the root."""
        search, searched = self._search, self._searched
        if search is None or searched is None or searched.state != position.state:
            return ()
        machine = self.machine_of(position)
        role = machine.roles.index(position.role)
        branches = search.branches(role)
        return [
            MoveReport(
                machine.moves[role][known.index],
                known.value if known.visits else None,
                known.visits,
                (known.low, known.high),
                search.line(role, known.index),
                branches.get(known.index),
            )
            for known in search.moves(role)
        ]

    def _choice(self, position: Position, search: TreeSearch) -> Choice | None:
        machine = self.machine_of(position)
        role = machine.roles.index(position.role)
        counts = Counts(playouts=search.playouts, nodes=search.nodes)
        known, (low, high) = search.moves(role), search.bounds(role)
        proved = low == high or search.is_proved
        if not known:
            moves = position.legal_moves
            value = float(low) if low == high else None
            return Choice(moves[0], value, proved, counts=counts) if len(moves) == 1 else None
        best = best_move(known, low, self._draw)
        value = min(max(best.value, float(low)), float(high)) if proved else best.value
        return Choice(machine.moves[role][best.index], value, proved, counts=counts)


def best_move(moves: Sequence[MoveStatistics], assured: int, draw: float = 0.0) -> MoveStatistics:
    """Choose the move to make among those that could be best.

    It is the most visited one, or, at a simultaneous-move node, one drawn by its probability.
    ``assured`` is the highest of the lower bounds. Moves that cannot be better are left out; if all
    are, or if the move found does not look better, a move that assures that value is made, and of
    several the one that is proved to give the others least.
    ``draw``, from 0 to 1, is the random number of the draw, which opponents must not know.
    """
    sure = max(moves, key=lambda move: (move.low, -move.others, move.visits))
    hopeful = [move for move in moves if move.high > assured]
    if not hopeful:
        return sure
    sums = list(accumulate(move.probability for move in hopeful))
    if sums[-1] > 0:
        best = hopeful[bisect(sums, draw * sums[-1], hi=len(sums) - 1)]
    else:
        best = max(hopeful, key=lambda move: (move.visits, move.value))
    return best if best.value > assured or best.low == assured else sure


def equally_good(moves: Sequence[MoveStatistics]) -> list[MoveStatistics]:
    """The moves that are proved to be best: by their lower bound, then by what the others get."""
    best = max((move.low, -move.others) for move in moves) if moves else None
    return [move for move in moves if (move.low, -move.others) == best]
