"""Who has the choice in a state, and where a line of choices leads."""

from __future__ import annotations

import pytest

import gdl
from gdl import parse_term
from gdl.engine import PropnetStateMachine
from ggp_player.errors import PositionSetError
from ggp_player.lab.positions.turns import after_forced, chooser, joint_moves, replayed

FORCED = """
(role ann) (role bob) (init (step 1)) (after 1 2) (after 2 3) (after 3 4)
(<= (legal ann left) (true (step 1))) (<= (legal ann right) (true (step 1)))
(<= (legal ann wait) (not (true (step 1))))
(<= (legal bob wait) (not (true (step 3))))
(<= (legal bob left) (true (step 3))) (<= (legal bob right) (true (step 3)))
(<= (next (step ?n)) (true (step ?m)) (after ?m ?n))
(<= terminal (true (step 4)))
(goal ann 50) (goal bob 50)
"""


def test_turns_alternate_in_tic_tac_toe(tic_tac_toe: PropnetStateMachine) -> None:
    assert chooser(tic_tac_toe, replayed(tic_tac_toe, [])) == 0
    state = replayed(tic_tac_toe, [parse_term("(put b2)")])
    assert chooser(tic_tac_toe, state) == 1
    assert len(tic_tac_toe.legal_moves(state, "nought")) == 8


def test_steps_without_a_choice_take_no_entry() -> None:
    machine = gdl.interpret(gdl.parse(FORCED))
    state = replayed(machine, [parse_term("right")])
    assert set(state) == {parse_term("(step 3)")}
    assert chooser(machine, state) == 1
    assert machine.is_terminal(replayed(machine, [parse_term("left"), parse_term("left")]))
    assert after_forced(machine, state) == state


def test_joint_moves_lead_to_the_same_state(tic_tac_toe: PropnetStateMachine) -> None:
    line = [parse_term("(put b2)"), parse_term("(put a1)")]
    assert joint_moves(tic_tac_toe, line) == [
        (parse_term("(put b2)"), parse_term("noop")),
        (parse_term("noop"), parse_term("(put a1)")),
    ]
    machine = gdl.interpret(gdl.parse(FORCED))
    made = joint_moves(machine, [parse_term("left")])
    state = machine.initial_state()
    for moves in made:
        state = machine.next_state(state, moves)
    assert state == replayed(machine, [parse_term("left")])


def test_moves_that_are_not_legal_are_named(tic_tac_toe: PropnetStateMachine) -> None:
    with pytest.raises(PositionSetError, match=r"move 2, \(put b2\), is not legal; legal are"):
        replayed(tic_tac_toe, [parse_term("(put b2)")] * 2)


def test_a_line_does_not_go_on_after_the_end() -> None:
    machine = gdl.interpret(gdl.parse(FORCED))
    with pytest.raises(PositionSetError, match="move 3, left: the match is over before it"):
        replayed(machine, [parse_term("left")] * 3)


def test_simultaneous_choices_are_refused() -> None:
    machine = gdl.interpret(gdl.load("handDuel"))
    with pytest.raises(PositionSetError, match="expected one role with a choice in each state"):
        chooser(machine, machine.initial_state())
