"""What is typed is the move that it means, or gets a sentence."""

from __future__ import annotations

import doctest

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gdl
from ggp_player.errors import PlayError
from ggp_player.play import move_reading
from ggp_player.play.move_reading import read_move

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
        ("move", "could be 2 moves: .move 1 1 2 2., "),
        ("5", "the numbers are 1 to 4"),
        ("0", "the numbers are 1 to 4"),
        ("castle", "no legal move is, or contains, castle"),
    ],
)
def test_anything_else_gets_a_sentence(text: str, sentence: str) -> None:
    with pytest.raises(PlayError, match=sentence):
        read_move(text, MOVES)


@given(st.text())
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
