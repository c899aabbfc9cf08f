"""The solver of hex against the solver of any game."""

from __future__ import annotations

from random import Random

import pytest

import gdl
from ggp_player.errors import PositionSetError
from ggp_player.lab.positions.solved_positions import OWN_SETS
from ggp_player.lab.positions.solving.move_solver import ProofSolver
from ggp_player.lab.positions.solving.solvers import HexSolver
from ggp_player.lab.positions.turns import after_forced
from tests.ggp_player.lab.positions.solving.random_states import random_state
from tests.support.textbook_solver import solved_values


@pytest.mark.thorough
@pytest.mark.parametrize(("game", "plies"), [("hex5x5", 9), ("hex5x5", 15), ("hex", 22)])
def test_values_are_those_of_the_proof_search(game: str, plies: int) -> None:
    own = OWN_SETS / f"{game}.kif"
    machine = gdl.compile(gdl.load(own if own.exists() else game))
    random, values = Random(plies), set()
    solver, oracle = HexSolver(machine, entries=2**14), ProofSolver(machine, nodes=10**8)
    for _ in range(10):
        state = random_state(machine, plies, random)
        found = solved_values(solver, state)
        assert found == solved_values(oracle, state)
        values |= set((found or {}).values())
    assert values == {0, 100}


@pytest.mark.thorough
def test_it_gives_up() -> None:
    machine = gdl.interpret(gdl.load("hex"))
    assert solved_values(HexSolver(machine, nodes=100), machine.initial_state()) is None


def test_another_game_is_refused() -> None:
    machine = gdl.interpret(gdl.load("ticTacToe"))
    with pytest.raises(PositionSetError, match=r"expected a move \(place x y\); found \(put"):
        HexSolver(machine)


def test_a_board_that_is_no_rhombus_is_refused() -> None:
    machine = gdl.interpret(gdl.load("reversi"))
    assert after_forced(machine, machine.initial_state()) == machine.initial_state()
    with pytest.raises(PositionSetError, match="expected a rhombus of at most 7 cells a side"):
        HexSolver(machine)
