from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import gdl
from gdl.analysis.boards import (
    Board,
    BoardCell,
    BoardLayout,
    LayoutRefinementError,
    Part,
    Shape,
    Style,
    cells_of_move,
)
from gdl.analysis.boards.layout_file import LayoutFileError, read_layout_file
from gdl.drawing import layout_of, move_names_of
from tests.support.paths import GAMES


@pytest.mark.parametrize("file", sorted(GAMES.glob("*.board.toml")), ids=lambda file: file.name)
def test_our_files_change_what_is_found(file: Path) -> None:
    rules = gdl.load(file.with_name(file.name.replace(".board.toml", ".kif")))
    plain = gdl.parse(rules.source.text)
    assert layout_of(rules) != layout_of(plain)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[[boards]]\nfacts = []", r"boards\[1\]\.facts: List should have at least 1 item"),
        ("[[boards]]\nfacts = ['a']\nrows = 'left'", r"boards\[1\]\.rows: Input should be 'up' or"),
        (
            "[[boards]]\nfacts = ['a']\nplace = [0]",
            r"boards\[1\]\.place\[1\]: .*greater than or eq",
        ),
        ("[colours]\nred = 'red'", r"colours\.red: String should match pattern"),
        ("[glyph]\nred = 'x'", r"glyph: Extra inputs are not permitted"),
        ("[[boards]", "this is not TOML"),
        ("[words]\nred = ''", r"words\.red: String should have at least 1 character"),
        ('[moves]\nput = "a\\nb"', r"moves\.put: String should match pattern"),
        (f"size = {'1' * 5000}", "this is not TOML: Exceeds the limit"),
        (f"size = {'[' * 5000}", "this is not TOML"),
        ("[glyphs]\na = '" + "x" * 100_000 + "'", "expected at most 100000 bytes"),
    ],
)
def test_mistakes_are_named(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "game.board.toml"
    file.write_text(text)
    with pytest.raises(LayoutFileError, match=message) as caught:
        read_layout_file(file)
    assert "game.board.toml" in str(caught.value)


def test_a_file_beside_the_rulesheet_is_read(tmp_path: Path) -> None:
    rulesheet = tmp_path / "game.kif"
    shutil.copy(GAMES / "nim.kif", rulesheet)
    file = tmp_path / "game.board.toml"
    file.write_text(
        "[glyphs]\nleft = 'star'\n[[boards]]\nfacts = ['pebbles']\nshape = 'points'\n"
        "title = 'Heaps'\n[boards.places]\nleft = [2, 1]\n"
    )
    layout = layout_of(gdl.load(rulesheet))
    (board,) = layout.boards
    assert (board.title, board.shape) == ("Heaps", Shape.POINTS)
    assert board.places[board.index["left",]].x == 2
    assert layout.styles == {"left": Style("star")}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[[boards]]\nfacts = ['stones']\n", "no fact is called stones"),
        (
            "[beside]\nturn = 'opponent'\n",
            r"beside\.turn: expected a counter and facts of a relation",
        ),
        ("[beside]\npebbles = 'stone'\n", r"beside\.pebbles: .*, not stone"),
        ("[moves]\ngrab = 'grab'\n", "no move is called grab"),
        ("[moves]\ntake = 'take {3}'\n", r"moves\.take: expected \{1\} to \{2\}, not take \{3\}"),
        ("[moves]\ntake = 'take {0}'\n", r"moves\.take: expected \{1\} to \{2\}, not take \{0\}"),
        ("[moves]\nnoop = 'pass {1}'\n", r"moves\.noop: expected no arguments, not pass \{1\}"),
    ],
)
def test_a_file_that_does_not_fit_is_named(tmp_path: Path, text: str, message: str) -> None:
    rulesheet = tmp_path / "other.kif"
    shutil.copy(GAMES / "nim.kif", rulesheet)
    (tmp_path / "other.board.toml").write_text(text)
    with pytest.raises(LayoutRefinementError, match=rf"other\.board\.toml: {message}"):
        layout_of(gdl.load(rulesheet))


def test_of_a_move_with_one_argument_that_alone_is_expected(tmp_path: Path) -> None:
    rulesheet = tmp_path / "other.kif"
    shutil.copy(GAMES / "ticTacToe.kif", rulesheet)
    (tmp_path / "other.board.toml").write_text("[moves]\nput = 'at {2}'\n")
    with pytest.raises(LayoutRefinementError, match=r"moves\.put: expected \{1\}, not at \{2\}"):
        layout_of(gdl.load(rulesheet))


