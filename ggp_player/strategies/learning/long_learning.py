"""Learning at leisure: what the start clock has seconds for, with minutes or hours.

After random playouts, alpha-beta plays rounds of games against itself with the best evaluation so
far, and the weights are fitted anew to all games. Later rounds are longer, visit more nodes a move,
and keep more states to learn from. New weights replace the best only if they do not lose games
against them, so that the search can be stopped at any time.

Later rounds train a network, too, on what the weights leave unexplained, and it competes with the
weights alone: in equal time, as it takes longer to evaluate a state.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from dataclasses import dataclass
from random import Random

import numpy as np

from gdl.engine import PropnetStateMachine
from ggp_player.strategies.learning.evaluation import (
    PLAYOUT_SECONDS,
    RIDGE,
    WORTH,
    add_networks,
    fit_rivals,
    learn_from_playouts,
    states_to_learn,
)
from ggp_player.strategies.learning.feature_groups import feature_groups
from ggp_player.strategies.learning.learned_evaluation import LearnedEvaluation, Model
from ggp_player.strategies.learning.playout_states import Clock, LabelledStates
from ggp_player.strategies.learning.self_play import NODES, SelfPlay, compare_evaluations

PLAYOUT_SHARE = 0.05
"""The part of the time for random playouts at most; the regression takes longer than they do."""

FIRST_ROUND = 3.0
"""Seconds of the first round of games, a fifth of the time at most."""

GROWTH = 0.25
"""A round takes this part of the time that has passed, if that is longer."""

COMPARISON_SHARE = 0.3
"""The time for games between new weights and the best ones, as a part of the round's."""

NETWORK_START = 0.3
"""The part of the time that has passed before networks are trained: they need more games."""

MOST_NODES = 20_000
"""Nodes visited for a move in the longest rounds."""

MOST_STATES = 4
"""So many times as many states of games as in a start clock are kept."""

MOST_BYTES = 2**28
"""The memory for these states."""


@dataclass(frozen=True, slots=True)
class LearningRound:
    """A round: its games, the nodes of their moves, and the new weights' points against the best.

    ``share`` is from 0 to 1, of the games in which both compete; ``is_kept`` says whether the new
    weights are the best now. ``is_network`` says whether a network came with them.
    """

    number: int
    games: int
    nodes: int
    share: float
    is_kept: bool
    is_network: bool = False

    def __str__(self) -> str:
        games = f"round {self.number}: {self.games} games with {self.nodes} nodes a move"
        points = f"{100 * self.share:.0f} % of the points against the best weights so far"
        model = "with a network " if self.is_network else ""
        return f"{games}; {model}{points}, {'kept' if self.is_kept else 'not kept'}"


@dataclass(frozen=True, slots=True)
class _Plan:
    """How long a round's games take, and whether a network is trained after them."""

    seconds: float
    has_network: bool

    @property
    def patience(self) -> float:
        """How many times as long as the first rounds it is."""
        return max(1.0, self.seconds / FIRST_ROUND)

    @property
    def nodes(self) -> int:
        """Nodes visited for a move."""
        return min(MOST_NODES, int(NODES * self.patience**0.5))


class LongLearning:
    """Learns an evaluation of a game of two rivals; ``evaluation`` is the best so far.

    It goes on from ``evaluation`` where one is given. ``model`` says what may become of it.
    ``rounds`` are those that are finished. ``clock`` returns seconds.
    """

    def __init__(
        self,
        machine: PropnetStateMachine,
        seed: int,
        clock: Clock,
        evaluation: LearnedEvaluation | None = None,
        model: Model = Model.AUTO,
    ) -> None:
        if evaluation is not None and model is Model.LINEAR:
            evaluation = evaluation.linear()
        self.evaluation = evaluation
        self.rounds: list[LearningRound] = []
        self._machine = machine
        self._seed = seed
        self._random = Random(seed)
        self._clock = clock
        self._model = model
        self._groups = feature_groups(machine.facts)
        fluents = len(machine.facts)
        self._played = LabelledStates(
            np.zeros((0, fluents), np.uint8), np.zeros((0, 2), np.float32)
        )
        self._games = evaluation.games if evaluation is not None else 0

    def work(self, seconds: float) -> Iterator[None]:
        """Learn for so many seconds; yield every few hundredths of a second.

        Where playouts give too few states to learn from, ``evaluation`` stays as it is.
        """
        began, machine = self._clock(), self._machine
        playing = min(PLAYOUT_SECONDS, PLAYOUT_SHARE * seconds)
        first = yield from learn_from_playouts(
            machine, self._groups, self._seed, playing, self._clock
        )
        if first is None:
            return
        prior = self.evaluation or first
        self.evaluation = prior
        fitting = 0.0
        while True:
            before = self._clock()
            length = max(min(FIRST_ROUND, seconds / 5), GROWTH * (before - began))
            playing = (1 + COMPARISON_SHARE) * length
            if before - began + playing + fitting > seconds:
                return
            is_late = before - began >= NETWORK_START * seconds
            plan = _Plan(length, is_late and self._model is not Model.LINEAR)
            yield from self._round(plan, prior, first.states)
            fitting = max(0.0, self._clock() - before - playing)

    def _round(self, plan: _Plan, prior: LearnedEvaluation, states: int) -> Iterator[None]:
        """Play games, fit weights to all games so far, and keep them if they do not lose."""
        best = self.evaluation
        assert best is not None
        games = yield from self._play(best, plan)
        weights = yield from fit_rivals(
            self._played, start=prior.weights, groups=self._groups, worth=WORTH, ridge=RIDGE
        )
        learned = LearnedEvaluation(weights, states, self._games)
        if plan.has_network:
            learned = yield from self._with_network(learned, plan)
        share = yield from self._compare(learned, best, plan)
        is_wanted = self._model is Model.NETWORK and learned.is_network and not best.is_network
        is_kept = share >= 0.5 or is_wanted
        if is_kept:
            self.evaluation = learned
        number, network = len(self.rounds) + 1, learned.is_network
        self.rounds.append(LearningRound(number, games, plan.nodes, share, is_kept, network))

    def _play(self, best: LearnedEvaluation, plan: _Plan) -> Generator[None, None, int]:
        """Play games to learn from; return their number."""
        nodes = (plan.nodes, plan.nodes)
        self_play = SelfPlay(self._machine, (best, best), self._random, nodes)
        found, games = yield from self_play.games(plan.seconds, self._clock)
        self._played = self._played.followed_by(found, self._most_states(plan.patience))
        self._games += games
        return games

    def _with_network(
        self, linear: LearnedEvaluation, plan: _Plan
    ) -> Generator[None, None, LearnedEvaluation]:
        """Train a network; return it, or the linear evaluation where that is better."""
        network = yield from add_networks(self._machine, self._played, linear)
        if not network.is_network or self._model is Model.NETWORK:
            return network
        share = yield from self._compare(network, linear, plan)
        return network if share > 0.5 else linear

    def _compare(
        self, challenger: LearnedEvaluation, champion: LearnedEvaluation, plan: _Plan
    ) -> Generator[None, None, float]:
        """Let two evaluations play games; return the challenger's share of points."""
        seconds, random = COMPARISON_SHARE * plan.seconds, self._random
        return (
            yield from compare_evaluations(
                self._machine, challenger, champion, random, seconds, self._clock
            )
        )

    def _most_states(self, patience: float) -> int:
        """How many states of games are kept; the oldest are forgotten."""
        most = int(min(MOST_STATES, patience) * states_to_learn(self._groups.shape[1]))
        return max(1, min(most, MOST_BYTES // len(self._machine.facts)))
