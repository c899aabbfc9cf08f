"""The solver of any game against the textbook."""

from __future__ import annotations

from random import Random

import pytest

import gdl
from gdl.analysis.symmetry import find_symmetries, generated_group
from gdl.engine import PropnetStateMachine
from ggp_player.lab.positions.solving.proof_solver import ProofSolver
from tests.ggp_player.lab.positions.solving.random_states import random_state
from tests.support.textbook_solver import textbook_values


def test_values_are_the_textbooks(tic_tac_toe: PropnetStateMachine) -> None:
    random, solver = Random(1), ProofSolver(tic_tac_toe, entries=2**12)
    for plies in (1, 2, 3, 4, 5, 6):
        state = random_state(tic_tac_toe, plies, random)
        assert solver.move_values(state) == textbook_values(tic_tac_toe, state)


def test_extra_turns_and_scores_are_the_textbooks(dots: PropnetStateMachine) -> None:
    random = Random(2)
    symmetries = generated_group(dots, find_symmetries(dots))
    solver = ProofSolver(dots, symmetries, entries=2**14)
    found = set()
    for _ in range(6):
        state = random_state(dots, 17, random)
        values = solver.move_values(state)
        assert values == textbook_values(dots, state)
        found |= set(values.values())
    assert len(found) > 3


@pytest.mark.thorough
@pytest.mark.parametrize(("game", "plies"), [("quarto", 24), ("reversi", 56)])
def test_ends_of_larger_games_are_the_textbooks(game: str, plies: int) -> None:
    machine = gdl.compile(gdl.load(game))
    random, solver = Random(3), ProofSolver(machine)
    for _ in range(5):
        state = random_state(machine, plies, random)
        assert solver.move_values(state) == textbook_values(machine, state)


def test_it_gives_up(dots: PropnetStateMachine) -> None:
    state = dots.initial_state()
    assert ProofSolver(dots, nodes=1000, entries=2**12).move_values(state) is None
