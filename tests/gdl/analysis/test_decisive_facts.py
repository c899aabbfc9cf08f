"""What decides a match: lines, paths and pieces, found without knowing what they are."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

import gdl
from gdl.analysis.decisive_facts import decisive_facts, winner_of
from gdl.state_machine import RuledMachine, State

DRAWN = ["a1", "b2", "c3", "a2", "c2", "c1", "a3", "b3", "b1"]
LINE = ["a1", "c2", "b2", "c1", "c3"]


def after(machine: RuledMachine, moves: Iterable[str]) -> State:
    """The state after moves of whoever has a choice."""
    state = machine.initial_state()
    for move in moves:
        legal = [machine.legal_moves(state, role) for role in machine.roles]
        term = gdl.parse_term(move)
        joint_move = [term if term in own else own[0] for own in legal]
        state = machine.next_state(state, joint_move)
    return state


@pytest.mark.parametrize(
    ("game", "moves", "wanted"),
    [
        (
            "ticTacToe",
            [f"(put {cell})" for cell in LINE],
            {"(marked a1 cross)", "(marked b2 cross)", "(marked c3 cross)"},
        ),
        (
            "connectFour",
            [f"(drop {column})" for column in (1, 2, 1, 2, 1, 2, 1)],
            {f"(disc 1 {level} red)" for level in (1, 2, 3, 4)},
        ),
        (
            "hex",
            [f"(place {x} {y})" for y in (1, 2, 3, 4, 5, 6) for x in (1, 3) if (x, y) != (3, 6)],
            {f"(stone red 1 {y})" for y in (1, 2, 3, 4, 5, 6)},
        ),
    ],
)
def test_a_line_and_a_chain_decide(game: str, moves: list[str], wanted: set[str]) -> None:
    machine = gdl.interpret(gdl.load(game))
    state = after(machine, moves)
    assert machine.is_terminal(state)
    assert set(map(str, decisive_facts(machine, state))) == wanted


def test_where_pieces_are_counted_no_piece_decides() -> None:
    machine = gdl.interpret(gdl.load("reversi"))
    discs = [
        f"(disc {x} {y} {'white' if y < 6 else 'black'})" for x in range(1, 9) for y in range(1, 9)
    ]
    state = machine.state_of(map(gdl.parse_term, [*discs, "(turn black)"]))
    assert winner_of(machine, state) == gdl.Constant("white")
    assert decisive_facts(machine, state) == frozenset()


def test_nothing_decides_a_draw_or_what_is_not_found_in_time() -> None:
    machine = gdl.interpret(gdl.load("ticTacToe"))
    draw = after(machine, [f"(put {cell})" for cell in DRAWN])
    assert machine.is_terminal(draw)
    assert winner_of(machine, draw) is None
    assert decisive_facts(machine, draw) == frozenset()
    won = after(machine, [f"(put {cell})" for cell in LINE])
    assert decisive_facts(machine, won, seconds=-1) == frozenset()


def test_one_role_alone_has_nobody_to_win_against() -> None:
    machine = gdl.interpret(gdl.load("eightPuzzle"))
    assert decisive_facts(machine, machine.initial_state()) == frozenset()
