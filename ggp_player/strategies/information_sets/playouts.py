"""Random playouts from the leaves of a search, by blocks where the rules are compiled.

Random moves need no knowledge, so that a playout may go on from a state that nobody knows.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from random import Random
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from gdl import State, StateMachine
from gdl.engine import PropnetStateMachine
from gdl.playouts import play_out

MAX_PLAYOUT_STEPS = 500
"""The longest playout; one that has not ended then counts as a draw."""

DRAW = 50.0

Values: TypeAlias = NDArray[np.float64]
"""The roles' expected goal values: float64 (roles,)."""


class PlayoutEvaluator(ABC):
    """Evaluates states by the mean goal values of random playouts."""

    at_once: int
    """How many states are evaluated together."""

    @abstractmethod
    def evaluate(self, states: Sequence[State]) -> NDArray[np.float64]:
        """Return the mean goal values of each state, none of them terminal: (states, roles)."""


def playout_evaluator(machine: StateMachine, random: Random) -> PlayoutEvaluator:
    """Return what evaluates states of a machine."""
    if isinstance(machine, PropnetStateMachine):
        return _BlockPlayouts(machine, random)
    return _SinglePlayouts(machine, random)


class _SinglePlayouts(PlayoutEvaluator):
    """One playout a state, on any machine."""

    at_once = 1

    def __init__(self, machine: StateMachine, random: Random) -> None:
        self._machine = machine
        self._random = random

    def evaluate(self, states: Sequence[State]) -> NDArray[np.float64]:
        return np.array([self._values(state) for state in states])

    def _values(self, state: State) -> list[float]:
        machine, last = self._machine, state
        for step in play_out(machine, self._random, MAX_PLAYOUT_STEPS, state):
            last = step.state
        if not machine.is_terminal(last):
            return [DRAW] * len(machine.roles)
        return [float(machine.goal(last, role) or 0) for role in machine.roles]


class _BlockPlayouts(PlayoutEvaluator):
    """As many playouts for each state as a block has lanes for."""

    at_once = 16

    def __init__(self, machine: PropnetStateMachine, random: Random) -> None:
        self._machine = machine
        self._block = machine.block(random.getrandbits(32))

    def evaluate(self, states: Sequence[State]) -> NDArray[np.float64]:
        bits = np.stack([self._machine.bits(state) for state in states])
        self._block.load(bits)  # repeats them through all lanes
        self._block.view()
        played = self._block.play(MAX_PLAYOUT_STEPS, refill=False)
        owner = np.arange(self._block.lanes) % len(states)
        lanes = np.bincount(owner, minlength=len(states))[:, None]
        goals = np.zeros((len(states), len(self._machine.roles)))
        np.add.at(goals, owner, played.goals)
        unfinished = lanes - np.bincount(owner, played.ended, len(states))[:, None]
        return np.asarray((goals + DRAW * unfinished) / lanes)
