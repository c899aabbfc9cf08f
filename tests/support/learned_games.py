"""A small game with a learned evaluation, and a clock that needs no time."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from functools import cache
from itertools import count
from typing import TypeVar

import numpy as np

from gdl.engine import PropnetStateMachine
from ggp_player.strategies.learning.learned_evaluation import LearnedEvaluation
from ggp_player.strategies.learning.pattern_learning import Learning
from ggp_player.strategies.patterns.cells import Cell
from ggp_player.strategies.patterns.pattern_tables import lay_out_tables
from tests.support.small_games import breakthrough

Result = TypeVar("Result")

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


def finished(work: Generator[None, None, Result]) -> Result:
    """Do all of some work, and return its result."""
    while True:
        try:
            next(work)
        except StopIteration as end:
            result: Result = end.value
            return result


@cache
def learned(machine: PropnetStateMachine) -> LearnedEvaluation:
    """What some hundreds of games teach."""
    learning = Learning(machine, 1)
    exhaust(learning.work(2.0, ticking(0.01)))
    assert learning.evaluation is not None
    return learning.evaluation


def numbered_evaluation(machine: PropnetStateMachine) -> LearnedEvaluation:
    """An evaluation in which each fluent has a weight of its own, and there are two phases."""
    fluents = len(machine.facts)
    cells = [Cell((fluent,)) for fluent in range(fluents)]
    tables = lay_out_tables(cells, [(fluent,) for fluent in range(fluents)], (0, 1), fluents)
    weights = np.linspace(-1, 1, 2 * (tables.entries + 1), dtype=np.float32)
    return LearnedEvaluation(tables, weights.reshape(-1, 2), 40)
