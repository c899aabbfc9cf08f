"""States are values, and a machine answers for all of them alike."""

from __future__ import annotations

from pathlib import Path

import pytest

import gdl
from gdl import MoveError
from tests.support.programs import printed_by
from tests.support.tiny_games import NUMBERS, interpret, texts

ROOT = Path(gdl.__file__).parents[1]

COUNTER = """
(role r) (role s) (init (n 0)) (succ 0 1) (succ 1 2) (succ 2 0)
(<= (legal ?r stay) (role ?r)) (<= (legal ?r (up 1)) (role ?r))
(<= up (does ?r (up 1)))
(<= (next (n ?y)) up (true (n ?x)) (succ ?x ?y))
(<= (next (n ?x)) (not up) (true (n ?x)))
"""


def test_states_are_values() -> None:
    machine = interpret(COUNTER)
    start = machine.initial_state()
    up, stay = gdl.parse_term("(up 1)"), gdl.parse_term("stay")
    once = machine.next_state(start, [up, stay])
    assert once == machine.next_state(start, [stay, up])
    assert hash(once) == hash(machine.next_state(start, [up, up]))
    assert once != start
    assert machine.next_state(start, [stay, stay]) == start
    assert {start, once, machine.next_state(once, [stay, stay])} == {start, once}
    assert "(n 1)" in repr(once)
    assert once != object()
    assert (len(once), texts(once)) == (1, ["(n 1)"])


def test_states_of_two_machines_differ() -> None:
    first, second = gdl.interpret(gdl.parse(COUNTER)), gdl.interpret(gdl.parse(COUNTER))
    assert first.initial_state() != second.initial_state()


def test_moves_are_sorted_by_their_text() -> None:
    machine = interpret("(role r) (legal r b) (legal r (a 2)) (legal r (a 10)) (legal r a)")
    moves = machine.legal_moves(machine.initial_state(), machine.roles[0])
    assert list(map(str, moves)) == ["(a 10)", "(a 2)", "a", "b"]


def test_wrong_number_of_moves_is_refused() -> None:
    machine = interpret(COUNTER)
    state, stay = machine.initial_state(), gdl.parse_term("stay")
    for moves in ([], [stay], [stay] * 3):
        with pytest.raises(MoveError, match=f"expected 2 moves.*found {len(moves)}"):
            machine.next_state(state, moves)
        with pytest.raises(MoveError):
            machine.percepts(state, moves, machine.roles[0])


@pytest.mark.parametrize("role", ["nobody", "(r)", "(r s)", "?r"])
def test_unknown_role_is_refused(role: str) -> None:
    machine = interpret(COUNTER)
    term = gdl.parse_term(role)
    if term == machine.roles[0]:  # (r) is r with empty parentheses
        return
    with pytest.raises(MoveError, match="the roles are r, s"):
        machine.legal_moves(machine.initial_state(), term)
    with pytest.raises(MoveError):
        machine.goal(machine.initial_state(), term)


@pytest.mark.parametrize("remembered", [1, 2, 256])
def test_old_states_can_be_asked_again(remembered: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gdl.reasoner.reasoner.REMEMBERED_STATES", remembered)
    machine = interpret(
        f"(role r) {NUMBERS} (init (n 0)) (<= (legal r ?x) (true (n ?x))) "
        "(<= (next (n ?y)) (true (n ?x)) (succ ?x ?y))"
    )
    states = [machine.initial_state()]
    for _ in range(50):
        states.append(
            machine.next_state(states[-1], machine.legal_moves(states[-1], machine.roles[0]))
        )
    for number in (0, 50, 25, 0):
        assert texts(machine.legal_moves(states[number], machine.roles[0])) == [str(number)]


def test_answers_do_not_depend_on_the_order_of_hashes() -> None:
    script = (
        "import gdl; m = gdl.interpret(gdl.parse('(role r) (init a) (init (f b)) (init (g c d)) "
        "(<= (p ?x) (true ?x)) (<= (legal r (m ?x ?y)) (p ?x) (p ?y) (not (true (h ?x)))) "
        "(<= (next ?x) (does r (m ?x ?y)))')); s = m.initial_state(); print(m._program.source(), "
        "*m.legal_moves(s, m.roles[0]))"
    )
    assert len({printed_by(script, PYTHONHASHSEED=seed) for seed in "123"}) == 1
