"""The strategies on real games: our rulesheets in ``games/``."""

from __future__ import annotations

from itertools import islice
from random import Random

import pytest

from gdl import State, StateMachine
from gdl.language import moves_by_chance
from gdl.playouts import play_out
from ggp_player.strategies import Position
from ggp_player.strategies.selection.registry import STRATEGIES, create
from tests.support.compiled_games import EVERY_GAME, reasoner_of
from tests.support.tree_games import last_choice, play, position


def later(machine: StateMachine, seed: int, steps: int) -> State:
    """The state before the last of some random steps, which is not terminal."""
    return [step.state for step in play_out(machine, Random(seed), steps) if step.joint_move][-1]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("role", [0, 1])
def test_tic_tac_toe_endgames_have_one_value(seed: int, role: int) -> None:
    machine = reasoner_of("ticTacToe")
    endgame = position(machine, role, later(machine, seed, 5))
    exact = last_choice(create("minimax"), endgame)
    assert last_choice(create("bounded_minimax"), endgame) == exact
    for spec in ("alpha_beta", "alpha_beta:ordering=false,evaluation=probes", "max_n", "auto"):
        choice = last_choice(create(spec), endgame)
        assert (choice.value, choice.proved) == (exact.value, True)


@pytest.mark.thorough
@pytest.mark.parametrize("spec", ["minimax", "alpha_beta:evaluation=mobility"])
def test_tic_tac_toe_is_a_draw(spec: str) -> None:
    assert last_choice(create(spec), position(reasoner_of("ticTacToe"))).value == 50


@pytest.mark.thorough
@pytest.mark.parametrize("opponent", ["minimax", "alpha_beta"])
@pytest.mark.parametrize("role", [0, 1])
def test_bounded_minimax_does_not_lose_to_other_searches(opponent: str, role: int) -> None:
    assert outcomes(opponent, role, matches=1)[0] == 50


@pytest.mark.thorough
@pytest.mark.parametrize("role", [0, 1])
def test_bounded_minimax_does_not_lose_to_chance(role: int) -> None:
    assert min(outcomes("random", role, matches=4)) >= 50


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("opponent", ["random", "minimax", "alpha_beta"])
@pytest.mark.parametrize("role", [0, 1])
def test_bounded_minimax_does_not_lose_fifty_matches(opponent: str, role: int) -> None:
    assert min(outcomes(opponent, role, matches=50)) >= 50


def outcomes(opponent: str, role: int, matches: int) -> list[int]:
    """The goal values of bounded minimax in that role of tic-tac-toe, match by match."""
    goals = []
    for seed in range(matches):
        pair = [create("bounded_minimax"), create(opponent)]
        strategies = pair if role == 0 else pair[::-1]
        goals.append(play(reasoner_of("ticTacToe"), strategies, Random(seed))[role])
    return goals


@pytest.mark.parametrize("spec", ["minimax", "bounded_minimax:upper=51", "alpha_beta"])
def test_nim_is_won_by_the_second(spec: str) -> None:
    machine = reasoner_of("nim")
    assert play(machine, [create("random"), create(spec)], Random(2)) == [0, 100]


@pytest.mark.parametrize(
    ("game", "spec"),
    [("keyMaze", "planning"), ("sudokuSmall", "deliberation"), ("sudokuSmall", "auto")],
)
def test_small_puzzles_are_solved(game: str, spec: str) -> None:
    assert play(reasoner_of(game), [create(spec)], Random(1)) == [100]


@pytest.mark.parametrize("name", EVERY_GAME)
def test_every_strategy_refuses_or_has_a_legal_move_at_once(name: str) -> None:
    machine = reasoner_of(name)
    role = [role for role in machine.roles if not moves_by_chance(role)][-1]
    start = Position(machine, machine.initial_state(), role, Random(1))
    willing = [create(name) for name in STRATEGIES if not create(name).refusal(machine)]
    assert len(willing) >= 6
    for strategy in willing:
        assert next(iter(strategy.search(start))).move in start.legal_moves


@pytest.mark.parametrize("name", ["max_n", "auto"])
@pytest.mark.parametrize("game", ["diceRace", "trefoil"])
def test_the_same_seed_finds_the_same(game: str, name: str) -> None:
    machine = reasoner_of(game)

    def found() -> list[object]:
        start = Position(machine, machine.initial_state(), machine.roles[0], Random(7))
        return list(islice(create(name).search(start), 12))

    assert found() == found()
