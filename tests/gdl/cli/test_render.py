from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner, Result

from gdl.__main__ import main
from tests.support.paths import GAMES

TIC_TAC_TOE = str(GAMES / "ticTacToe.kif")


def run(*arguments: str, text: str | None = None) -> Result:
    return CliRunner().invoke(main, ["render", *arguments], input=text)


def test_the_initial_state_is_drawn() -> None:
    result = run(TIC_TAC_TOE)
    assert result.exit_code == 0
    assert result.output.splitlines()[2:6] == ["3 · · ·", "2 · · ·", "1 · · ·", "  a b c"]


def test_moves_are_made() -> None:
    result = run(TIC_TAC_TOE, "--moves", "(put b2)", "--moves", "noop (PUT A1)")
    assert "2 · X ·\n1 O · ·\n" in result.output


def test_svg_is_written(tmp_path: Path) -> None:
    file = tmp_path / "state.svg"
    assert run(TIC_TAC_TOE, "--moves", "(put b2)", "--svg", str(file)).output == ""
    root = ElementTree.fromstring(file.read_text(encoding="utf-8"))
    assert root.get("role") == "img"
    assert run(TIC_TAC_TOE, "--svg", "-").output.startswith("<svg ")


@pytest.mark.parametrize(
    ("moves", "message"),
    [
        (["(put z9)"], "step 1: (put z9) is not legal for cross; legal are (put a1), (put a2)"),
        (["(put b2)", "(put b2)"], "step 2: (put b2) is not legal for nought; legal are (put a1)"),
        (
            ["(put a1) (put a2) noop"],
            "step 1: expected a move for each of cross, nought, found 3 moves",
        ),
        ([""], "step 1: expected 2 moves, one per role, or 1, as cross can choose, found 0"),
        (["(put b2"], "step 1: these are not moves: (put b2"),
        (
            [f"(put {square})" for square in ("a1", "b1", "a2", "b2", "a3", "c3")],
            "step 6: the match is over after step 5",
        ),
    ],
)
def test_moves_that_cannot_be_made_are_named(moves: list[str], message: str) -> None:
    result = run(TIC_TAC_TOE, *(word for move in moves for word in ("--moves", move)))
    assert result.exit_code == 1
    assert message in result.output


def test_it_explains_what_it_found() -> None:
    assert run(TIC_TAC_TOE, "--explain").output == (
        "squares, 9 places: places in (marked …) by squares named as in chess\nturn: turn\n"
    )
    assert run("-", "--explain", text="(role a) (legal a go)").output == "a table of facts\n"
    light = "(role a) (init (light on)) (legal a go) (<= terminal (role a))"
    assert run("-", "--explain", text=light).output == "counters: light\n"


def test_the_rules_can_come_from_the_standard_input() -> None:
    result = run("-", text="(role a) (init (light on)) (legal a go) (<= terminal (role a))")
    assert result.output == "light: on\n"


def test_a_wrong_layout_file_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "game.kif").write_text("(role a) (init (light on)) (legal a go)")
    (tmp_path / "game.board.toml").write_text("[[boards]]\nfacts = ['lamp']\n")
    result = run(str(tmp_path / "game.kif"))
    assert result.exit_code == 1
    assert "game.board.toml: no fact is called lamp" in result.output
