"""The learner: samples are labelled states, duels are fair, and what pays is taken over."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count, islice
from random import Random

import numpy as np
import pytest
from numpy.typing import NDArray

from gdl.engine import PropnetStateMachine
from ggp_player.strategies import Position
from ggp_player.strategies.learning import Learner, learner
from ggp_player.strategies.learning.duel import play_pairs
from ggp_player.strategies.learning.self_play import (
    best_moves,
    joined,
    play_for_samples,
    random_position,
    search_for,
)
from ggp_player.strategies.mcts import MonteCarlo, Settings, TreeSearch, Tuning
from tests.support.compiled_games import machine_of


def ticking(step: float) -> Callable[[], float]:
    """A clock that goes on by a step whenever it is read."""
    ticks = count()
    return lambda: step * next(ticks)


def test_samples_are_states_of_the_game_with_their_values() -> None:
    machine = machine_of("connectFour")
    search = TreeSearch(machine, Settings(), 1, 2**24)
    game = play_for_samples(search, Random(1), 8, 0.05, ticking(0.001))
    samples = joined(list(islice(game, 10)))
    assert len(samples.states) == len(samples.values) > 50
    assert samples.values.min() >= 0
    assert np.allclose(samples.values.sum(axis=1), 1)


def test_best_moves_win_where_they_can() -> None:
    machine = machine_of("ticTacToe")
    search = TreeSearch(machine, Settings(), 1, 2**22)
    state = machine.initial_state()
    clock = ticking(0.001)
    while not machine.is_terminal(state):
        search_for(search, state, 0.2, clock)
        state = machine.next_state(state, best_moves(search, state))
    assert [machine.goal(state, role) for role in machine.roles] == [50, 50]


def test_a_random_position_can_be_played_on() -> None:
    machine = machine_of("ticTacToe")
    for seed in range(20):
        assert not machine.is_terminal(random_position(machine, Random(seed), 9))


def test_duels_take_turns_and_count_points() -> None:
    machine = machine_of("connectFour")
    weak = TreeSearch(machine, Settings(exploration=1000, proofs=False), 1, 2**22)
    strong = TreeSearch(machine, Settings(), 2, 2**22)
    for score in play_pairs(strong, weak, Random(3), 0.03, ticking(0.001)):
        if score.matches == 4:
            break
    assert score.share > 0.5
    assert score.points <= score.matches


@pytest.mark.parametrize("needed", [0.0, 1.1])
def test_an_evaluation_is_used_where_it_wins(
    needed: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in {
        "SAMPLE_SECONDS": 1.0,
        "DUEL_SECONDS": 2.0,
        "MIN_MATCHES": 1,
        "MOVE_SECONDS": 0.01,
        "NEEDED_SHARE": needed,
        "MIN_SAMPLES": 10,
    }.items():
        monkeypatch.setattr(learner, name, value)
    machine = machine_of("connectFour")
    found = Learner(ticking(0.001))
    for _ in found.work(machine, Settings(), 1):
        pass
    assert "duels won with it" in found.note
    assert (found.tuning is not None) == (needed == 0.0)
    if found.tuning is not None:
        fluents = machine.engine.layout.fluent_count
        assert found.tuning.weights.shape == (2, fluents + 1)
        assert found.tuning.settings.cutoff == learner.CUTOFF


class Stub:
    """A tuner that takes three steps to find that playouts should be cut off."""

    def __init__(self, weights: NDArray[np.float32]) -> None:
        self.tuning: Tuning | None = None
        self._weights = weights

    def work(self, machine: PropnetStateMachine, settings: Settings, seed: int) -> Iterator[None]:
        yield from [None] * 3
        self.tuning = Tuning(settings._replace(cutoff=5), self._weights)


def test_a_search_goes_on_with_what_its_tuner_has_found() -> None:
    machine = machine_of("connectFour")
    weights = np.full((2, machine.engine.layout.fluent_count + 1), 0.001, np.float32)
    strategy = MonteCarlo(playouts=400_000, tuner=Stub(weights), clock=ticking(0.001))
    position = Position(machine, machine.initial_state(), machine.roles[0], Random(1))
    for _ in strategy.search(position):
        pass
    (search,) = strategy._searches
    assert search.settings.cutoff == 5
    assert (search.memory.game.weights == weights).all()
    assert search.nodes > 100


def test_nothing_is_learned_of_a_short_game() -> None:
    found = Learner(ticking(0.001))
    assert list(found.work(machine_of("ticTacToe"), Settings(), 1)) == []
    assert found.tuning is None
    assert "no evaluation is learned" in found.note
