"""Critical positions found in games of the tree search against itself."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gdl.analysis.symmetry import find_symmetries, generated_group
from gdl.engine import PropnetStateMachine
from ggp_player.lab.positions import position_maker
from ggp_player.lab.positions.position_maker import PositionMaker, Recipe
from ggp_player.lab.positions.solved_positions import SolvedPosition
from ggp_player.lab.positions.solving.move_solver import ProofSolver
from ggp_player.lab.positions.turns import replayed
from tests.support.textbook_solver import is_critical, textbook_values

RECIPE = Recipe(1, 5, opening=3, play_gates=1, try_gates=1, per_game=1)


def maker(machine: PropnetStateMachine, recipe: Recipe = RECIPE, seed: int = 1) -> PositionMaker:
    symmetries = generated_group(machine, find_symmetries(machine))
    return PositionMaker(machine, ProofSolver(machine, entries=2**12), recipe, seed, symmetries)


def found(maker: PositionMaker, games: int) -> list[SolvedPosition]:
    return [position for game in range(games) for position in maker.positions_of_game(game)]


def test_positions_are_critical_and_solved(tic_tac_toe: PropnetStateMachine) -> None:
    positions = found(maker(tic_tac_toe), 6)
    assert len(positions) >= 2
    for position in positions:
        assert is_critical(position)
        assert RECIPE.first <= len(position.line) <= RECIPE.last
        state = replayed(tic_tac_toe, position.line)
        assert position.values == textbook_values(tic_tac_toe, state)


def test_games_depend_on_their_number_and_the_seed(tic_tac_toe: PropnetStateMachine) -> None:
    alone = [list(maker(tic_tac_toe).positions_of_game(game)) for game in range(3)]
    together = found(maker(tic_tac_toe), 3)
    assert [position for each in alone for position in each if position in together] == together
    assert together != found(maker(tic_tac_toe, seed=2), 3)


def test_symmetric_positions_are_left_out(tic_tac_toe: PropnetStateMachine) -> None:
    """After one mark there are three places, but for symmetry."""
    recipe = Recipe(1, 1, opening=3, play_gates=1, tries=0, per_game=1)
    positions = found(maker(tic_tac_toe, recipe), 10)
    assert 1 <= len(positions) <= 3
    again = maker(tic_tac_toe, recipe)
    for position in positions:
        again.remember(position)
    assert found(again, 10) == []


def test_what_is_never_wrong_is_left_out(tic_tac_toe: PropnetStateMachine) -> None:
    recipe = Recipe(4, 5, opening=3, play_gates=1, try_gates=20_000_000, tries=1)
    assert found(maker(tic_tac_toe, recipe), 8) == []


def test_what_is_easy_is_left_out(
    tic_tac_toe: PropnetStateMachine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whether all moves are solved first, or those that the tries choose; and what has no doubt."""
    recipe = Recipe(2, 5, opening=3, play_gates=1, try_gates=50_000, tries=2)
    expected = found(maker(tic_tac_toe, recipe), 12)
    doubted = found(maker(tic_tac_toe, replace(recipe, doubt=45)), 12)
    assert 0 < len(doubted) < len(expected)
    assert 2 < len(expected) < len(found(maker(tic_tac_toe, replace(recipe, tries=0)), 12))
    monkeypatch.setattr(position_maker, "CHEAP_SHARE", 10**9)
    assert found(maker(tic_tac_toe, recipe), 12) == expected


def test_positions_that_take_too_many_nodes_end_a_game(tic_tac_toe: PropnetStateMachine) -> None:
    recipe = Recipe(1, 5, opening=3, play_gates=1, try_gates=1)
    solver = ProofSolver(tic_tac_toe, nodes=2, entries=2**12)
    assert found(PositionMaker(tic_tac_toe, solver, recipe, 1), 10) == []


def test_plies_are_in_order() -> None:
    with pytest.raises(ValueError, match="expected 0 <= first <= last; found 5 and 4"):
        Recipe(5, 4)
