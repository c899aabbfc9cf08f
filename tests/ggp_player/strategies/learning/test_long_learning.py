"""Learning at leisure: rounds grow, and what does not lose is kept."""

from __future__ import annotations

from collections.abc import Generator
from itertools import pairwise

import pytest

from gdl.engine import PropnetStateMachine
from ggp_player.strategies.learning import evaluation, long_learning
from ggp_player.strategies.learning.learned_evaluation import LearnedEvaluation, Model
from ggp_player.strategies.learning.long_learning import LongLearning
from ggp_player.strategies.learning.playout_states import LabelledStates
from tests.support.learned_games import (
    GAME,
    adding_numbered_networks,
    exhaust,
    numbered_evaluation,
    numbered_network,
    ticking,
)
from tests.support.small_games import compiled


@pytest.fixture(autouse=True)
def _short_rounds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(long_learning, "FIRST_ROUND", 0.04)
    monkeypatch.setattr(long_learning, "NODES", 200)
    monkeypatch.setattr(long_learning, "PLAYOUT_SHARE", 0.3)


def learning_of(
    machine: PropnetStateMachine,
    model: Model = Model.LINEAR,
    evaluation: LearnedEvaluation | None = None,
) -> LongLearning:
    return LongLearning(machine, 1, ticking(0.001), evaluation, model)


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
    exhaust(learning.work(0.5))
    rounds = learning.rounds
    assert [each.number for each in rounds] == list(range(1, len(rounds) + 1))
    assert len(rounds) >= 2
    assert all(each.games > 0 for each in rounds)
    assert rounds[0].nodes < rounds[-1].nodes <= long_learning.MOST_NODES
    evaluation = learning.evaluation
    assert evaluation is not None
    kept = [each.number for each in rounds if each.is_kept]
    assert evaluation.games == sum(each.games for each in rounds[: max(kept, default=0)])


def test_weights_that_lose_are_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    pairs = compared_as(0.4, monkeypatch)
    learning = learning_of(compiled(GAME))
    exhaust(learning.work(0.5))
    assert len(pairs) == len(learning.rounds) >= 2
    assert not any(each.is_kept for each in learning.rounds)
    assert len({id(champion) for _, champion in pairs}) == 1
    assert learning.evaluation is not None
    assert learning.evaluation.games == 0
    assert str(learning.rounds[0]).endswith(
        "40 % of the points against the best weights so far, not kept"
    )


def test_weights_that_do_not_lose_are_the_next_to_beat(monkeypatch: pytest.MonkeyPatch) -> None:
    pairs = compared_as(0.5, monkeypatch)
    learning = learning_of(compiled(GAME))
    exhaust(learning.work(0.5))
    for (challenger, _), (_, champion) in pairwise(pairs):
        assert challenger is champion
    assert learning.evaluation is not None
    assert learning.evaluation is pairs[-1][0]


def test_it_can_be_stopped_at_any_time(monkeypatch: pytest.MonkeyPatch) -> None:
    compared_as(1.0, monkeypatch)
    learning = learning_of(compiled(GAME))
    for _ in learning.work(0.8):
        if len(learning.rounds) == 2:
            break
    assert learning.evaluation is not None
    assert learning.evaluation.games == sum(each.games for each in learning.rounds)


def test_it_goes_on_from_what_was_learned_before(monkeypatch: pytest.MonkeyPatch) -> None:
    machine = compiled(GAME)
    before = numbered_evaluation(machine)
    pairs = compared_as(0.0, monkeypatch)
    learning = learning_of(machine, evaluation=before)
    exhaust(learning.work(0.5))
    assert pairs[0][1] is before
    assert learning.evaluation is before


def test_states_beyond_the_memory_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    machine = compiled(GAME)
    monkeypatch.setattr(long_learning, "MOST_BYTES", 50 * len(machine.facts))
    sizes: list[int] = []
    original = evaluation.fit_rivals

    def fit_rivals(labelled: LabelledStates, **named: object) -> object:
        sizes.append(len(labelled.states))
        return original(labelled, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(long_learning, "fit_rivals", fit_rivals)
    exhaust(learning_of(machine).work(0.5))
    assert max(sizes) == 50


# ---------------------------------------------------------------------- networks


@pytest.fixture
def trained(monkeypatch: pytest.MonkeyPatch) -> list[LabelledStates]:
    """Let networks be trained at once; the list gets what they would learn from."""
    found: list[LabelledStates] = []

    def add_networks(
        machine: PropnetStateMachine, labelled: LabelledStates, linear: LearnedEvaluation
    ) -> Generator[None, None, LearnedEvaluation]:
        found.append(labelled)
        return (yield from adding_numbered_networks(machine, labelled, linear))

    monkeypatch.setattr(long_learning, "add_networks", add_networks)
    return found


def test_a_network_competes_with_the_weights_alone(
    trained: list[LabelledStates], monkeypatch: pytest.MonkeyPatch
) -> None:
    pairs = compared_as(0.6, monkeypatch)
    learning = learning_of(compiled(GAME), Model.AUTO)
    exhaust(learning.work(0.5))
    with_networks = [each.is_network for each in learning.rounds]
    assert with_networks == sorted(with_networks)  # later rounds have them
    assert sum(with_networks) == len(trained) >= 1
    assert any(one.is_network and one.weights is other.weights for one, other in pairs)
    assert learning.evaluation is not None
    assert learning.evaluation.is_network
    assert "with a network 60 % of the points" in str(learning.rounds[-1])


def test_a_network_that_loses_to_the_weights_alone_is_left_out(
    trained: list[LabelledStates], monkeypatch: pytest.MonkeyPatch
) -> None:
    compared_as(0.5, monkeypatch)
    learning = learning_of(compiled(GAME), Model.AUTO)
    exhaust(learning.work(0.5))
    assert trained
    assert not any(each.is_network for each in learning.rounds)
    assert learning.evaluation is not None
    assert not learning.evaluation.is_network


def test_a_network_that_is_asked_for_is_kept_at_first(
    trained: list[LabelledStates], monkeypatch: pytest.MonkeyPatch
) -> None:
    compared_as(0.0, monkeypatch)
    learning = learning_of(compiled(GAME), Model.NETWORK)
    exhaust(learning.work(0.5))
    kept = [each for each in learning.rounds if each.is_kept]
    assert len(kept) == 1
    assert kept[0].is_network
    assert learning.evaluation is not None
    assert learning.evaluation.is_network


def test_weights_alone_are_learned_where_they_are_asked_for(
    trained: list[LabelledStates],
) -> None:
    machine = compiled(GAME)
    learning = learning_of(machine, Model.LINEAR, numbered_network(machine))
    exhaust(learning.work(0.5))
    assert not trained
    assert learning.evaluation is not None
    assert not learning.evaluation.is_network


@pytest.mark.thorough
def test_networks_are_trained_on_games() -> None:
    learning = learning_of(compiled(GAME), Model.NETWORK)
    exhaust(learning.work(0.8))
    found = learning.evaluation
    assert found is not None
    assert found.networks is not None
    assert found.is_zero_sum
    assert found.networks[0].is_opposite_of(found.networks[1])


def test_of_too_few_states_nothing_is_learned() -> None:
    learning = LongLearning(compiled(GAME), 1, ticking(1.0))
    exhaust(learning.work(0.5))
    assert learning.evaluation is None
    assert learning.rounds == []
