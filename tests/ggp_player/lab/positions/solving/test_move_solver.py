"""The textbook's solver, by which the others are checked."""

from __future__ import annotations

from gdl import parse_term
from gdl.engine import PropnetStateMachine
from ggp_player.lab.positions.solving import textbook_values
from ggp_player.lab.positions.turns import replayed


def test_a_corner_is_answered_in_the_middle_alone(tic_tac_toe: PropnetStateMachine) -> None:
    values = textbook_values(tic_tac_toe, replayed(tic_tac_toe, [parse_term("(put a1)")]))
    assert {str(move) for move, value in values.items() if value == 50} == {"(put b2)"}
    assert sorted(values.values()) == [0] * 7 + [50]


def test_winning_moves_are_found(tic_tac_toe: PropnetStateMachine) -> None:
    line = map(parse_term, ("(put a1)", "(put b1)", "(put a2)", "(put b2)"))
    values = textbook_values(tic_tac_toe, replayed(tic_tac_toe, list(line)))
    assert values[parse_term("(put a3)")] == 100
    assert min(values.values()) < 100
