"""Learning: labelled states are of the game, duels are fair, and what wins takes over."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from itertools import accumulate, count, cycle, islice, repeat
from random import Random
from typing import TypeVar

import numpy as np
import pytest

from gdl import State, Term
from gdl.engine import PropnetStateMachine
from ggp_player.strategies import Choice, EngineStrategy, Position
from ggp_player.strategies.learning import (
    Contest,
    LearnedAlphaBeta,
    Learner,
    learner,
    self_play,
)
from ggp_player.strategies.learning import evaluation as evaluation_module
from ggp_player.strategies.learning.duel import (
    AlphaBetaDuelist,
    Score,
    TreeSearchDuelist,
    play_pairs,
    random_position,
)
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
from ggp_player.strategies.mcts import Settings, TreeSearch
from tests.support.compiled_games import machine_of
from tests.support.learned_games import GAME, numbered_evaluation, numbered_network
from tests.support.small_games import breakthrough, changed, compiled, sampled

Result = TypeVar("Result")


def ticking(step: float) -> Callable[[], float]:
    """A clock that goes on by a step whenever it is read."""
    ticks = count()
    return lambda: step * next(ticks)


def finished(work: Generator[None, None, Result]) -> Result:
    while True:
        try:
            next(work)
        except StopIteration as end:
            result: Result = end.value
            return result


def learned(machine: PropnetStateMachine) -> LearnedEvaluation:
    evaluation = finished(learn_evaluation(machine, 1, 1.0, ticking(0.001)))
    assert evaluation is not None
    return evaluation


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
    monkeypatch.setattr(evaluation_module, "PLAYOUT_SECONDS", 0.2)
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
    monkeypatch.setattr(evaluation_module, "PLAYOUT_SECONDS", 0.2)
    monkeypatch.setattr(evaluation_module, "ROUND_SECONDS", 0.01)
    evaluation = finished(learn_evaluation(compiled(breakthrough(4, 5)), 1, 0.3, ticking(0.001)))
    assert evaluation is not None
    assert (evaluation.games > 0) == (share > 0.4)


# ---------------------------------------------------------------------- duels


def test_a_random_position_can_be_played_on() -> None:
    machine = machine_of("ticTacToe")
    for seed in range(20):
        assert not machine.is_terminal(random_position(machine, Random(seed), 9))


class FirstMove:
    """A duelist that makes the first legal move."""

    def __init__(self, machine: PropnetStateMachine) -> None:
        self._machine = machine

    def move(self, state: State, role: int, _seconds: float) -> Term:
        return self._machine.legal_moves(state, self._machine.roles[role])[0]


@pytest.mark.parametrize("kind", ["tree search", "alpha-beta"])
def test_duels_take_turns_and_count_points(kind: str) -> None:
    machine = machine_of("connectFour")
    if kind == "tree search":
        search = TreeSearch(machine, Settings(), 2, 2**22)
        strong = TreeSearchDuelist(search, ticking(0.001)).move
    else:
        strong = AlphaBetaDuelist(machine, learned(machine), ticking(0.001)).move

    class Strong:
        def move(self, state: State, role: int, seconds: float) -> Term:
            return strong(state, role, seconds)

    pairs = play_pairs(machine, Strong(), FirstMove(machine), Random(3), 0.01)
    score = next(score for score in pairs if score.matches == 4)
    assert score.share >= 0.75


def test_it_is_decided_when_more_matches_change_nothing() -> None:
    assert not learner.is_decided(Score(3.0, 3))
    assert learner.is_decided(Score(5.0, 5))
    assert learner.is_decided(Score(0.0, 5))
    assert not learner.is_decided(Score(5.0, 10))
    assert learner.is_decided(Score(12.0, learner.MAX_MATCHES))


def test_few_matches_must_be_won_clearly() -> None:
    assert not learner.is_better(Score(3.0, 3))
    assert learner.is_better(Score(5.0, 5))
    assert not learner.is_better(Score(4.5, 6))
    assert not learner.is_better(Score(11.0, 18))
    assert learner.is_better(Score(17.0, 24))


@pytest.mark.thorough
@pytest.mark.parametrize("needed", [0.0, 1.1])
def test_alpha_beta_takes_over_where_it_wins(
    needed: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in {
        "LEARNING_SECONDS": 0.5,
        "DUEL_SECONDS": 1.0,
        "MIN_MATCHES": 1,
        "MATCH_SECONDS": 0.1,
        "NEEDED_SHARE": needed,
    }.items():
        monkeypatch.setattr(learner, name, value)
    found = Learner(ticking(0.001))
    for _ in found.work(machine_of("connectFour"), 1):
        pass
    assert "duels" in found.note
    assert isinstance(found.strategy, LearnedAlphaBeta) == (needed == 0.0)


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


class Fixed(EngineStrategy):
    """A strategy whose choices say who made them."""

    def __init__(self, note: str) -> None:
        self._note = note

    def search(self, position: Position) -> Iterator[Choice]:
        yield Choice(position.legal_moves[0], note="nothing yet")
        while True:
            yield Choice(position.legal_moves[-1], 50.0, note=self._note)


class Stub(Learner):
    """A learner that takes a while."""

    def __init__(self, steps: int, found: EngineStrategy | None) -> None:
        super().__init__(ticking(0.001))
        self._steps, self._found = steps, found

    def work(self, _machine: PropnetStateMachine, _seed: int) -> Iterator[None]:
        yield from repeat(None, self._steps)
        self.note = "decided"
        self.strategy = self._found  # type: ignore[assignment]


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("found", [None, Fixed("challenger")])
def test_a_contest_goes_on_with_what_was_found(found: EngineStrategy | None, threads: int) -> None:
    machine = machine_of("connectFour")
    contest = Contest(Fixed("main"), Stub(100, found), ticking(0.001), threads)
    position = Position(machine, machine.initial_state(), machine.roles[0], Random(1))
    # The search is stopped and started again in between, as at each move.
    choices = [choice for _ in range(9) for choice in islice(contest.search(position), 40)]
    expected = "main" if found is None else "challenger"
    assert choices[0].note in ("", "nothing yet")
    assert threads > 1 or "main" in [choice.note for choice in choices]
    assert (choices[-1].note, choices[-1].method) == (expected, "Fixed")
    assert contest.about_game == "decided"
    assert choices[-1].move == position.legal_moves[-1]


def test_the_main_search_proves_while_the_learner_works() -> None:
    machine = machine_of("connectFour")
    contest = Contest(Proving(100), Stub(10**9, None), ticking(0.001), threads=2)
    position = Position(machine, machine.initial_state(), machine.roles[0], Random(1))
    *_, last = contest.search(position)
    assert last.proved
    assert last.note == "challenger"


class Proving(EngineStrategy):
    """A strategy that proves a value at once."""

    def __init__(self, value: float) -> None:
        self._value = value

    def search(self, position: Position) -> Iterator[Choice]:
        yield Choice(position.legal_moves[0], self._value, proved=True, note="challenger")


@pytest.mark.parametrize(
    ("pessimistic", "value", "expected"),
    [(True, 0, "main"), (True, 100, "challenger"), (False, 0, "challenger")],
)
def test_a_pessimistic_proof_does_not_end_the_search(
    pessimistic: bool, value: float, expected: str
) -> None:
    machine = machine_of("connectFour")
    found = Stub(3, Proving(value))
    found.is_pessimistic = pessimistic
    contest = Contest(Fixed("main"), found, ticking(0.001))
    position = Position(machine, machine.initial_state(), machine.roles[0], Random(1))
    choices = list(islice(contest.search(position), 40))
    assert choices[-1].note == expected
    assert choices[-1].method == ("Proving" if expected == "challenger" else "Fixed")
    assert contest.about_game == "decided"
    assert choices[-1].proved == (expected == "challenger")
