from __future__ import annotations

import pytest

import gdl
from gdl.analysis.boards import cells_of_move, state_after
from tests.support.compiled_games import reasoner_of
from tests.support.drawn_games import layout_of_game, states_of

NAMED = {
    "ticTacToe": ("(put b2)", ["b2"]),
    "breakthrough": ("(step 2 2 3 3)", ["2 2", "3 3"]),
    "chess": ("(promote 1 7 1 8 queen)", ["1 7", "1 8"]),
    "hex": ("(place 2 3)", ["2 3"]),
    "nineBoards": ("(put mid w)", ["mid w"]),
    "nim": ("(take left 3)", ["left"]),
    "kalah": ("(sow s2)", ["s2"]),
    "dotsAndBoxes": ("(draw flat 2 1)", ["2 1", "3 1"]),
    "bridges": ("(build long 2 1)", ["long 2 1"]),
    "blocksWorld": ("(put c table)", ["c", "table"]),
    "pegSolitaire": ("(jump 4 1)", ["4", "1"]),
    "townChase": ("(walk church)", ["church"]),
    "quarto": ("(hand tdrf)", ["tdrf"]),
    "amazons": ("(glide 3 1 3 2)", ["3 1", "3 2"]),
    "starHalma": ("(move 8 3 7 4)", ["8 3", "7 4"]),
    "keyMaze": ("(walk east)", []),
    "biddingTicTacToe": ("(bid 3)", []),
    "sudokuSmall": ("(write 2)", []),
}


@pytest.mark.parametrize("name", NAMED)
def test_moves_name_their_cells(name: str) -> None:
    move, keys = NAMED[name]
    cells = cells_of_move(layout_of_game(name), gdl.parse_term(move))
    assert [" ".join(cell.key) for cell in cells] == keys


def test_a_column_has_all_its_cells() -> None:
    cells = cells_of_move(layout_of_game("connectFour"), gdl.parse_term("(drop 4)"))
    assert sorted(cell.key for cell in cells) == [("4", str(level)) for level in range(1, 7)]


def test_a_piece_is_where_the_state_has_it() -> None:
    layout = layout_of_game("eightPuzzle")
    state = reasoner_of("eightPuzzle").initial_state()
    (cell,) = cells_of_move(layout, gdl.parse_term("(slide 6)"), state)
    assert cell.key == ("4",)


@pytest.mark.parametrize(
    ("name", "before", "move", "keys"),
    [
        ("eightPuzzle", [], "(slide 6)", ["4"]),  # the tile leaves its place
        ("sudokuSmall", [], "(write 3)", ["1"]),  # 3 stands elsewhere, and comes to cell 1
        ("sudokuSmall", [], "(write 2)", ["1"]),  # there was no 2
        ("sudokuSmall", [], "(write 9)", []),  # not legal, and on no cell
        ("codeBreaker", [], "(set red blue red)", []),  # which piece comes to which cell?
        ("diceRace", [["noop", "noop", "(throw 2)"]], "(run 1)", ["0"]),
    ],
)
def test_of_pieces_those_are_marked_that_a_move_takes_or_else_puts(
    name: str, before: list[list[str]], move: str, keys: list[str]
) -> None:
    layout, machine = layout_of_game(name), reasoner_of(name)
    state = machine.initial_state()
    for joint_move in before:
        state = machine.next_state(state, list(map(gdl.parse_term, joint_move)))
    cells = cells_of_move(
        layout, gdl.parse_term(move), state, lambda made: state_after(machine, state, made)
    )
    assert [" ".join(cell.key) for cell in cells] == keys


@pytest.mark.parametrize("name", ["amazons", "breakthrough", "chess", "hex", "reversi", "trefoil"])
def test_every_move_on_a_board_names_a_cell(name: str) -> None:
    layout, machine = layout_of_game(name), reasoner_of(name)
    for state in states_of(name, 8):
        for role in machine.roles:
            for move in machine.legal_moves(state, role):
                named = cells_of_move(layout, move, state)
                assert bool(named) == isinstance(move, gdl.Function), move


def test_words_without_meaning_name_nothing() -> None:
    layout = layout_of_game("chess")
    assert cells_of_move(layout, gdl.parse_term("(dance 77 99)")) == ()
    assert cells_of_move(layout, gdl.parse_term("noop")) == ()
