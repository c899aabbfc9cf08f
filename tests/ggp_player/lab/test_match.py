"""Pairs of matches are fair, keep to their limits, and depend on their task alone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from random import Random

import pytest

import gdl
from gdl.engine import PropnetStateMachine
from ggp_player.errors import LabError
from ggp_player.lab.balance import BalancedOpenings, LabGame, Plies
from ggp_player.lab.match import (
    MAX_MATCH_STEPS,
    MoveLimit,
    PairTask,
    SeatedStrategy,
    choosers,
    machine_for,
    play_pair,
)
from ggp_player.strategies import Choice, EngineStrategy, Position
from ggp_player.strategies.selection import registry
from tests.support.lab_games import CONNECT_FOUR, NIM, TIC_TAC_TOE, lab_game, opening_after

TWO = "(role a) (role b) (<= (legal ?r ?m) (role ?r) (move ?m)) (move x) (move y)"

FIRST_WINS = f"""{TWO} (init begin) (<= (next (made ?m)) (does a ?m))
(<= terminal (true (made ?m))) (<= (goal a 100) (true (made x))) (<= (goal a 60) (true (made y)))
(<= (goal b 0) (true (made x))) (<= (goal b 30) (true (made y)))"""

ENDLESS = f"{TWO} (init on) (next on) (<= terminal (not (true on))) (goal a 100) (goal b 0)"


def task(
    game: LabGame, a: str, b: str, limit: MoveLimit, moves: tuple[tuple[str, ...], ...] = ()
) -> PairTask:
    return PairTask(game.name, game.rules, (a, b), limit, 0, 0, opening_after(*moves), 2**24)


NODES = MoveLimit(nodes=300)


def test_a_has_either_seat_once() -> None:
    pair = play_pair(task(LabGame("first", FIRST_WINS), "legal", "legal", NODES))
    assert [match.points for match in pair.matches] == [1.0, 0.0]
    assert [match.steps for match in pair.matches] == [1, 1]
    assert pair.points == 0.5


def test_points_are_the_share_of_the_goals() -> None:
    game = LabGame("second", FIRST_WINS.replace("(made x)", "(made z)").replace("move x", "move w"))
    pair = play_pair(task(game, "minimax", "minimax", NODES))
    assert [match.points for match in pair.matches] == pytest.approx([0.65, 0.35])


def test_endless_matches_are_broken_off_as_draws() -> None:
    pair = play_pair(task(LabGame("endless", ENDLESS), "legal", "legal", NODES))
    assert [(match.points, match.steps) for match in pair.matches] == [(0.5, MAX_MATCH_STEPS)] * 2


def test_matches_begin_in_the_opening() -> None:
    opening = (("(put b2)", "noop"), ("noop", "(put a1)"), ("(put b1)", "noop"))
    pair = play_pair(task(TIC_TAC_TOE, "legal", "legal", NODES, opening))
    assert all(match.steps <= 6 for match in pair.matches)


@pytest.mark.parametrize(
    ("spec", "game"),
    [
        ("mcts", CONNECT_FOUR),
        ("alpha_beta", NIM),
        ("auto:threads=1,learn=false", NIM),
    ],
)
def test_the_same_task_has_the_same_result(spec: str, game: LabGame) -> None:
    asked = task(game, spec, "random", NODES)
    first, second = play_pair(asked), play_pair(asked)
    assert replaced_cpu(first.matches) == replaced_cpu(second.matches)


def replaced_cpu(matches: tuple) -> list:
    return [replace(match, cpu=(0.0, 0.0)) for match in matches]


def test_another_seed_has_other_dice_and_searches() -> None:
    asked = task(CONNECT_FOUR, "mcts", "mcts", NODES)
    matches = [replaced_cpu(play_pair(replace(asked, seed=seed)).matches) for seed in range(2)]
    assert len({str(each) for each in matches}) > 1


@pytest.mark.parametrize(
    ("spec", "name"),
    [
        *((spec, "connectFour") for spec in ("mcts", "uct", "proof")),
        *(("mcts", name) for name in ("hex", "dotsAndBoxes")),
        ("mcts:leaf_lanes=1", "connectFour"),
        ("auto:threads=1,learn=false", "connectFour"),
        pytest.param("alpha_beta", "connectFour", marks=pytest.mark.thorough),
        pytest.param("max_n", "connectFour", marks=pytest.mark.thorough),
        pytest.param("minimax", "hex", marks=pytest.mark.thorough),
        ("bounded_minimax", "hex"),
    ],
)
def test_the_work_of_a_match_is_that_of_the_limits(spec: str, name: str) -> None:
    game = lab_game(name)
    machine = machine_for(game.rules, game.name, spec)
    player = SeatedStrategy(spec, machine, MoveLimit(nodes=2000))
    state, random, moves = machine.initial_state(), Random(1), 0
    while moves < 3:
        legal = [machine.legal_moves(state, each) for each in machine.roles]
        if len(legal[0]) > 1:
            player.choose(state, machine.roles[0], Random(moves))
            moves += 1
            assert 0.9 * 2000 * moves <= player.work <= 1.1 * 2000 * (moves + 0.25)
        state = machine.next_state(state, [random.choice(own) for own in legal])


def test_cpu_time_is_a_limit_too() -> None:
    pair = play_pair(task(CONNECT_FOUR, "mcts", "random", MoveLimit(seconds=0.002, prepare=0.01)))
    for match in pair.matches:
        assert 0 < match.cpu[0] < 10
        assert match.work[1] == 0


class Noting(EngineStrategy):
    """Keeps what it is told of its time; its choices take none."""

    name = "noting"

    def __init__(self) -> None:
        self.seconds: list[float | None] = []

    def search(self, position: Position) -> Iterator[Choice]:
        self.seconds.append(position.seconds)
        while True:
            yield Choice(position.legal_moves[0])


@pytest.mark.parametrize(
    ("limit", "expected"),
    [
        (MoveLimit(seconds=0.02, prepare=0.05), [0.05, 0.02]),
        (MoveLimit(seconds=0.02), [0.02]),
    ],
)
def test_players_are_told_their_time(limit: MoveLimit, expected: list[float]) -> None:
    machine = machine_for(CONNECT_FOUR.rules, CONNECT_FOUR.name, "noting")
    player = SeatedStrategy(f"{__name__}:Noting", machine, limit)
    player.choose(machine.initial_state(), machine.roles[0], Random(0))
    assert isinstance(player.strategy, Noting)
    assert player.strategy.seconds == pytest.approx(expected, rel=0.5)


def test_what_cannot_play_is_refused() -> None:
    with pytest.raises(LabError, match="planner is for games of one role"):
        play_pair(task(NIM, "legal", "planner", NODES))
    with pytest.raises(LabError, match="for two players, and this game has 3"):
        choosers(gdl.interpret(gdl.load("trefoil")))
    with pytest.raises(LabError, match="information_sets does not count its work"):
        play_pair(task(CONNECT_FOUR, "information_sets", "legal", NODES))


@pytest.mark.parametrize("given", [{}, {"nodes": 1, "seconds": 1.0}])
def test_a_limit_is_of_one_kind(given: dict) -> None:
    with pytest.raises(LabError, match="either nodes or seconds"):
        MoveLimit(**given)


def test_limits_in_words() -> None:
    assert str(MoveLimit(nodes=5000)) == "5000 nodes a move"
    words = "0.05 s of CPU time a move, 3 s to prepare"
    assert str(MoveLimit(seconds=0.05, prepare=3)) == words


def test_searches_share_no_engine() -> None:
    machines = [machine_for(NIM.rules, NIM.name, user) for user in ("a", "b")]
    engines = {id(m.engine) for m in machines if isinstance(m, PropnetStateMachine)}
    assert len(engines) == 2
    assert machines[0].initial_state() == machines[1].initial_state()


def test_openings_of_the_lab_can_be_played() -> None:
    found = list(islice(BalancedOpenings(CONNECT_FOUR, 0, Plies()), 2))
    for opening in found:
        pair = play_pair(task(CONNECT_FOUR, "legal", "legal", NODES, opening.moves))
        assert all(match.steps > 0 for match in pair.matches)


def test_registered_strategies_say_whether_they_count() -> None:
    for name, kind in registry.STRATEGIES.items():
        work = kind().work
        assert work in (0, None), name
