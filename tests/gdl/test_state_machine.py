"""Counting paths and listing joint moves, on any state machine."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gdl
from gdl import Constant, State, StateMachine, Term
from gdl.state_machine import MOST_MOVES_LISTED, listed_moves

RACE = """
; Two roles walk 1 or 2 steps at a time to 3; whoever is there ends the match.
(role a) (role b) (init (at a 0)) (init (at b 0))
(plus 0 1 1) (plus 0 2 2) (plus 1 1 2) (plus 1 2 3) (plus 2 1 3)
(<= (legal ?r (walk ?n)) (true (at ?r ?x)) (plus ?x ?n ?y))
(<= (next (at ?r ?y)) (does ?r (walk ?n)) (true (at ?r ?x)) (plus ?x ?n ?y))
(<= terminal (true (at ?r 3)))
"""


class Numbers:
    """A machine by hand: from n one role moves to n + 1 .. n + n, up to 6, which is terminal."""

    roles = (Constant("r"),)

    def initial_state(self) -> State:
        return (Constant("1"),)

    def legal_moves(self, state: State, role: Term) -> tuple[Term, ...]:
        (number,) = (int(str(fact)) for fact in state)
        return tuple(Constant(str(n)) for n in range(number + 1, min(2 * number, 6) + 1))

    def next_state(self, state: State, joint_move: Sequence[Term]) -> State:
        return tuple(joint_move)

    def is_terminal(self, state: State) -> bool:
        return list(map(str, state)) == ["6"]

    def goal(self, state: State, role: Term) -> int | None:
        return None

    def goals(self, state: State, role: Term) -> tuple[int, ...]:
        return ()

    def percepts(self, state: State, joint_move: Sequence[Term], role: Term) -> tuple[Term, ...]:
        return ()


def race() -> StateMachine:
    return gdl.interpret(gdl.parse(RACE))


def test_joint_moves_vary_the_last_role_fastest() -> None:
    machine = race()
    found = list(gdl.joint_moves(machine, machine.initial_state()))
    assert [" ".join(map(str, moves)) for moves in found] == [
        "(walk 1) (walk 1)",
        "(walk 1) (walk 2)",
        "(walk 2) (walk 1)",
        "(walk 2) (walk 2)",
    ]


def test_joint_moves_need_a_move_of_every_role() -> None:
    machine = gdl.interpret(gdl.parse("(role a) (role b) (legal a go)"))
    assert list(gdl.joint_moves(machine, machine.initial_state())) == []
    assert gdl.perft(machine, 1) == gdl.perft(machine, 2) == 0


# By hand, over the steps 1-2, 2-3, 2-4, 3-4, 3-5, 3-6, 4-5, 4-6 and 5-6.
@pytest.mark.parametrize(("depth", "count"), list(enumerate([1, 1, 2, 5, 4, 1, 0])))
def test_perft_counts_paths_of_exactly_that_length(depth: int, count: int) -> None:
    machine: StateMachine = Numbers()
    assert gdl.perft(machine, depth) == count


# By hand: 4 + 2 + 2 + 1 paths of two steps, of which one, with steps of 1 alone, ends before 3.
@pytest.mark.parametrize(("depth", "count"), list(enumerate([1, 4, 9, 1, 0])))
def test_perft_of_simultaneous_moves(depth: int, count: int) -> None:
    assert gdl.perft(race(), depth) == count == _paths(race(), race().initial_state(), depth)


def _paths(machine: StateMachine, state: State, depth: int) -> int:
    if depth == 0:
        return 1
    if machine.is_terminal(state):
        return 0
    options = [machine.legal_moves(state, role) for role in machine.roles]
    return sum(
        _paths(machine, machine.next_state(state, moves), depth - 1)
        for moves in itertools.product(*options)
    )


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_divide_splits_perft_by_the_first_joint_move(depth: int) -> None:
    machine = race()
    parts = gdl.divide(machine, depth)
    assert list(parts) == list(gdl.joint_moves(machine, machine.initial_state()))
    assert sum(parts.values()) == gdl.perft(machine, depth)


def test_divide_of_hand_made_moves() -> None:
    machine: StateMachine = Numbers()
    assert gdl.divide(machine, 3) == {(Constant("2"),): 5}


def test_no_path_leads_on_from_a_terminal_state() -> None:
    machine = gdl.interpret(gdl.parse("(role r) (legal r go) (terminal)"))
    assert [gdl.perft(machine, depth) for depth in (0, 1, 2)] == [1, 0, 0]
    assert gdl.divide(machine, 1) == {}


def test_states_of_the_reasoner_fit_the_protocol() -> None:
    assert isinstance(race().initial_state(), State)


@pytest.mark.parametrize("make", [gdl.interpret, gdl.compile])
def test_roles_and_moves_are_terms_or_text(make) -> None:
    machine = make(gdl.load("connectFour"))
    state = machine.initial_state()
    assert machine.legal_moves(state, "RED") == machine.legal_moves(state, gdl.Constant("red"))
    drop = gdl.parse_term("(drop 4)")
    after = machine.next_state(state, [drop, gdl.Constant("noop")])
    for text in ("(drop 4)", " drop 4 ", "drop(4)", "DROP 4"):
        assert machine.next_state(state, [text, "noop"]) == after
        assert machine.step(state, [text, "noop"]) == after
    assert machine.goal(after, "yellow") == machine.goals(after, "yellow")[0]
    assert machine.percepts(state, ["drop 4", "noop"], "red") == ()
    assert repr(machine) == f"<{type(machine).__name__} connectFour: red, yellow>"


@pytest.mark.parametrize("make", [gdl.interpret, gdl.compile])
def test_steps_are_checked(make) -> None:
    machine = make(gdl.parse(RACE))
    start = machine.initial_state()
    with pytest.raises(gdl.MoveError, match=r"\(walk 3\) is not legal for b; legal are \(walk 1\)"):
        machine.step(start, ["walk 1", "walk 3"])
    with pytest.raises(gdl.MoveError, match="a move for each of a, b, found 1 move"):
        machine.step(start, ["walk 1"])
    with pytest.raises(gdl.MoveError, match="no role is called c; the roles are a, b"):
        machine.legal_moves(start, "c")
    over = machine.step(machine.step(start, ["walk 2", "walk 1"]), ["walk 1", "walk 1"])
    with pytest.raises(gdl.MoveError, match="the match is over in this state"):
        machine.step(over, ["walk 1", "walk 1"])


def test_many_legal_moves_are_not_all_listed() -> None:
    machine = gdl.interpret(gdl.load("amazons"))
    with pytest.raises(gdl.MoveError, match=r"legal are \(.* and \d+ more"):
        machine.step(machine.initial_state(), ["nonsense", "noop"])


@given(st.integers(0, 3 * MOST_MOVES_LISTED))
def test_long_lists_of_moves_are_cut_and_counted(count: int) -> None:
    moves = [gdl.Constant(f"m{number}") for number in range(count)]
    shown, _, more = listed_moves(moves).partition(" and ")
    assert shown == (", ".join(map(str, moves[:MOST_MOVES_LISTED])) or "none")
    assert more == (f"{count - MOST_MOVES_LISTED} more" if count > MOST_MOVES_LISTED else "")
