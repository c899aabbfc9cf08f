"""Learning: labelled states are of the game, and what wins takes over."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import replace
from itertools import cycle, groupby, islice
from math import inf
from random import Random
from typing import ClassVar

import numpy as np
import pytest

from gdl import State
from gdl.engine import Expander, PropnetStateMachine
from ggp_player.clock import Deadline
from ggp_player.strategies import Position
from ggp_player.strategies.learning import LearnedAlphaBeta, LearnedMonteCarlo, Learner, learner
from ggp_player.strategies.learning.duel import Score
from ggp_player.strategies.learning.learned_evaluation import LearnedEvaluation
from ggp_player.strategies.learning.learning_time import MOVE_SHARE
from ggp_player.strategies.learning.playout_states import label_states
from ggp_player.strategies.mcts import MINIMAX_SHARE
from ggp_player.strategies.patterns.pattern_tables import PatternTables, Weights
from tests.support.clocks import FakeClock
from tests.support.compiled_games import machine_of
from tests.support.learned_games import GAME, finished, numbered_evaluation, ticking
from tests.support.small_games import breakthrough, compiled, sampled

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


def test_legal_moves_are_counted() -> None:
    machine = compiled(GAME)
    states = 10 * sampled(machine, 60, Random(2))  # more than there are lanes
    bits = np.array([machine.bits(state) for state in states])
    packed = np.packbits(bits, axis=1, bitorder="little")
    found = Expander(machine.engine).choice_counts(packed)
    expected = [
        [len(machine.legal_moves(state, role)) for role in machine.roles] for state in states
    ]
    assert found.tolist() == expected


# ---------------------------------------------------------------------- the learner

WON, LOST = [1.0], [0.0]


class Duels:
    """Duels that end as they are told, in place of matches that take time."""

    def __init__(self, clock: FakeClock, *results: Sequence[float]) -> None:
        self.count = 0
        self._clock = clock
        self._results = iter(results)
        self.matches = 0
        """Of the last duel."""

    def __call__(self, *_arguments: object) -> Iterator[Score]:
        self.count += 1
        score = Score(0, 0)
        for result in cycle(next(self._results)):
            self._clock.now += 0.1
            score.points += result
            score.matches += 1
            self.matches = score.matches
            yield score


class Lessons:
    """Learning of some more games in each of four steps."""

    latest: ClassVar[Lessons]
    games: ClassVar[int] = 10_000

    def __init__(
        self,
        machine: PropnetStateMachine,
        _seed: int,
        known: object,
        threads: int,
    ) -> None:
        assert known is None
        self.threads = threads
        self.evaluation: LearnedEvaluation | None = None
        self.seconds = 0.0
        self.state: State | None = None
        self._machine = machine
        Lessons.latest = self

    def work_from(self, state: State, seconds: float, clock: Callable[[], float]) -> Iterator[None]:
        self.state = state
        yield from self.work(seconds, clock)

    def work(self, seconds: float, _clock: Callable[[], float]) -> Iterator[None]:
        self.seconds += seconds
        learned = self.evaluation or replace(numbered_evaluation(self._machine), games=0)
        self.evaluation = learned
        for _ in range(4):
            yield
            games = self.evaluation.games + Lessons.games
            self.evaluation = replace(self.evaluation, games=games)


def learner_after(
    monkeypatch: pytest.MonkeyPatch,
    *results: Sequence[float],
    seconds: float = 20.0,
    told: list[float] | None = None,
    later: float = -inf,
) -> tuple[Learner, Duels, PropnetStateMachine]:
    """A learner that has worked, and the duels it holds; ``told`` gets minimax shares.

    For ``later`` seconds it tries again what has failed.
    """
    monkeypatch.setattr(learner, "LATER_SECONDS", later)
    shares = told if told is not None else []
    machine, clock = compiled(breakthrough(4, 5)), FakeClock(0.0, step=0.01)
    duels = Duels(clock, *results)
    monkeypatch.setattr(learner, "play_in_all_seats", duels)
    monkeypatch.setattr(learner, "Learning", Lessons)
    found = Learner(clock, guide=lambda _tables, _weights, share: shares.append(share))
    for _ in found.work(machine, 1, Deadline.after(seconds, lambda: 0.0)):
        pass
    return found, duels, machine


@pytest.mark.parametrize(
    ("threads", "memory", "learning"),
    [(1, 2**30, 1), (2, 2**30, 2), (16, 2**30, 8), (8, 2**29, 4), (8, 2**26, 1)],
)
def test_games_are_played_in_threads_as_far_as_memory_goes(
    threads: int, memory: int, learning: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(learner, "search_memory", lambda: memory)
    monkeypatch.setattr(learner, "Learning", Lessons)
    found = Learner(ticking(0.01), threads=threads)
    next(found.work(compiled(breakthrough(4, 5)), 1))
    assert Lessons.latest.threads == learning


def start_of(machine: PropnetStateMachine) -> Position:
    """The first position of a match, seen from the first role."""
    return Position(machine, machine.initial_state(), machine.roles[0], Random(1))


def test_alpha_beta_takes_over_where_it_wins(monkeypatch: pytest.MonkeyPatch) -> None:
    found, duels, _ = learner_after(monkeypatch, WON, WON, WON)
    assert isinstance(found.strategy, LearnedAlphaBeta)
    assert found.note.endswith(
        "40000 games; guided by them, the tree search won 100 % of 3 duels, alpha-beta won 100 % of"
        " 6 duels, and won 100 % of 6 duels where they weigh more"
    )
    assert duels.count == 3


ON, MORE, OFF = MINIMAX_SHARE, learner.GREATER_SHARE, 0.0


@pytest.mark.parametrize(
    ("results", "shares", "matches"),
    [
        ([LOST, LOST], [ON, OFF], 3),
        ([[0.0, 0.0, 1.0, 1.0, 1.0, 1.0, 1.0], LOST], [ON, OFF, ON], 3),
        ([[1.0, 0.0], LOST], [ON], 3),
        ([WON, WON, LOST], [ON, MORE], 3),
    ],
)
def test_duels_say_how_much_patterns_weigh_in_the_tree_search(
    results: Sequence[Sequence[float]],
    shares: list[float],
    matches: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    told: list[float] = []
    found, duels, _ = learner_after(monkeypatch, *results, told=told)
    assert (found.strategy, duels.count, told) == (None, len(results), shares)
    assert duels.matches == matches


def test_without_patterns_nothing_of_them_is_left_in_the_tree_search(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    told: list[tuple[PatternTables, Weights, float]] = []
    machine, clock = compiled(breakthrough(4, 5)), FakeClock(0.0, step=0.01)
    monkeypatch.setattr(learner, "play_in_all_seats", Duels(clock, LOST, LOST))
    monkeypatch.setattr(learner, "Learning", Lessons)
    monkeypatch.setattr(learner, "LATER_SECONDS", -inf)
    found = Learner(clock, guide=lambda *patterns: told.append(patterns))
    for _ in found.work(machine, 1, Deadline.after(20.0, lambda: 0.0)):
        pass
    (tables, weights, share), (no_tables, no_weights, no_share) = told
    assert (len(tables.sizes) > 0, weights.shape[1] > 0, share) == (True, True, MINIMAX_SHARE)
    assert (len(no_tables.sizes), no_weights.shape[1], no_share) == (0, 0, 0.0)


def test_the_tree_search_goes_on_where_alpha_beta_does_not_win(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found, _, _ = learner_after(monkeypatch, WON, [1.0, 0.0])
    assert found.strategy is None
    assert found.note.endswith("won 100 % of 3 duels, alpha-beta won 50 % of 16 duels")


def test_a_duel_that_is_not_decided_ends_after_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(learner, "PATIENCE", 1 / 6)  # a second
    found, _, _ = learner_after(monkeypatch, WON, [0.7])
    assert found.strategy is None
    count = int(found.note.split()[-2])
    assert 4 < count <= 10


@pytest.mark.parametrize(("results", "count"), [([WON, LOST], 2), ([WON, WON, WON], 3)])
def test_what_is_learned_from_a_position_plays_or_guides(
    results: Sequence[Sequence[float]], count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[Weights] = []
    machine, clock = compiled(breakthrough(4, 5)), FakeClock(0.0, step=0.01)
    monkeypatch.setattr(learner, "play_in_all_seats", Duels(clock, *results))
    monkeypatch.setattr(learner, "Learning", Lessons)
    found = Learner(clock, guide=lambda _tables, weights, _share: told.append(weights))
    for _ in found.work(machine, 1, Deadline.after(20.0, lambda: 0.0)):
        pass
    before, guided = found.strategy, len(told)
    deadline = Deadline.after(5.0, lambda: 0.0)
    position = replace(start_of(machine), deadline=deadline)
    assert list(found.learn_from(replace(position, work_slice=100))) == []
    for _ in found.learn_from(position):
        pass
    assert Lessons.latest.state == machine.initial_state()
    assert Lessons.latest.seconds == pytest.approx(9.0 + MOVE_SHARE * 5.0)
    if count == 2:
        assert (found.strategy, len(told)) == (None, guided + 1)
    else:
        assert isinstance(found.strategy, LearnedAlphaBeta)
        assert (found.strategy is not before, len(told)) == (True, guided)


def test_where_patterns_do_harm_they_are_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[float] = []
    twice = [LOST, LOST, LOST, LOST]
    found, duels, _ = learner_after(monkeypatch, *twice, WON, WON, WON, told=told, later=60.0)
    # First both are worse with them, twice; then better, and they weigh more, as alpha-beta wins.
    assert told == [ON, OFF, OFF, OFF, ON, MORE]
    assert isinstance(found.strategy, LearnedAlphaBeta)
    assert duels.count == 7
    assert Lessons.latest.seconds == 9.0 + 9.0 + 18.0


def test_patterns_that_mislead_the_tree_search_may_serve_alpha_beta(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    told: list[float] = []
    found, duels, machine = learner_after(monkeypatch, LOST, WON, told=told, later=60.0)
    assert (duels.count, told) == (2, [ON, OFF])
    assert isinstance(found.strategy, LearnedAlphaBeta)
    assert found.note.endswith("won 0 % of 3 duels, alpha-beta won 100 % of 6 duels")
    position = replace(start_of(machine), deadline=Deadline.after(5.0, lambda: 0.0))
    before = found.strategy
    assert list(found.learn_from(position)) != []
    assert found.strategy is not before


def test_after_hardly_any_games_more_is_learned_before_duels(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(Lessons, "games", 20)
    told: list[float] = []
    found, duels, _ = learner_after(monkeypatch, told=told)
    assert (found.strategy, duels.count, told) == (None, 0, [])
    assert found.note.endswith("patterns learned from 80 games, too few to use")
    found, duels, _ = learner_after(monkeypatch, WON, LOST, told=told, later=60.0)
    assert (duels.count, told) == (2, [OFF, ON])
    assert "learned from 160 games; guided" in found.note


def test_alpha_beta_plays_while_it_is_ahead_of_a_search_without_guidance(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(learner, "LATER_SECONDS", -inf)
    machine, clock = compiled(breakthrough(4, 5)), FakeClock(0.0, step=0.01)
    changing = [1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]
    monkeypatch.setattr(learner, "play_in_all_seats", Duels(clock, LOST, changing))
    monkeypatch.setattr(learner, "Learning", Lessons)
    found = Learner(clock)
    playing = [
        found.strategy is not None
        for _ in found.work(machine, 1, Deadline.after(20.0, lambda: 0.0))
    ]
    _, *spells, _ = [list(each) for _, each in groupby(playing)]
    assert spells == [3 * [True], 3 * [False], 3 * [True]]
    assert found.strategy is None


@pytest.mark.parametrize(("results", "shares"), [([WON, LOST], [OFF, ON]), ([LOST, LOST], [OFF])])
def test_after_few_games_the_tree_search_is_not_guided_before_that_has_won(
    results: Sequence[Sequence[float]], shares: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Lessons, "games", 1_000)
    told: list[float] = []
    found, _, _ = learner_after(monkeypatch, *results, told=told)
    assert (found.strategy, told) == (None, shares)


def test_patterns_that_do_harm_are_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    found, _, machine = learner_after(monkeypatch, *(1000 * [LOST]), later=20.0)
    assert found.strategy is None
    assert list(found.learn_from(start_of(machine))) == []
    assert list(Learner(FakeClock(0.0, step=0.01)).learn_from(start_of(machine))) == []


def test_three_roles_and_more_hold_no_duels(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[tuple[object, ...]] = []
    duels = Duels(FakeClock(0.0, step=0.01))
    monkeypatch.setattr(learner, "play_in_all_seats", duels)
    monkeypatch.setattr(learner, "Learning", Lessons)
    found = Learner(FakeClock(0.0, step=0.01), guide=lambda *patterns: told.append(patterns))
    assert found.refusal(machine_of("trefoil")) is None
    for _ in found.work(machine_of("trefoil"), 1, Deadline.after(20.0, lambda: 0.0)):
        pass
    assert (found.strategy, duels.count, len(told)) == (None, 0, 1)
    assert told[0][-1] == MINIMAX_SHARE
    assert found.note.endswith("patterns learned from 40000 games guide the tree search")


@pytest.mark.parametrize(
    ("games", "result", "guided"),
    [
        (10_000, WON, (True, True)),
        (10_000, LOST, (True, False)),
        (1_000, WON, (False, True)),
    ],
)
def test_where_roles_move_at_once_a_stored_evaluation_guides_unless_it_loses(
    games: int,
    result: Sequence[float],
    guided: tuple[bool, bool],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    machine, clock, told = machine_of("tron"), FakeClock(0.0, step=0.01), list[PatternTables]()
    evaluation = replace(numbered_evaluation(machine), games=games)
    monkeypatch.setattr(learner, "recall_evaluation", lambda _machine, least_seconds: evaluation)
    monkeypatch.setattr(learner, "play_in_all_seats", Duels(clock, result))
    found = Learner(clock, guide=lambda tables, *_: told.append(tables), in_turn=False)
    for _ in found.work(machine, 1, Deadline.after(20.0, lambda: 0.0)):
        pass
    assert tuple(told[place] is evaluation.tables for place in (0, -1)) == guided
    assert found.strategy is None
    assert list(found.learn_from(start_of(machine))) == []
    assert "guided by them, the tree search won" in found.note


def test_where_roles_move_at_once_nothing_is_learned(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(learner, "recall_evaluation", lambda _machine, least_seconds: None)
    found = Learner(FakeClock(0.0, step=0.01), in_turn=False)
    assert list(found.work(machine_of("tron"), 1)) == []
    assert (found.has_learned, found.note) == (True, "")


def test_what_took_too_long_is_learned_later(monkeypatch: pytest.MonkeyPatch) -> None:
    work = Lessons.work

    def too_slow(
        lessons: Lessons, seconds: float, clock: Callable[[], float]
    ) -> Generator[None, None, None]:
        is_first = lessons.seconds == 0
        yield from work(lessons, seconds, clock)
        if is_first:
            lessons.evaluation = None

    monkeypatch.setattr(Lessons, "work", too_slow)
    found, duels, _ = learner_after(monkeypatch, WON, WON, WON, seconds=5.0, later=60.0)
    assert duels.count == 3
    assert isinstance(found.strategy, LearnedAlphaBeta)


# ---------------------------------------------------------------------- strategies


def test_alpha_beta_learns_first_and_then_wins() -> None:
    machine = compiled(breakthrough(3, 4))
    strategy = LearnedAlphaBeta(seconds=0.5, megabytes=1, clock=ticking(0.01))
    position = Position(machine, machine.initial_state(), machine.roles[0], Random(1))
    *_, last = strategy.search(position)
    assert last.proved
    assert last.value in (0, 100)
    assert {report.move for report in strategy.report(position)} == set(position.legal_moves)


def test_learning_goes_on_where_it_was_stopped() -> None:
    machine = machine_of("connectFour")
    strategy = LearnedAlphaBeta(seconds=2.0, megabytes=1, clock=ticking(0.01))
    position = Position(machine, machine.initial_state(), machine.roles[0], Random(1))
    values = []
    for _ in range(200):
        values.append([choice.value for choice in islice(strategy.search(position), 20)][-1])
        if values[-1] is not None:
            break
    assert values[0] is None
    assert values[-1] is not None


@pytest.mark.thorough
def test_the_tree_search_learns_first_and_then_wins() -> None:
    machine = compiled(breakthrough(3, 5))
    strategy = LearnedMonteCarlo(seconds=0.5, clock=ticking(0.01))
    position = Position(machine, machine.initial_state(), machine.roles[0], Random(1))
    first, *_, last = strategy.search(position)
    assert first.note == "learning patterns"
    assert last.proved
    assert last.value in (0, 100)
    assert {report.move for report in strategy.report(position)} <= set(position.legal_moves)


@pytest.mark.parametrize("name", ["pig", "trefoil", "lightsOut"])
def test_chance_and_other_numbers_of_roles_are_refused(name: str) -> None:
    refusal = LearnedAlphaBeta().refusal(machine_of(name))
    assert refusal == "learned_alpha_beta is for two roles without chance"


def test_the_guided_tree_search_refuses_who_plays_alone() -> None:
    assert LearnedMonteCarlo().refusal(machine_of("pig")) is None
    assert LearnedMonteCarlo().refusal(machine_of("trefoil")) is None
    refusal = LearnedMonteCarlo().refusal(machine_of("lightsOut"))
    assert refusal == "learned_mcts is for two roles and more"
