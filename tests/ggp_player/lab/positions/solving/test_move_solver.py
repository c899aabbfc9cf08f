"""What solvers have in common, and the textbook's solver, by which the others are checked."""

from __future__ import annotations

from gdl import parse_term
from gdl.engine import PropnetStateMachine
from ggp_player.lab.positions.solving.move_solver import MoveSolution
from ggp_player.lab.positions.solving.proof_solver import ProofSolver
from ggp_player.lab.positions.turns import replayed
from tests.support.textbook_solver import textbook_values


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
