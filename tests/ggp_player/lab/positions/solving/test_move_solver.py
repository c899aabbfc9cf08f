"""What solvers have in common, and the textbook's solver, by which the others are checked."""

from __future__ import annotations

from random import Random

import pytest

import gdl
from gdl import parse_term
from gdl.analysis.symmetry import find_symmetries, generated_group
from gdl.engine import PropnetStateMachine
from ggp_player.lab.positions.solving.move_solver import MoveSolution, ProofSolver
from ggp_player.lab.positions.turns import replayed
from tests.ggp_player.lab.positions.solving.random_states import random_state
from tests.support.textbook_solver import solved_values, textbook_values


def test_a_corner_is_answered_in_the_middle_alone(tic_tac_toe: PropnetStateMachine) -> None:
    values = textbook_values(tic_tac_toe, replayed(tic_tac_toe, [parse_term("(put a1)")]))
    assert {str(move) for move, value in values.items() if value == 50} == {"(put b2)"}
    assert sorted(values.values()) == [0] * 7 + [50]


def test_winning_moves_are_found(tic_tac_toe: PropnetStateMachine) -> None:
    line = map(parse_term, ("(put a1)", "(put b1)", "(put a2)", "(put b2)"))
    values = textbook_values(tic_tac_toe, replayed(tic_tac_toe, list(line)))
    assert values[parse_term("(put a3)")] == 100
    assert min(values.values()) < 100


def test_moves_are_solved_when_they_are_asked_for(tic_tac_toe: PropnetStateMachine) -> None:
    state = replayed(tic_tac_toe, [parse_term("(put a1)")])
    solution = MoveSolution(ProofSolver(tic_tac_toe, entries=2**12), state)
    middle = parse_term("(put b2)")
    assert solution.value(middle) == 50
    assert solution.values == {middle: 50}
    assert not solution.complete(nodes=1)
    assert not solution.is_given_up
    assert solution.complete()
    assert solution.values == textbook_values(tic_tac_toe, state)


def test_a_position_is_given_up_for_all_its_moves(tic_tac_toe: PropnetStateMachine) -> None:
    state = replayed(tic_tac_toe, [parse_term("(put a1)")])
    solution = MoveSolution(ProofSolver(tic_tac_toe, nodes=5, entries=2**12), state)
    assert solution.value(parse_term("(put b2)")) is None
    assert solution.is_given_up
    assert not solution.complete()
    assert not solution.values


def test_values_are_the_textbooks(tic_tac_toe: PropnetStateMachine) -> None:
    random, solver = Random(1), ProofSolver(tic_tac_toe, entries=2**12)
    for plies in (1, 2, 3, 4, 5, 6):
        state = random_state(tic_tac_toe, plies, random)
        assert solved_values(solver, state) == textbook_values(tic_tac_toe, state)


def test_extra_turns_and_scores_are_the_textbooks(dots: PropnetStateMachine) -> None:
    random = Random(2)
    symmetries = generated_group(dots, find_symmetries(dots))
    solver = ProofSolver(dots, symmetries, entries=2**14)
    found = set()
    for _ in range(3):
        state = random_state(dots, 17, random)
        values = solved_values(solver, state)
        assert values == textbook_values(dots, state)
        found |= set(values.values())
    assert len(found) > 2


@pytest.mark.thorough
@pytest.mark.parametrize(("game", "plies"), [("quarto", 24), ("reversi", 56)])
def test_ends_of_larger_games_are_the_textbooks(game: str, plies: int) -> None:
    machine = gdl.compile(gdl.load(game))
    random, solver = Random(3), ProofSolver(machine)
    for _ in range(5):
        state = random_state(machine, plies, random)
        assert solved_values(solver, state) == textbook_values(machine, state)


def test_it_gives_up(dots: PropnetStateMachine) -> None:
    state = dots.initial_state()
    assert solved_values(ProofSolver(dots, nodes=1000, entries=2**12), state) is None
