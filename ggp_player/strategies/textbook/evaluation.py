"""Evaluation: the estimated value of a state that is not searched to its end.

A *feature* rates one aspect of a state for a role on the scale of goal values, 0 to 100. An
evaluation is a weighted mean of features. It lies strictly between 0 and 100: only terminal states
have these values, so that a search that returns 0 or 100 has proved it.

Source: M. Genesereth and M. Thielscher, General Game Playing (2014), chapter 7; the weighted sum of
factors, CPSC 315 Programming Studio (2009).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from types import MappingProxyType
from typing import Literal, TypeAlias

from gdl import Constant, State, StateMachine, Term
from gdl.playouts import Ending, play_out
from ggp_player.strategies.textbook.game_tree import opponents_of, utility
from ggp_player.strategies.textbook.memory import CAPACITY, MemoTable, remembered

Feature: TypeAlias = Callable[[StateMachine, State, Constant], float]
"""The rating of a state for a role, 0 to 100."""

NEUTRAL = 50.0
"""The value of a state about which nothing is known."""

LOWEST, HIGHEST = 1.0, 99.0
"""The range of evaluations: below every win, above every loss."""

LONGEST_PLAYOUT = 200
"""Steps after which a playout is abandoned."""


@dataclass(frozen=True, slots=True)
class Weighted:
    """A feature with its weight in the mean."""

    weight: float
    feature: Feature


class Evaluator:
    """The evaluation of states of one game that are not terminal, once for each role."""

    def __init__(self, machine: StateMachine, features: Sequence[Weighted]) -> None:
        self.machine = machine
        self.features = features
        self.memory: MemoTable[tuple[State, Constant], float] = MemoTable(CAPACITY // 4)

    @remembered
    def value(self, state: State, role: Constant) -> float:
        """Return the weighted mean of the features, ``LOWEST`` to ``HIGHEST``."""
        total = sum(weighted.weight for weighted in self.features)
        if not total:
            return NEUTRAL
        mean = sum(w.weight * w.feature(self.machine, state, role) for w in self.features) / total
        return min(max(mean, LOWEST), HIGHEST)


class Mobility:
    """A role's number of legal moves, in percent of the most that it has had so far."""

    def __init__(self) -> None:
        self._most: dict[Constant, int] = {}

    def __call__(self, machine: StateMachine, state: State, role: Constant) -> float:
        """Return 100 for a state with as many moves as ever."""
        moves = len(machine.legal_moves(state, role))
        most = self._most[role] = max(moves, self._most.get(role, 1))
        return 100 * moves / most


class Focus:
    """The opponents' lack of moves: 100 less the mean of their mobility."""

    def __init__(self) -> None:
        self._mobility = Mobility()

    def __call__(self, machine: StateMachine, state: State, role: Constant) -> float:
        """Return nearly 100 for a state in which the opponents have hardly a choice."""
        others = opponents_of(machine, role)
        if not others:
            return NEUTRAL
        return 100 - sum(self._mobility(machine, state, other) for other in others) / len(others)


class GoalProximity:
    """The share of a won state that is present, compared with that of a state an opponent has won.

    Won states, terminal with goal 100, are learnt from playouts. One playout is made with each of
    the first states evaluated, so that no evaluation has to wait for all of them; together they
    have about ``steps`` steps.
    """

    def __init__(self, random: Random, steps: int = 500) -> None:
        self._random = random
        self._steps = steps
        self._wins: dict[Constant, list[frozenset[Term]]] = {}

    def __call__(self, machine: StateMachine, state: State, role: Constant) -> float:
        """Return 50 plus half of the lead over the best opponent, in percent of the facts."""
        if self._steps > 0:
            self._learn(machine, state)
        facts = frozenset(state)
        others = (self._proximity(facts, other) for other in opponents_of(machine, role))
        return NEUTRAL + (self._proximity(facts, role) - max(others, default=0)) / 2

    def _learn(self, machine: StateMachine, state: State) -> None:
        *_, last = play_out(machine, self._random, LONGEST_PLAYOUT, state)
        self._steps -= last.number
        if last.ending is Ending.TERMINAL:
            for role in machine.roles:
                if utility(machine, last.state, role) == 100:
                    self._wins.setdefault(role, []).append(frozenset(last.state))

    def _proximity(self, facts: frozenset[Term], role: Constant) -> float:
        shares = (len(facts & win) / max(1, len(win)) for win in self._wins.get(role, ()))
        return 100 * max(shares, default=0)


class MonteCarloProbe:
    """The mean goal value at the end of some playouts, the probes."""

    def __init__(self, random: Random, probes: int = 2) -> None:
        self._random = random
        self._probes = probes
        self._latest: tuple[State, list[State]] | None = None

    def __call__(self, machine: StateMachine, state: State, role: Constant) -> float:
        """Return the mean over the probes that came to an end, 50 where none did.

        A state that is evaluated for several roles in turn is probed only once.
        """
        if self._latest is None or self._latest[0] != state:
            lasts = [
                list(play_out(machine, self._random, LONGEST_PLAYOUT, state))[-1]
                for _ in range(self._probes)
            ]
            self._latest = state, [s.state for s in lasts if s.ending is Ending.TERMINAL]
        finals = self._latest[1]
        if not finals:
            return NEUTRAL
        return sum(utility(machine, final, role) for final in finals) / len(finals)


def _quick(random: Random) -> tuple[Weighted, ...]:
    return Weighted(1, Mobility()), Weighted(1, Focus()), Weighted(2, GoalProximity(random))


EvaluationName: TypeAlias = Literal["none", "mobility", "proximity", "probes", "quick", "full"]
"""The names of mixtures of features; ``quick`` has all but the expensive probes."""

_MIXTURES: Mapping[EvaluationName, Callable[[Random], tuple[Weighted, ...]]] = MappingProxyType(
    {
        "none": lambda random: (),
        "mobility": lambda random: (Weighted(1, Mobility()), Weighted(1, Focus())),
        "proximity": lambda random: (Weighted(1, GoalProximity(random)),),
        "probes": lambda random: (Weighted(1, MonteCarloProbe(random)),),
        "quick": _quick,
        "full": lambda random: (*_quick(random), Weighted(8, MonteCarloProbe(random))),
    }
)


def features_of(name: EvaluationName, random: Random) -> tuple[Weighted, ...]:
    """Return the features of a mixture, with nothing learnt yet."""
    return _MIXTURES[name](random)
