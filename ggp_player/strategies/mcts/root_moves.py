"""What is known of the moves at the root of a tree, and which of them to make.

Visits since the search began say which move was thought best for longest; a move whose refutation
was found late keeps them. So it is the latest visits that decide: where the search goes now.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

LATEST = 0.25
"""The part of the visits since the root was set that decides which move is made."""

MAX_SNAPSHOTS = 128
"""Snapshots of visits that are kept; with more, every other one is dropped."""

Visits: TypeAlias = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class MoveStatistics:
    """What the search knows of a move at the root.

    ``index`` is the move's among the role's moves. ``value`` is the mean goal value, 0 to 100, of
    ``visits`` playouts; ``low`` and ``high`` are proved bounds of it. ``probability`` is how often
    to make it at a simultaneous-move root; 0 for all moves elsewhere. ``others`` is what the other
    roles get at most, together, as far as that is proved; 0 for all moves where goals have a
    constant sum. ``latest`` are those of its visits that decide: see :class:`LatestVisits`.
    """

    index: int
    value: float
    visits: int
    low: int
    high: int
    probability: float = 0.0
    others: int = 0
    latest: int = 0


class LatestVisits:
    """The visits of the root's moves in the latest part of the search, :data:`LATEST`.

    It is told the visits of all moves when the root is set, and again from time to time.
    """

    def __init__(self) -> None:
        self._snapshots: list[Visits] = []

    def forget(self) -> None:
        """Begin anew, as for another root or an empty tree."""
        self._snapshots.clear()

    def note(self, visits: Visits) -> None:
        """Note the visits so far, a number for each move."""
        if len(self._snapshots) >= MAX_SNAPSHOTS:
            del self._snapshots[1::2]
        self._snapshots.append(visits)

    def of(self, visits: Visits) -> Visits:
        """Those of the visits so far that are from the latest part of the search."""
        if not self._snapshots:
            return visits
        first, now = int(self._snapshots[0].sum()), int(visits.sum())
        began = now - LATEST * (now - first)
        before = bisect(self._snapshots, began, key=lambda known: int(known.sum()))
        return visits - self._snapshots[max(0, before - 1)]


def best_move(moves: Sequence[MoveStatistics], assured: int, draw: float = 0.0) -> MoveStatistics:
    """Choose the move to make among those that could be best.

    It is the one with the most of the latest visits, or, at a simultaneous-move node, one drawn by
    its probability.
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
        best = max(hopeful, key=lambda move: (move.latest, move.visits, move.value))
    return best if best.value > assured or best.low == assured else sure


def equally_good(moves: Sequence[MoveStatistics]) -> list[MoveStatistics]:
    """The moves that are proved to be best: by their lower bound, then by what the others get."""
    best = max((move.low, -move.others) for move in moves) if moves else None
    return [move for move in moves if (move.low, -move.others) == best]
