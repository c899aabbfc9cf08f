"""Who has won: a match's goal values compared."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias

Outcome: TypeAlias = Literal["win", "draw", "loss", ""]


def outcomes(goals: Sequence[int | None]) -> list[Outcome]:
    """Say who has more than all others, as much as the best of them, or less.

    A lone player wins with 100 and loses with 0. Where goal values are missing there is no outcome.

    >>> outcomes([100, 0]), outcomes([50, 50]), outcomes([100]), outcomes([None, 3])
    (['win', 'loss'], ['draw', 'draw'], ['win'], ['', ''])
    """
    known = [goal for goal in goals if goal is not None]
    if len(known) < len(goals):
        return [""] * len(goals)
    return [_outcome(goal, known[:place] + known[place + 1 :]) for place, goal in enumerate(known)]


def _outcome(goal: int, others: Sequence[int]) -> Outcome:
    low, high = (max(others), max(others)) if others else (1, 99)
    if goal > high:
        return "win"
    return "loss" if goal < low else "draw"
