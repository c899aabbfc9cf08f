"""Learning at leisure: rounds grow, and what does not lose is kept."""

from __future__ import annotations

from collections.abc import Generator
from itertools import pairwise

import pytest

from gdl.engine import PropnetStateMachine
from ggp_player.strategies.learning import long_learning
from ggp_player.strategies.learning.learned_evaluation import LearnedEvaluation
from ggp_player.strategies.learning.long_learning import LongLearning
from tests.support.learned_games import GAME, exhaust, learned, ticking
from tests.support.small_games import compiled


@pytest.fixture(autouse=True)
def _short_rounds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(long_learning, "FIRST_ROUND", 2.0)


def learning_of(
    machine: PropnetStateMachine, evaluation: LearnedEvaluation | None = None
) -> LongLearning:
    return LongLearning(machine, 1, ticking(0.01), evaluation)


def compared_as(
    share: float, monkeypatch: pytest.MonkeyPatch
) -> list[tuple[LearnedEvaluation, LearnedEvaluation]]:
    """Let all comparisons end with a share; the list gets what is compared."""
    found: list[tuple[LearnedEvaluation, LearnedEvaluation]] = []

    def compared(
        _machine: object,
        challenger: LearnedEvaluation,
        champion: LearnedEvaluation,
        *_others: object,
    ) -> Generator[None, None, float]:
        found.append((challenger, champion))
        yield
        return share

    monkeypatch.setattr(long_learning, "compare_evaluations", compared)
    return found


def test_rounds_are_longer_the_more_time_has_passed() -> None:
    learning = learning_of(compiled(GAME))
    exhaust(learning.work(20.0))
    rounds = learning.rounds
    assert [each.number for each in rounds] == list(range(1, len(rounds) + 1))
    assert len(rounds) >= 3
    assert 0 < rounds[0].games < rounds[-1].games
    evaluation = learning.evaluation
    assert evaluation is not None
    kept = [each.number for each in rounds if each.is_kept]
    assert evaluation.games == sum(each.games for each in rounds[: max(kept, default=0)])


def test_weights_that_lose_are_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    pairs = compared_as(0.4, monkeypatch)
    learning = learning_of(compiled(GAME))
    exhaust(learning.work(12.0))
    first, *others = learning.rounds
    assert len(pairs) == len(others) >= 1
    assert first.is_kept
    assert not any(each.is_kept for each in others)
    assert len({id(champion) for _, champion in pairs}) == 1
    assert learning.evaluation is pairs[0][1]
    assert str(others[0]).endswith("40 % of the points against the best weights so far, not kept")


def test_weights_that_do_not_lose_are_the_next_to_beat(monkeypatch: pytest.MonkeyPatch) -> None:
    pairs = compared_as(0.5, monkeypatch)
    learning = learning_of(compiled(GAME))
    exhaust(learning.work(12.0))
    for (challenger, _), (_, champion) in pairwise(pairs):
        assert challenger is champion
    assert learning.evaluation is not None
    assert learning.evaluation is pairs[-1][0]


def test_it_can_be_stopped_at_any_time(monkeypatch: pytest.MonkeyPatch) -> None:
    compared_as(1.0, monkeypatch)
    learning = learning_of(compiled(GAME))
    for _ in learning.work(20.0):
        if len(learning.rounds) == 2:
            break
    assert learning.evaluation is not None
    assert learning.evaluation.games == sum(each.games for each in learning.rounds)


def test_it_goes_on_from_what_was_learned_before(monkeypatch: pytest.MonkeyPatch) -> None:
    machine = compiled(GAME)
    before = learned(machine)
    pairs = compared_as(0.0, monkeypatch)
    learning = learning_of(machine, evaluation=before)
    exhaust(learning.work(12.0))
    assert pairs[0][1] is before
    assert learning.evaluation is before


def test_of_too_few_states_nothing_is_learned() -> None:
    learning = LongLearning(compiled(GAME), 1, ticking(10.0))
    exhaust(learning.work(12.0))
    assert learning.evaluation is None
    assert learning.rounds == []
