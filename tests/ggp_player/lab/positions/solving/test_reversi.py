"""The solver of reversi against the solver of any game."""

from __future__ import annotations

from functools import cache
from random import Random

import numpy as np
import pytest

import gdl
from gdl.engine import PropnetStateMachine
from ggp_player.errors import PositionSetError
from ggp_player.lab.positions.solving.move_solver import ProofSolver
from ggp_player.lab.positions.solving.reversi_kernels import placeable
from ggp_player.lab.positions.solving.solvers import ReversiSolver
from tests.ggp_player.lab.positions.solving.random_states import random_state
from tests.support.textbook_solver import solved_values, textbook_values

pytestmark = pytest.mark.thorough
"""Numba compiles the kernel."""


@cache
def machine() -> PropnetStateMachine:
    return gdl.compile(gdl.load("reversi"))


def test_values_are_those_of_the_proof_search() -> None:
    random, found = Random(1), set()
    solver, oracle = ReversiSolver(machine(), entries=2**12), ProofSolver(machine(), nodes=10**8)
    for plies in [48] * 3 + [51] * 10:
        state = random_state(machine(), plies, random)
        values = solved_values(solver, state)
        assert values == solved_values(oracle, state)
        found |= set((values or {}).values())
    assert found >= {0, 100}


def test_values_are_the_textbooks() -> None:
    random, solver, found = Random(4), ReversiSolver(machine(), entries=2**10), set()
    for _ in range(30):
        state = random_state(machine(), 55, random)
        values = solved_values(solver, state)
        assert values == textbook_values(machine(), state)
        found |= set((values or {}).values())
    assert found == {0, 50, 100}


def test_the_first_places_are_the_four_of_the_rules() -> None:
    moves = machine().legal_moves(machine().initial_state(), machine().roles[0])
    assert len(moves) == 4
    black = 1 << 3 * 8 + 3 | 1 << 4 * 8 + 4
    white = 1 << 4 * 8 + 3 | 1 << 3 * 8 + 4
    places = int(placeable(np.uint64(black), np.uint64(white)))
    assert {f"(place {bit % 8 + 1} {bit // 8 + 1})" for bit in range(64) if places >> bit & 1} == {
        str(move) for move in moves
    }


def test_it_gives_up() -> None:
    assert solved_values(ReversiSolver(machine(), nodes=100), machine().initial_state()) is None


def test_other_games_are_refused() -> None:
    other = gdl.interpret(gdl.load("ticTacToe"))
    with pytest.raises(PositionSetError, match=r"expected a move \(place x y\); found \(put"):
        solved_values(ReversiSolver(other), other.initial_state())
    wide = gdl.interpret(gdl.parse(WIDE))
    with pytest.raises(PositionSetError, match="expected a board of 8 x 8 squares"):
        solved_values(ReversiSolver(wide), wide.initial_state())


WIDE = """
(role black) (role white) (init (disc 9 1 black)) (legal black (place 1 1))
(legal black (place 2 1)) (legal white noop) (<= terminal (not (true (disc 9 1 black))))
(goal black 0) (goal white 0)
"""
