"""Monte Carlo tree search as a strategy: it keeps its tree for the whole match."""

from __future__ import annotations

import time
from bisect import bisect
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import accumulate
from statistics import fmean
from typing import Annotated, ClassVar, Protocol

from pydantic import Field

from gdl import Term
from gdl.engine import PropnetStateMachine, SymmetryGroup
from ggp_player.strategies import Choice, EngineStrategy, MoveReport, Position
from ggp_player.strategies.mcts.arrays import Settings
from ggp_player.strategies.mcts.tree_search import TREE_BYTES, MoveStatistics, TreeSearch, Tuning

SLICE_GATES = 5_000_000
"""The most gates evaluated between two choices: a few hundredths of a second."""

SLICE_SECONDS = 0.03
"""CPU time that a slice should take; a step may take ten times as long as its gates suggest."""

STEP_GATES = 2_000
"""The cost in gates of everything in a step but its gates."""

TUNER_SHARE = 0.6
"""The share of the time that a tuner gets as long as it has work to do."""

DEFAULT = Settings()


class Tuner(Protocol):
    """Finds better settings for a search while it runs; ``tuning`` is what it has found."""

    tuning: Tuning | None

    def work(self, machine: PropnetStateMachine, settings: Settings, seed: int) -> Iterator[None]:
        """Look for better settings than these; yield every few hundredths of a second."""


