"""What is typed is the move that it means, or gets a sentence."""

from __future__ import annotations

import doctest

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import gdl
from ggp_player.errors import PlayError
from ggp_player.play import move_reading
from ggp_player.play.move_reading import have_numbers, read_move
from tests.support.drawn_games import names_of_game

MOVES = [
    gdl.parse_term(text) for text in ("(move 1 1 2 2)", "(move 1 1 12 2)", "(drop 12)", "noop")
]


@pytest.mark.parametrize(
    ("text", "index"),
    [
        *(("1", 0), (" 4 ", 3), ("move 1 1 2 2", 0), ("(MOVE 1 1 2 2)", 0), ("(move 1 1 2 2", 0)),
        *(("noop", 3), ("no", 3), ("drop", 2), ("1 2 2", 0), ("12 2", 1), ("12", 2)),
    ],
)
def test_a_number_a_text_or_a_part_is_a_move(text: str, index: int) -> None:
    if text == "12":  # two moves have it, and there is no move of that number
        with pytest.raises(PlayError, match="2 moves"):
            read_move(text, MOVES)
    else:
        assert read_move(text, MOVES) == MOVES[index]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "type the number"),
        ("move", "could be 2 moves: move 1 1 2 2, "),
        ("5", "the numbers are 1 to 4"),
        ("0", "the numbers are 1 to 4"),
        ("castle", "no legal move is, or contains, castle"),
    ],
)
def test_anything_else_gets_a_sentence(text: str, sentence: str) -> None:
    with pytest.raises(PlayError, match=sentence):
        read_move(text, MOVES)


COLUMNS = names_of_game("connectFour")
DROPS = [gdl.parse_term(f"(drop {column})") for column in (2, 3, 5)]


@pytest.mark.parametrize("text", ["3", "column 3", "COLUMN 3", "drop 3", "(drop 3)"])
def test_a_number_that_is_a_column_is_not_one_of_the_list(text: str) -> None:
    assert not have_numbers(COLUMNS, DROPS)
    assert read_move(text, DROPS, COLUMNS) == DROPS[1]


@pytest.mark.parametrize("text", ["1", "4", "9"])
def test_a_full_column_is_no_move(text: str) -> None:
    with pytest.raises(PlayError, match=f"no legal move is, or contains, {text}$"):
        read_move(text, DROPS, COLUMNS)


@pytest.mark.parametrize(
    ("text", "index"),
    [("a2-a3", 0), ("A2 a3", 0), ("a2a3", 0), ("3", 2), ("b2-", 1), ("step 2", 1)],
)
def test_a_name_or_a_part_of_it_is_a_move(text: str, index: int) -> None:
    moves = [gdl.parse_term(f"(step {squares})") for squares in ("1 2 1 3", "2 2 3 3", "4 2 5 3")]
    assert read_move(text, moves, names_of_game("breakthrough")) == moves[index]


@given(st.text())
@example("1\x1f")
def test_any_text_is_a_legal_move_or_gets_a_sentence(text: str) -> None:
    try:
        read = read_move(text, MOVES)
    except PlayError:
        return
    assert read in MOVES


@given(st.sampled_from(MOVES))
def test_a_move_is_read_as_itself(move: gdl.Term) -> None:
    assert read_move(str(move), MOVES) == move


def test_the_examples_in_the_docstring_hold() -> None:
    failed, attempted = doctest.testmod(move_reading)
    assert (failed, attempted) == (0, 3)