def test_words_and_moves_are_said_as_the_file_says(tmp_path: Path) -> None:
    rulesheet = tmp_path / "game.kif"
    shutil.copy(GAMES / "nim.kif", rulesheet)
    (tmp_path / "game.board.toml").write_text(
        "[words]\nLeft = 'leftmost'\nturn = 'to move'\n"
        "[moves]\ntake = 'take {2} from the {1} heap'\n"
    )
    rules = gdl.load(rulesheet)
    names = move_names_of(rules)
    legal = ["(take left 1)", "(take left 2)"]
    assert names.name("(take left 2)") == "take 2 from the leftmost heap"
    assert names.parse("Take 2 from the leftmost heap", legal) == "(take left 2)"
    assert "to move: first" in gdl.interpret(rules).render([gdl.parse_term("(turn first)")]).text


def test_points_that_have_no_name_of_one_word_are_called_by_column_and_row(
    tmp_path: Path,
) -> None:
    rulesheet = tmp_path / "sites.kif"
    rulesheet.write_text(
        "(role a) (<= (legal a (build ?k ?n)) (site ?k ?n)) (site low 1) (site low 2)"
        "(site high 1) (<= (base (built ?k ?n a)) (site ?k ?n))"
        "(<= (next (built ?k ?n a)) (does a (build ?k ?n)))"
    )
    (tmp_path / "sites.board.toml").write_text(
        "[[boards]]\nfacts = ['built']\nshape = 'points'\nplace = [1, 2]\n"
        "places = {'low 1' = [0, 1], 'low 2' = [1.5, 1], 'high 1' = [0.7, 0]}\n"
    )
    rules = gdl.load(rulesheet)
    names = move_names_of(rules)
    assert [names.name(f"(build {key})") for key in ("low 1", "low 2", "high 1")] == [
        "a1",
        "c1",
        "b2",
    ]
    (board,) = layout_of(rules).boards
    assert [label.text for label in board.labels] == ["a", "b", "c", "1", "2"]


FENCES = (
    "(role a) (number 1) (number 2) (after 1 2) (after 2 3)"
    "(<= (side flat ?x ?y) (number ?x) (number ?y)) (<= (side flat ?x 3) (number ?x))"
    "(<= (side tall ?x ?y) (number ?x) (number ?y)) (<= (side tall 3 ?y) (number ?y))"
    "(<= (base (fence ?kind ?x ?y)) (side ?kind ?x ?y))"
    "(<= (base (owned ?x ?y a)) (number ?x) (number ?y))"
    "(<= (legal a (draw ?kind ?x ?y)) (side ?kind ?x ?y) (not (true (fence ?kind ?x ?y))))"
    "(<= (next (fence ?kind ?x ?y)) (does a (draw ?kind ?x ?y)))"
    "(<= (next (owned ?x ?y a)) (true (fence flat ?x ?y)))"
)


def fenced_board(folder: Path, sides: str, more: str = "") -> Board:
    rulesheet = folder / "fences.kif"
    rulesheet.write_text(FENCES + more)
    layout_file = folder / "fences.board.toml"
    layout_file.write_text(f'[[boards]]\nfacts = ["fence", "owned"]\nsides = {{{sides}}}\n')
    (board,) = layout_of(gdl.load(rulesheet)).boards
    return board


def test_sides_that_are_drawn_later_are_edges_between_the_corners_of_squares(
    tmp_path: Path,
) -> None:
    board = fenced_board(tmp_path, 'flat = "top", tall = "left"')
    assert len(board.places) == 9
    assert ("3", "3") in board.index  # where no side begins
    assert board.middle == (0.5, 0.5)
    assert {each.name: each.part for each in board.patterns}["fence"] is Part.EDGE
    fence = board.pattern_of["fence", 3]
    assert board.end_of(fence, ("flat", "1", "3")) == ("2", "3")
    assert board.end_of(fence, ("tall", "3", "2")) == ("3", "3")
    assert board.end_of(fence, ("flat", "3", "3")) is None
    assert cells_of_move(BoardLayout(("a",), (board,)), gdl.parse_term("(draw tall 3 2)")) == (
        BoardCell(0, ("3", "2")),
        BoardCell(0, ("3", "3")),
    )


@pytest.mark.parametrize(
    ("sides", "more"),
    [
        ('flat = "top", tall = "left"', "(init (fence flat 1 1))"),  # walls of a maze
        ('flat = "top"', ""),
        ('flat = "top", tall = "top"', ""),
    ],
)
def test_other_sides_are_those_of_squares(tmp_path: Path, sides: str, more: str) -> None:
    board = fenced_board(tmp_path, sides, more)
    assert board.middle is None
    assert {each.name: each.part for each in board.patterns}["fence"] is Part.SIDE
