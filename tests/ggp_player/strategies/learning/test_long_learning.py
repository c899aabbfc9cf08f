"""Learning at leisure: rounds grow, and what does not lose is kept."""

from __future__ import annotations

from collections.abc import Generator
from itertools import pairwise

import pytest

from gdl.engine import PropnetStateMachine
from ggp_player.strategies.learning import long_learning
from ggp_player.strategies.learning.duel import Score
from ggp_player.strategies.learning.learned_evaluation import LearnedEvaluation
from ggp_player.strategies.learning.long_learning import LearningRound, LongLearning
from ggp_player.strategies.learning.pattern_learning import Learning
from tests.support.learned_games import GAME, exhaust, learned, ticking
from tests.support.small_games import compiled


@pytest.fixture(autouse=True)
def _short_rounds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(long_learning, "FIRST_ROUND", 2.0)


def learning_of(
    machine: PropnetStateMachine, evaluation: LearnedEvaluation | None = None
) -> LongLearning:
    return LongLearning(machine, 1, ticking(0.01), evaluation, by_alpha_beta=True)


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
        by_alpha_beta: bool,
    ) -> Generator[None, None, Score]:
        assert by_alpha_beta
        found.append((challenger, champion))
        yield
        return Score(10 * share, 10)

    monkeypatch.setattr(long_learning, "compare_evaluations", compared)
    return found


def test_rounds_are_longer_the_more_time_has_passed() -> None:
    learning = learning_of(compiled(GAME))
    exhaust(learning.work(20.0))
    rounds = learning.rounds
    assert len(rounds) >= 3
    assert [bool(each.matches) for each in rounds] == [False] + [True] * (len(rounds) - 1)
    assert 2.0 <= rounds[0].seconds < rounds[-1].seconds <= 20.0
    assert str(rounds[0]) == f"{rounds[0].games} games; kept"
    assert 0 < rounds[0].games < rounds[-1].games
    evaluation = learning.evaluation
    assert evaluation is not None
    kept = [number for number, each in enumerate(rounds, 1) if each.is_kept]
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


def test_a_first_round_that_is_interrupted_is_kept() -> None:
    learning = learning_of(compiled(GAME))
    for passed, _ in enumerate(learning.work(20.0)):
        if passed == 0:
            learning.keep_first_round()
            assert learning.evaluation is None
        if learning.evaluation is None:
            learning.keep_first_round()
        else:
            break
    (only,) = learning.rounds
    assert learning.evaluation is not None
    assert learning.evaluation.games == only.games > 0
    assert only.is_kept
    assert only.seconds < 2.0
    learning.keep_first_round()
    assert len(learning.rounds) == 1


def test_a_later_round_that_is_interrupted_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    machine = compiled(GAME)
    before = learned(machine)
    compared_as(1.0, monkeypatch)
    learning = LongLearning(machine, 1, ticking(0.01), before, 30.0, by_alpha_beta=True)
    next(work := learning.work(20.0))
    learning.keep_first_round()
    assert learning.evaluation is before
    assert not learning.rounds
    exhaust(work)
    assert learning.rounds[0].seconds > 30.0


def test_a_round_has_no_more_points_than_matches() -> None:
    assert LearningRound(1.0, 2, 3.0, 3, True).points == 3
    with pytest.raises(ValueError, match="more than 3 points"):
        LearningRound(1.0, 2, 3.5, 3, True)


def test_it_goes_on_from_what_was_learned_before(monkeypatch: pytest.MonkeyPatch) -> None:
    machine = compiled(GAME)
    before = learned(machine)
    pairs = compared_as(0.0, monkeypatch)
    learning = learning_of(machine, evaluation=before)
    exhaust(learning.work(12.0))
    assert pairs[0][1] is before
    assert learning.evaluation is before


def test_of_too_few_states_nothing_is_learned() -> None:
    learning = LongLearning(compiled(GAME), 1, ticking(10.0), by_alpha_beta=True)
    exhaust(learning.work(12.0))
    assert learning.evaluation is None
    assert learning.rounds == []


def test_a_round_in_which_no_game_ends_is_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Learning, "_play_slice", lambda *_arguments: None)
    learning = learning_of(compiled(GAME))
    exhaust(learning.work(20.0))
    assert learning.evaluation is None
    assert len(learning.rounds) >= 3
    assert {str(each) for each in learning.rounds} == {"0 games; not kept"}
