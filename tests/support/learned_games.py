"""A small game with a learned evaluation, and a clock that needs no time."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from dataclasses import replace
from itertools import count
from typing import TypeVar

import numpy as np

from gdl.engine import PropnetStateMachine
from ggp_player.strategies.learning.evaluation import learn_from_playouts
from ggp_player.strategies.learning.feature_groups import feature_groups
from ggp_player.strategies.learning.learned_evaluation import LearnedEvaluation
from ggp_player.strategies.learning.network import Network
from ggp_player.strategies.learning.playout_states import LabelledStates
from ggp_player.strategies.solver import UNITS
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


def learned(machine: PropnetStateMachine) -> LearnedEvaluation:
    """What a thousand steps of random playouts teach."""
    groups = feature_groups(machine.facts)
    evaluation = finished(learn_from_playouts(machine, groups, 1, 1.0, ticking(0.001)))
    assert evaluation is not None
    return evaluation


def numbered_network(machine: PropnetStateMachine) -> LearnedEvaluation:
    """The same with a network in which each fluent has rows of its own."""
    fluents = len(machine.facts)
    rows = np.linspace(-1, 1, (fluents + 4) * UNITS, dtype=np.float32).reshape(-1, UNITS)
    network = Network(rows[:fluents], rows[fluents:-2], rows[-2], rows[-1])
    networks = (network, network.for_the_rival())
    return replace(numbered_evaluation(machine), networks=networks)


def numbered_evaluation(machine: PropnetStateMachine) -> LearnedEvaluation:
    """An evaluation in which each fluent has a weight of its own."""
    weights = np.linspace(-1, 1, len(machine.facts) + 1, dtype=np.float32)
    return LearnedEvaluation((weights, -weights), 3000, 40)


def adding_numbered_networks(
    machine: PropnetStateMachine, _labelled: LabelledStates, linear: LearnedEvaluation
) -> Generator[None, None, LearnedEvaluation]:
    """Stand for the training of networks, which needs many games."""
    yield
    return replace(linear, networks=numbered_network(machine).networks)
