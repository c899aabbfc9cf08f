"""Learning: labelled states are of the game, and what wins takes over."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import replace
from itertools import accumulate, cycle, islice
from random import Random

import numpy as np
import pytest

from gdl.engine import PropnetStateMachine
from ggp_player.clock import Deadline
from ggp_player.strategies import Position
from ggp_player.strategies.learning import (
    LearnedAlphaBeta,
    Learner,
    learner,
    self_play,
)
from ggp_player.strategies.learning import evaluation as evaluation_module
from ggp_player.strategies.learning.duel import Score
from ggp_player.strategies.learning.evaluation import (
    add_networks,
    learn_evaluation,
)
from ggp_player.strategies.learning.learned_evaluation import LearnedEvaluation
from ggp_player.strategies.learning.playout_states import label_states, legal_widths
from ggp_player.strategies.learning.self_play import (
    Game,
    SelfPlay,
    compare_evaluations,
    nodes_in_equal_time,
)
from tests.support.compiled_games import machine_of
from tests.support.learned_games import (
    GAME,
    finished,
    learned,
    numbered_evaluation,
    numbered_network,
    ticking,
)
from tests.support.small_games import breakthrough, changed, compiled, sampled

# ---------------------------------------------------------------------- labelled states


def test_labels_are_the_outcomes_of_playouts() -> None:
    machine = machine_of("ticTacToe")
    known = finished(label_states(machine, 1, 3000, 1.0, ticking(0.001)))
    assert known.states.shape == (3000, machine.engine.layout.fluent_count)
    assert set(np.unique(known.outcomes)) == {np.float32(0), np.float32(0.5), np.float32(1)}
    assert known.outcomes[:, 0].mean() == pytest.approx(0.65, abs=0.05)
    assert known.is_zero_sum
    assert not any(machine.is_terminal(machine.state(state)) for state in known.states[::50])


def test_labelling_ends_when_the_time_is_up() -> None:
    machine = machine_of("reversi")
    known = finished(label_states(machine, 1, 10**9, 1.0, ticking(0.01)))
    assert 1000 < len(known.states) == len(known.outcomes) < 20_000


# ---------------------------------------------------------------------- the evaluation


def test_advanced_pawns_are_worth_more_in_breakthrough() -> None:
    machine = compiled(breakthrough(5, 6))
    evaluation = learned(machine)
    white = [
        float(weight)
        for fact, weight in zip(map(str, machine.facts), evaluation.weights[0], strict=False)
        if "white" in fact
    ]
    assert max(white) > 0.3


def test_rivals_see_opposite_values() -> None:
    machine = machine_of("connectFour")
    evaluation = learned(machine)
    one, other = map(evaluation.seen_from, range(2))
    assert (one.weights == -other.weights).all()
    assert evaluation.is_zero_sum
    assert one.swing == other.swing > 0
    assert str(evaluation).startswith("evaluation of")


def draws_are_worth_nothing() -> PropnetStateMachine:
    """Tic-tac-toe in which both get 0 for a draw."""
    return compiled(changed("ticTacToe", ("(<= (goal ?role 50)", "(<= (goal ?role 0)")))


def test_rivals_without_a_constant_sum_have_weights_of_their_own() -> None:
    machine = draws_are_worth_nothing()
    known = finished(label_states(machine, 1, 5000, 10.0, ticking(0.001)))
    assert set(map(tuple, np.unique(known.outcomes, axis=0))) == {(0, 0), (0, 1), (1, 0)}
    assert not known.is_zero_sum
    evaluation = learned(machine)
    assert not evaluation.is_zero_sum
    for role, weights in enumerate(evaluation.weights):
        chances = 1 / (1 + np.exp(-(known.states @ weights[:-1] + weights[-1])))
        assert np.corrcoef(chances, known.outcomes[:, role])[0, 1] > 0.1
    games, count = finished(
        SelfPlay(machine, (evaluation, evaluation), Random(1)).games(0.1, ticking(0.001))
    )
    assert count > 2
    assert games.outcomes.shape == (len(games.states), 2)


def test_of_too_few_states_nothing_is_learned() -> None:
    machine = machine_of("reversi")
    assert finished(learn_evaluation(machine, 1, 0.001, ticking(1.0))) is None


def wins_all(*_arguments: object) -> Generator[None, None, float]:
    """Say, in place of a comparison, that new weights are better."""
    yield
    return 1.0


def test_games_against_itself_come_after_playouts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evaluation_module, "PLAYOUT_SHARE", 0.7)
    monkeypatch.setattr(evaluation_module, "ROUND_SECONDS", 0.02)
    monkeypatch.setattr(evaluation_module, "compare_evaluations", wins_all)
    machine = compiled(breakthrough(4, 5))
    evaluation = finished(learn_evaluation(machine, 1, 0.3, ticking(0.001)))
    assert evaluation is not None
    assert evaluation.games > 20
    assert f"{evaluation.games} games" in str(evaluation)


def test_a_piece_is_worth_something_in_games_against_itself() -> None:
    machine = compiled(breakthrough(4, 5))
    evaluation = learned(machine)
    games, count = finished(
        SelfPlay(machine, (evaluation, evaluation), Random(1)).games(0.1, ticking(0.001))
    )
    assert count > 20
    assert games.outcomes.min() >= 0
    assert games.outcomes.max() <= 1
    assert games.is_zero_sum
    pieces = [number for number, fact in enumerate(machine.facts) if "white" in str(fact)]
    more = games.states[:, pieces].sum(axis=1) >= 7
    assert games.outcomes[more, 0].mean() > games.outcomes[~more, 0].mean()


def test_labels_mix_the_outcome_with_the_searches_that_follow() -> None:
    kept, searched = 1 - self_play.SEARCHED, self_play.SEARCHED
    values: list[tuple[int, float | None]] = [(0, 10), (0, 80), (0, None)]
    game = Game(values=values, outcome=(1.0, 0.0))
    second = kept * 1.0 + searched * 0.8
    expected = [[second, 1 - second], [1, 0], [1, 0]]
    assert game.labels(is_zero_sum=True) == pytest.approx(np.array(expected))
    # Elsewhere a value is that of the role which has searched.
    values = [(0, 10), (1, 80), (0, 60), (1, 20)]
    game = Game(values=values, outcome=(1.0, 0.5))
    last = [1.0, kept * 0.5 + searched * 0.2]
    third = [kept * 1.0 + searched * 0.6, last[1]]
    first = [third[0], kept * third[1] + searched * 0.8]
    assert game.labels(is_zero_sum=False) == pytest.approx(np.array([first, third, last, [1, 0.5]]))


def test_weights_that_are_upside_down_lose() -> None:
    machine = compiled(breakthrough(4, 5))
    evaluation = learned(machine)
    upside_down = LearnedEvaluation((evaluation.weights[1], evaluation.weights[0]))
    shares = [
        finished(compare_evaluations(machine, *pair, Random(1), 0.02, ticking(0.001)))
        for pair in ((evaluation, upside_down), (upside_down, evaluation))
    ]
    assert shares[0] > 0.7
    assert shares[1] < 0.3


def test_who_evaluates_faster_visits_more_nodes_in_equal_time() -> None:
    machine = compiled(breakthrough(4, 6))
    evaluation = numbered_evaluation(machine)
    passed = accumulate(cycle([0.0, 1.0, 0.0, 2.0]))  # the second search takes twice as long
    found = finished(
        nodes_in_equal_time(machine, (evaluation, evaluation), Random(1), lambda: next(passed))
    )
    assert found == (2 * self_play.NODES, self_play.NODES)


def test_a_network_plays_the_weights_alone_in_equal_time() -> None:
    machine = compiled(GAME)
    network, seen = numbered_network(machine), list[tuple[int, int]]()
    original = SelfPlay.__init__

    def noted(games: SelfPlay, *arguments: object) -> None:
        seen.append(arguments[-1])  # type: ignore[arg-type]
        original(games, *arguments)  # type: ignore[arg-type]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(SelfPlay, "__init__", noted)
        patch.setattr(self_play, "nodes_in_equal_time", lambda *_arguments: two_results())
        pair = (network, network.linear())
        finished(compare_evaluations(machine, *pair, Random(1), 0.02, ticking(0.001)))
    assert seen == [(100, 120), (120, 100)]


def two_results() -> Generator[None, None, tuple[int, int]]:
    yield
    return 100, 120


def test_legal_moves_are_counted() -> None:
    machine = compiled(GAME)
    states = sampled(machine, 600, Random(2))
    found = finished(legal_widths(machine, np.array([machine.bits(state) for state in states])))
    expected = [
        [len(machine.legal_moves(state, role)) for role in machine.roles] for state in states
    ]
    assert found.tolist() == expected


def no_weights(machine: PropnetStateMachine) -> LearnedEvaluation:
    """An evaluation that leaves everything to be explained."""
    none = np.zeros(len(machine.facts) + 1, np.float32)
    return LearnedEvaluation((none, none))


def test_rivals_with_aims_of_their_own_have_networks_of_their_own() -> None:
    machine = draws_are_worth_nothing()
    labelled = finished(label_states(machine, 1, 3000, 5.0, ticking(0.001)))
    found = finished(add_networks(machine, labelled, no_weights(machine)))
    assert found.networks is not None
    assert not found.networks[0].is_opposite_of(found.networks[1])
    assert not found.is_zero_sum


def test_games_of_too_many_fluents_have_no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    machine = compiled(GAME)
    monkeypatch.setattr(evaluation_module, "MAX_FLUENTS", 10)
    labelled = finished(label_states(machine, 1, 500, 5.0, ticking(0.001)))
    linear = no_weights(machine)
    assert finished(add_networks(machine, labelled, linear)) is linear


@pytest.mark.parametrize("share", [0.3, 0.45])
def test_weights_that_clearly_lose_are_not_taken(
    share: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    def compared(*_arguments: object) -> Generator[None, None, float]:
        yield
        return share

    monkeypatch.setattr(evaluation_module, "compare_evaluations", compared)
    monkeypatch.setattr(evaluation_module, "PLAYOUT_SHARE", 0.7)
    monkeypatch.setattr(evaluation_module, "ROUND_SECONDS", 0.01)
    evaluation = finished(learn_evaluation(compiled(breakthrough(4, 5)), 1, 0.3, ticking(0.001)))
    assert evaluation is not None
    assert (evaluation.games > 0) == (share > 0.4)


# ---------------------------------------------------------------------- the learner

WON, LOST = [1.0], [0.0]


class Duels:
    """Duels that end as they are told, in place of matches that take time."""

    def __init__(self, clock: Hand, *results: Sequence[float]) -> None:
        self.count = 0
        self._clock = clock
        self._results = iter(results)

    def __call__(self, *_arguments: object) -> Iterator[Score]:
        self.count += 1
        score = Score()
        for result in cycle(next(self._results)):
            self._clock.time += 0.1
            score.points += result
            score.matches += 1
            yield score


class Hand:
    """A clock that goes on by a hundredth whenever it is read, and when it is told."""

    def __init__(self) -> None:
        self.time = 0.0

    def __call__(self) -> float:
        self.time += 0.01
        return self.time


class Lessons:
    """Learning of some more games in each of four steps, which read the clock so many times."""

    readings = 0

    def __init__(self, machine: PropnetStateMachine, _seed: int) -> None:
        self.evaluation: LearnedEvaluation | None = None
        self.seconds = 0.0
        self._machine = machine

    def work(self, seconds: float, clock: Callable[[], float]) -> Iterator[None]:
        self.seconds += seconds
        learned = self.evaluation or replace(numbered_evaluation(self._machine), games=0)
        self.evaluation = learned
        for _ in range(4):
            yield
            for _ in range(self.readings):
                clock()
            self.evaluation = replace(self.evaluation, games=self.evaluation.games + 10)

    def settle(self, _clock: object) -> Generator[None, None, LearnedEvaluation | None]:
        yield
        return self.evaluation


def learner_after(
    monkeypatch: pytest.MonkeyPatch, *results: Sequence[float], seconds: float = 20.0
) -> tuple[Learner, Duels, PropnetStateMachine]:
    """A learner that has worked; unless its time is short, the first duel is the look."""
    machine, clock = compiled(breakthrough(4, 5)), Hand()
    duels = Duels(clock, *results)
    monkeypatch.setattr(learner, "play_pairs", duels)
    monkeypatch.setattr(learner, "Learning", Lessons)
    found = Learner(clock)
    for _ in found.work(machine, 1, Deadline.after(seconds, lambda: 0.0)):
        pass
    return found, duels, machine


def test_alpha_beta_takes_over_where_it_wins(monkeypatch: pytest.MonkeyPatch) -> None:
    found, duels, _ = learner_after(monkeypatch, WON, WON)
    assert isinstance(found.strategy, LearnedAlphaBeta)
    assert found.note.endswith("alpha-beta with it won 100 % of 6 duels")
    assert duels.count == 2


def test_the_tree_search_goes_on_where_alpha_beta_does_not_win(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found, _, _ = learner_after(monkeypatch, WON, [1.0, 0.0])
    assert found.strategy is None
    assert found.note.endswith("alpha-beta with it won 50 % of 16 duels")


def test_learning_ends_where_it_is_hopeless(monkeypatch: pytest.MonkeyPatch) -> None:
    found, duels, machine = learner_after(monkeypatch, LOST)
    assert found.strategy is None
    assert "10 games" in found.note
    assert found.note.endswith("alpha-beta with it won 0 % of 6 duels")
    for _ in found.go_on(machine):
        pass
    assert duels.count == 1


def test_learning_ends_where_it_turns_out_to_be_hopeless(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Lessons, "readings", 200)
    found, duels, _ = learner_after(monkeypatch, WON, LOST)
    assert found.strategy is None
    assert found.note.endswith("30 games; alpha-beta with it won 0 % of 6 duels")
    assert duels.count == 2


def test_a_short_time_to_learn_is_not_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    found, duels, _ = learner_after(monkeypatch, WON, seconds=5.0)
    assert found.strategy is not None
    assert duels.count == 1


def test_a_duel_that_is_not_decided_ends_after_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(learner, "PATIENCE", 0.25)  # a second
    found, _, _ = learner_after(monkeypatch, WON, [0.7])
    assert found.strategy is None
    count = int(found.note.split()[-2])
    assert 4 < count <= 10


def test_what_is_learned_later_duels_again(monkeypatch: pytest.MonkeyPatch) -> None:
    found, duels, machine = learner_after(monkeypatch, WON, [1.0, 0.0], WON)
    assert found.strategy is None
    for _ in found.go_on(machine):
        if found.strategy is not None:
            break
    assert isinstance(found.strategy, LearnedAlphaBeta)
    assert duels.count == 3


@pytest.mark.parametrize("share", [0.4, 0.6])
def test_what_is_learned_later_plays_unless_it_loses(
    share: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    def compared(*_arguments: object) -> Generator[None, None, float]:
        yield
        return share

    found, duels, machine = learner_after(monkeypatch, WON, WON)
    monkeypatch.setattr(learner, "compare_evaluations", compared)
    monkeypatch.setattr(learner, "LATER_SECONDS", 0.05)
    before = found.strategy
    for _ in found.go_on(machine):
        pass
    assert (found.strategy is not before) == (share > 0.5)
    assert ("60 % against the one before" in found.note) == (share > 0.5)
    assert duels.count == 2


def test_a_hopeless_duel_is_the_last(monkeypatch: pytest.MonkeyPatch) -> None:
    found, duels, machine = learner_after(monkeypatch, WON, LOST)
    for _ in found.go_on(machine):
        pass
    assert found.strategy is None
    assert duels.count == 2


def test_what_took_too_long_is_learned_later(monkeypatch: pytest.MonkeyPatch) -> None:
    machine, settle = compiled(breakthrough(4, 5)), Lessons.settle

    def settled(lessons: Lessons, clock: object) -> Generator[None, None, None]:
        yield from settle(lessons, clock)
        lessons.evaluation = None

    monkeypatch.setattr(Lessons, "settle", settled)
    found, duels, machine = learner_after(monkeypatch, WON, seconds=5.0)
    assert (found.note, duels.count) == ("too few states to learn an evaluation from", 0)
    for _ in found.go_on(machine):
        if found.strategy is not None:
            break
    assert isinstance(found.strategy, LearnedAlphaBeta)


def test_more_time_means_more_games(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evaluation_module, "PLAYOUT_SHARE", 0.4)
    monkeypatch.setattr(evaluation_module, "MIN_STATES", 100)
    machine, clock = compiled(breakthrough(4, 5)), Hand()
    learning = evaluation_module.Learning(machine, 1)
    games = []
    for _ in range(2):
        for _ in learning.work(0.6, clock):
            pass
        assert learning.evaluation is not None
        games.append(learning.evaluation.games)
    assert 0 < games[0] < games[1]
    assert learning.seconds == pytest.approx(1.2)


# ---------------------------------------------------------------------- strategies


def test_alpha_beta_learns_first_and_then_wins() -> None:
    machine = compiled(breakthrough(3, 5))
    strategy = LearnedAlphaBeta(seconds=0.2, megabytes=1, clock=ticking(0.001))
    position = Position(machine, machine.initial_state(), machine.roles[0], Random(1))
    *_, last = strategy.search(position)
    assert last.proved
    assert last.value in (0, 100)
    assert {report.move for report in strategy.report(position)} == set(position.legal_moves)


def test_learning_goes_on_where_it_was_stopped() -> None:
    machine = machine_of("connectFour")
    strategy = LearnedAlphaBeta(seconds=0.3, megabytes=1, clock=ticking(0.001))
    position = Position(machine, machine.initial_state(), machine.roles[0], Random(1))
    values = []
    for _ in range(200):
        values.append([choice.value for choice in islice(strategy.search(position), 20)][-1])
        if values[-1] is not None:
            break
    assert values[0] is None
    assert values[-1] is not None


@pytest.mark.parametrize("name", ["pig", "trefoil", "lightsOut"])
def test_chance_and_other_numbers_of_roles_are_refused(name: str) -> None:
    assert "two roles without chance" in (LearnedAlphaBeta().refusal(machine_of(name)) or "")
