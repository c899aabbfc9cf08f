"""A small game with a learned evaluation, and a clock that needs no time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count

import numpy as np

from gdl.engine import PropnetStateMachine
from ggp_player.strategies.learning.learned_evaluation import LearnedEvaluation
from tests.support.small_games import breakthrough

GAME = f"{breakthrough(4, 5)} (corner 1)"
"""A board that is not its own mirror image, so that no symmetry exchanges fluents."""


def ticking(step: float) -> Callable[[], float]:
    """A clock that goes on by a step whenever it is read."""
    ticks = count()
    return lambda: step * next(ticks)


def exhaust(work: Iterator[None]) -> None:
    """Do all of some work."""
    for _ in work:
        pass


def numbered_evaluation(machine: PropnetStateMachine) -> LearnedEvaluation:
    """An evaluation in which each fluent has a weight of its own."""
    weights = np.linspace(-1, 1, len(machine.facts) + 1, dtype=np.float32)
    return LearnedEvaluation((weights, -weights), 3000, 40)