class MonteCarlo(EngineStrategy):
    """Monte Carlo tree search with playouts in hundreds of lanes. Refuses interpreted rules.

    Plays any number of roles, also when they move at the same time. ``threads`` trees grow in
    parallel, and their statistics are merged at the root. ``playouts`` is a budget for each move,
    unlimited by default. Of states and moves that ``symmetries`` map to one another only one is
    searched. A ``tuner`` works beside the search, for ``TUNER_SHARE`` of the time, until it is
    done. ``memory`` is for all trees together, in bytes. ``clock`` returns seconds of CPU time,
    from which the length of slices is chosen where there is no budget.

    Sources: see :mod:`ggp_player.strategies.mcts`.
    """

    name = "mcts"
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
        tuner: Tuner | None = None,
        memory: int = TREE_BYTES,
        clock: Callable[[], float] = time.process_time,
    ) -> None:
        self._settings = Settings(exploration, leaf_lanes, fan, proofs, uniform=uniform)
        self._symmetries = symmetries
        self._tuner = tuner
        self._tuning: Iterator[None] | None = None
        self._memory = memory
        self._clock = clock
        self._threads = threads
        self._budget = playouts
        self._searches: list[TreeSearch] = []
        self._searched: Position | None = None
        self._fitting_steps = SLICE_GATES
        self._draw = 0.0

    def search(self, position: Position) -> Iterator[Choice]:
        """Yield the best move after each slice, until it is proved or the budget is spent."""
        machine = self.machine_of(position)
        yield Choice(position.legal_moves[0], note="no playouts yet")
        if not self._searches:
            machine.warm_up_later()
            seed, memory = position.random.getrandbits(32), self._memory // self._threads
            self._searches = [
                TreeSearch(machine, self._settings, seed + i, memory, self._symmetries)
                for i in range(self._threads)
            ]
            if self._tuner is not None:
                self._tuning = self._tuner.work(machine, self._settings, seed)
        self._searched = position
        self._draw = position.random.random()
        for search in self._searches:
            search.set_root(position.state)
        with ThreadPoolExecutor(self._threads) as pool:
            yield from self._slices(position, pool)

    def _slices(self, position: Position, pool: ThreadPoolExecutor) -> Iterator[Choice]:
        most = max(1, SLICE_GATES // (self._searches[0].engine.layout.gate_count + STEP_GATES))
        first = self._playouts
        while True:
            began = self._clock()
            steps = most if self._budget is not None else min(most, self._fitting_steps)
            for running in [pool.submit(search.run, steps) for search in self._searches]:
                running.result()
            seconds = (self._clock() - began) / self._threads
            self._fitting_steps = 1 + int(steps * SLICE_SECONDS / max(seconds, SLICE_SECONDS / 2))
            choice = self._choice(position)
            if choice is not None:
                yield choice
            self._tune(seconds)
            if choice is not None and choice.proved:
                return
            if self._budget is not None and self._is_spent(self._playouts - first):
                return

    def _tune(self, seconds: float) -> None:
        """Let the tuner work beside a search that has just run for some seconds."""
        if self._tuner is None or self._tuning is None:
            return
        end = self._clock() + seconds * TUNER_SHARE / (1 - TUNER_SHARE)
        for _ in self._tuning:
            if self._clock() >= end:
                return
        self._tuning = None
        if self._tuner.tuning is not None:
            for search in self._searches:
                search.tune(self._tuner.tuning)

    def _is_spent(self, playouts: int) -> bool:
        """Whether the budget is spent, or everything that more playouts could show is proved."""
        return playouts >= (self._budget or 0) or all(search.is_idle for search in self._searches)

    @property
    def _playouts(self) -> int:
        return sum(search.playouts for search in self._searches)

    def report(self, position: Position) -> Sequence[MoveReport]:
        """Report the statistics of each move at the root."""
        if self._searched is None or self._searched.state != position.state:
            return ()
        machine = self.machine_of(position)
        role = machine.roles.index(position.role)
        return [
            MoveReport(
                machine.moves[role][known.index],
                known.value if known.visits else None,
                known.visits,
                (known.low, known.high),
                self._line(known, position),
            )
            for known in self._known(role)
        ]

    def _line(self, known: MoveStatistics, position: Position) -> tuple[tuple[Term, ...], ...]:
        search = self._searches[0]
        return search.line(position.machine.roles.index(position.role), known.index)

    def _choice(self, position: Position) -> Choice | None:
        machine = self.machine_of(position)
        role = machine.roles.index(position.role)
        note = f"{self._playouts} playouts, {sum(search.nodes for search in self._searches)} nodes"
        known = self._known(role)
        low = max(search.bounds(role)[0] for search in self._searches)
        high = min(search.bounds(role)[1] for search in self._searches)
        if not known:
            moves = position.legal_moves
            value = float(low) if low == high else None
            return Choice(moves[0], value, low == high, note) if len(moves) == 1 else None
        best = best_move(known, low, self._draw)
        value = float(low) if low == high else best.value
        return Choice(machine.moves[role][best.index], value, low == high, note)

    def _known(self, role: int) -> list[MoveStatistics]:
        """The statistics of a role's moves, merged over all trees."""
        found: dict[int, list[MoveStatistics]] = defaultdict(list)
        for search in self._searches:
            for known in search.moves(role):
                found[known.index].append(known)
        return [_merged(parts) for parts in found.values()]


def best_move(moves: Sequence[MoveStatistics], assured: int, draw: float = 0.0) -> MoveStatistics:
    """Choose the move to make among those that could be best.

    It is the most visited one, or, at a simultaneous-move node, one drawn by its probability.
    ``assured`` is the highest of the lower bounds. Moves that cannot be better are left out; if all
    are, or if the move found does not look better, a move that assures that value is made.
    ``draw``, from 0 to 1, is the random number of the draw, which opponents must not know.
    """
    sure = max(moves, key=lambda move: (move.low, move.visits))
    hopeful = [move for move in moves if move.high > assured]
    if not hopeful:
        return sure
    sums = list(accumulate(move.probability for move in hopeful))
    if sums[-1] > 0:
        best = hopeful[bisect(sums, draw * sums[-1], hi=len(sums) - 1)]
    else:
        best = max(hopeful, key=lambda move: (move.visits, move.value))
    return best if best.value > assured or best.low == assured else sure


def _merged(parts: Sequence[MoveStatistics]) -> MoveStatistics:
    visits = sum(part.visits for part in parts)
    total = sum(part.value * part.visits for part in parts)
    low, high = max(part.low for part in parts), min(part.high for part in parts)
    value, probability = total / visits if visits else 0.0, fmean(p.probability for p in parts)
    return MoveStatistics(parts[0].index, value, visits, low, high, probability)
