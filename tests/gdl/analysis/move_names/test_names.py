"""Names are told apart, and what is typed is read as the move that it names."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter

from gdl.analysis.move_names import CellNames, MoveNames, MoveTemplate
from tests.support.drawn_games import names_of_game

FILES = {file: file for file in "abcdefgh"}
RANKS = {rank: rank for rank in "12345678"}
CHESS = MoveNames(
    (
        MoveTemplate("move", 4, cells=((0, 0), (2, 0)), with_name=False),
        MoveTemplate("jump", 4, cells=((0, 0), (2, 0)), with_name=False),
        MoveTemplate("drop", 1, lines=((0, "column", 0),), with_name=False),
    ),
    (CellNames(2, (0, 1), FILES, RANKS),),
)
LEGAL = ["(move e 2 e 4)", "(move e 2 e 3)", "(drop e)", "(resign (now))", "noop"]


@pytest.mark.parametrize(
    ("text", "move"),
    [
        *(("e2-e4", 0), ("E2e4", 0), ("e2 e4", 0), ("e2-e3", 1), ("(MOVE e 2 e 3)", 1)),
        *(("move e 2 e 3", 1), ("column e", 2), ("E", 2), ("noop", 4), ("(resign (now))", 3)),
    ],
)
def test_what_is_typed_is_read(text: str, move: int) -> None:
    assert CHESS.parse(text, LEGAL) == LEGAL[move]


@pytest.mark.parametrize("text", ["", "e2", "e5", "e2-e5", "4", "(", "move"])
def test_what_names_no_legal_move_is_not_read(text: str) -> None:
    assert CHESS.parse(text, LEGAL) is None


@given(st.text())
def test_any_text_is_a_legal_move_or_none(text: str) -> None:
    assert CHESS.parse(text, LEGAL) in {*LEGAL, None}


def test_moves_of_one_name_have_their_texts() -> None:
    legal = ["(move a 1 a 2)", "(jump a 1 a 2)", "(move a 1 b 1)"]
    assert CHESS.names(legal) == {
        "(move a 1 a 2)": "(move a 1 a 2)",
        "(jump a 1 a 2)": "(jump a 1 a 2)",
        "(move a 1 b 1)": "a1-b1",
    }
    assert [CHESS.parse(name, legal) for name in CHESS.names(legal).values()] == legal


def test_a_page_is_told_what_differs_from_the_rules() -> None:
    told = CHESS.told(["noop", "resign", "(move b 1 c 3)"], [["(drop e)"], ["noop"]])
    assert told == {"noop": "", "(move b 1 c 3)": "b1-c3", "(drop e)": "column e"}


def test_names_are_read_as_they_are_written_in_json() -> None:
    names = names_of_game("draughts")
    adapter = TypeAdapter(MoveNames)
    assert adapter.validate_json(adapter.dump_json(names)) == names


def test_upper_and_lower_case_are_one_in_the_rules() -> None:
    assert CHESS.name("( MOVE E 2 E 4 )") == "e2-e4"
    assert CHESS.waits("NOOP")
