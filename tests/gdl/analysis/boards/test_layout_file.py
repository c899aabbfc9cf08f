from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import gdl
from gdl.analysis.boards import LayoutRefinementError, Shape, Style
from gdl.analysis.boards.layout_file import LayoutFileError, read_layout_file
from gdl.drawing import layout_of
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
    assert layout.style_of == {"left": Style("star")}


def test_a_file_that_does_not_fit_is_named(tmp_path: Path) -> None:
    rulesheet = tmp_path / "other.kif"
    shutil.copy(GAMES / "nim.kif", rulesheet)
    (tmp_path / "other.board.toml").write_text("[[boards]]\nfacts = ['stones']\n")
    with pytest.raises(
        LayoutRefinementError, match=r"other\.board\.toml: no fact is called stones"
    ):
        layout_of(gdl.load(rulesheet))
