"""Who has won: a match's goal values compared."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias

Outcome: TypeAlias = Literal["win", "draw", "loss", ""]


def outcomes(goals: Sequence[int | None]) -> list[Outcome]:
    """Say who has more than all others, as much as the best of them, or less.

    A lone player wins with 100 and loses with 0. Without a goal value there is no outcome.

    >>> outcomes([100, 0]), outcomes([50, 50]), outcomes([100]), outcomes([None, 3])
    (['win', 'loss'], ['draw', 'draw'], ['win'], ['', 'win'])
    """
    return [_outcome(goal, _best_other(goals, place)) for place, goal in enumerate(goals)]


def _best_other(goals: Sequence[int | None], place: int) -> int | None:
    others = [goal for other, goal in enumerate(goals) if other != place and goal is not None]
    return max(others, default=None)


def _outcome(goal: int | None, best_other: int | None) -> Outcome:
    if goal is None:
        return ""
    low, high = (1, 99) if best_other is None else (best_other, best_other)
    if goal > high:
        return "win"
    return "loss" if goal < low else "draw"
