"""Monte Carlo tree search as a strategy: it keeps its tree for the whole match."""

from __future__ import annotations

import time
from bisect import bisect
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import accumulate
from statistics import fmean
from typing import Annotated, ClassVar

from pydantic import Field

from gdl import Term
from gdl.engine import SymmetryGroup
from ggp_player.strategies import Choice, MoveReport, Position
from ggp_player.strategies.engine_strategy import EngineStrategy
from ggp_player.strategies.mcts.arrays import Settings
from ggp_player.strategies.mcts.tree_search import BYTES, TreeSearch, TriedMove

SLICE = 5_000_000
"""Gates evaluated between two choices, at most: some hundredths of a second."""

SLICE_SECONDS = 0.03
"""Processor time that a slice is to take: a step may take ten times what its gates let expect."""

STEP_COST = 2_000
"""Gates in whose time a step does everything else."""

DEFAULT = Settings()


class MonteCarlo(EngineStrategy):
    """Searches with playouts in hundreds of lanes. Refuses games that are not compiled.

    Plays any number of roles, also when they move at the same time. ``threads`` trees grow side
    by side and are asked together. ``playouts`` is a budget for each move: none without. Of states,
    and of moves, that are ``images`` of each other one is searched. ``clock`` returns seconds of
    processor time, by which slices are fitted where there is no budget.

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
        equivalence: Annotated[int, Field(ge=0)] = DEFAULT.equivalence,
        proofs: bool = True,
        uniform: Annotated[float, Field(ge=0, le=1)] = DEFAULT.uniform,
        *,
        images: SymmetryGroup | None = None,
        clock: Callable[[], float] = time.process_time,
    ) -> None:
        self._settings = DEFAULT._replace(
            exploration=exploration,
            leaf_lanes=leaf_lanes,
            fan=fan,
            equivalence=equivalence,
            proofs=proofs,
            uniform=uniform,
        )
        # Playouts that share what they know of a move do not know of its images.
        self._images = None if equivalence else images
        self._clock = clock
        self._threads = threads
        self._budget = playouts
        self._searches: list[TreeSearch] = []
        self._searched: Position | None = None
        self._fitting_steps = SLICE
        self._draw = 0.0

    def search(self, position: Position) -> Iterator[Choice]:
        """Yield the best move after each slice, until it is proved or the budget is spent."""
        machine = self.machine_of(position)
        yield Choice(position.legal_moves[0], note="no playouts yet")
        if not self._searches:
            machine.warm_up_later()
            seed = position.random.getrandbits(32)
            self._searches = [
                TreeSearch(machine, self._settings, seed + i, BYTES // self._threads, self._images)
                for i in range(self._threads)
            ]
            for search in self._searches:
                search.set_root(position.state)
                search.recycle()  # loads the code while there is time, as the first search is long
        self._searched = position
        self._draw = position.random.random()
        for search in self._searches:
            search.set_root(position.state)
        with ThreadPoolExecutor(self._threads) as pool:
            yield from self._slices(position, pool)

    def _slices(self, position: Position, pool: ThreadPoolExecutor) -> Iterator[Choice]:
        most = max(1, SLICE // (self._searches[0].engine.layout.gate_count + STEP_COST))
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
            if choice is not None and choice.proved:
                return
            if self._budget is not None and self._is_spent(self._playouts - first):
                return

    def _is_spent(self, playouts: int) -> bool:
        """Tell whether no more playouts are to come, be it that all they could show is proved."""
        return playouts >= (self._budget or 0) or all(search.is_idle for search in self._searches)

    @property
    def _playouts(self) -> int:
        return sum(search.playouts for search in self._searches)

    def report(self, position: Position) -> Sequence[MoveReport]:
        """Return what the trees know of each move at the root."""
        if self._searched is None or self._searched.state != position.state:
            return ()
        machine = self.machine_of(position)
        role = machine.roles.index(position.role)
        return [
            MoveReport(
                machine.moves[role][known.place],
                known.value if known.visits else None,
                known.visits,
                (known.low, known.high),
                self._line(known, position),
            )
            for known in self._known(role)
        ]

    def _line(self, known: TriedMove, position: Position) -> tuple[tuple[Term, ...], ...]:
        search = self._searches[0]
        return search.line(position.machine.roles.index(position.role), known.place)

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
        return Choice(machine.moves[role][best.place], value, low == high, note)

    def _known(self, role: int) -> list[TriedMove]:
        """Return what all trees together know of a role's moves."""
        found: dict[int, list[TriedMove]] = defaultdict(list)
        for search in self._searches:
            for known in search.moves(role):
                found[known.place].append(known)
        return [_together(parts) for parts in found.values()]


def best_move(moves: Sequence[TriedMove], assured: int, draw: float = 0.0) -> TriedMove:
    """Return the move to make: of those that could be best, the most visited or one by its share.

    ``assured`` is the highest of the lower bounds. A move that cannot be better is left out,
    unless none can; then, and where nothing else looks better, a move that assures it is made.
    ``draw``, from 0 to 1, decides where others move at once, and must not be known to them.
    """
    sure = max(moves, key=lambda move: (move.low, move.visits))
    hopeful = [move for move in moves if move.high > assured]
    if not hopeful:
        return sure
    shares = list(accumulate(move.share for move in hopeful))
    if shares[-1] > 0:
        most = hopeful[bisect(shares, draw * shares[-1], hi=len(shares) - 1)]
    else:
        most = max(hopeful, key=lambda move: (move.visits, move.value))
    return most if most.value > assured or most.low == assured else sure


def _together(parts: Sequence[TriedMove]) -> TriedMove:
    visits = sum(part.visits for part in parts)
    total = sum(part.value * part.visits for part in parts)
    low, high = max(part.low for part in parts), min(part.high for part in parts)
    value, share = total / visits if visits else 0.0, fmean(part.share for part in parts)
    return TriedMove(parts[0].place, value, visits, low, high, share)
