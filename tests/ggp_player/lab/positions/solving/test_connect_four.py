"""The solver of connect four against the solver of any game."""

from __future__ import annotations

from functools import cache
from random import Random

import pytest

import gdl
from gdl.engine import PropnetStateMachine
from ggp_player.errors import PositionSetError
from ggp_player.lab.positions.solving.move_solver import ProofSolver
from ggp_player.lab.positions.solving.solvers import ConnectFourSolver
from tests.ggp_player.lab.positions.solving.random_states import random_state
from tests.support.textbook_solver import solved_values, textbook_values

pytestmark = pytest.mark.thorough
"""Numba compiles the kernel."""


@cache
def machine() -> PropnetStateMachine:
    return gdl.compile(gdl.load("connectFour"))


@pytest.mark.parametrize("plies", [22, 26, 30, 34])
def test_values_are_those_of_the_proof_search(plies: int) -> None:
    random = Random(plies)
    solver, oracle = (
        ConnectFourSolver(machine(), entries=2**16),
        ProofSolver(machine(), nodes=10**8),
    )
    for _ in range(10):
        state = random_state(machine(), plies, random)
        assert solved_values(solver, state) == solved_values(oracle, state)


def test_values_are_the_textbooks() -> None:
    random, solver = Random(4), ConnectFourSolver(machine(), entries=2**10)
    for _ in range(10):
        state = random_state(machine(), 34, random)
        assert solved_values(solver, state) == textbook_values(machine(), state)


def test_it_gives_up() -> None:
    assert solved_values(ConnectFourSolver(machine(), nodes=100), machine().initial_state()) is None


def test_another_game_is_refused() -> None:
    other = gdl.interpret(gdl.load("ticTacToe"))
    with pytest.raises(PositionSetError, match=r"expected a move \(drop column\); found \(put"):
        solved_values(ConnectFourSolver(other), other.initial_state())
