"""Rulesheets by name, and outputs that are refused before the work for them begins."""

from __future__ import annotations

from pathlib import Path

import click
import pytest

from gdl.cli.arguments import FILE, FILE_OR_FOLDER, OUTPUT, STDIN, OutputPath
from tests.support.paths import GAMES


def read(kind: click.Path, text: str) -> Path:
    return Path(str(kind.convert(text, None, None)))


@pytest.mark.parametrize("name", ["connectFour", "CONNECTFOUR", "games/connectFour.kif"])
def test_a_game_of_ours_goes_by_its_name_in_any_case(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert read(FILE, name).resolve() == (GAMES / "connectFour.kif").resolve()
    assert read(FILE_OR_FOLDER, name).resolve() == (GAMES / "connectFour.kif").resolve()


def test_a_file_goes_before_a_game_and_a_folder_where_folders_are_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "nim").mkdir()
    (tmp_path / "hex").write_text("(role a)")
    assert read(FILE, "hex") == Path("hex")
    assert read(FILE, "nim").name == "nim.kif"
    assert read(FILE_OR_FOLDER, "nim") == Path("nim")
    assert read(FILE, "-") == STDIN


@pytest.mark.parametrize("text", ["conectFour", "connectFour.kif", "x" * 300, "a\0b", "/"])
def test_what_is_no_rulesheet_is_refused_with_a_sentence(text: str) -> None:
    with pytest.raises(click.BadParameter, match="does not exist, nor a game of ours"):
        read(FILE, text)


def test_a_name_that_is_nearly_right_is_told() -> None:
    for name in ("conectFour", "games/conectFour.kif"):
        with pytest.raises(click.BadParameter, match=r"did you mean connectFour\?"):
            read(FILE, name)


def test_outputs_are_checked_in_advance(tmp_path: Path) -> None:
    assert read(OUTPUT, "-") == STDIN
    assert read(OutputPath(), str(tmp_path / "new.json")) == tmp_path / "new.json"
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(click.BadParameter, match="there is no folder"):
        read(OutputPath(), str(tmp_path / "none" / "new.json"))
    with pytest.raises(click.BadParameter, match="is a directory"):
        read(OutputPath(), str(tmp_path))
    with pytest.raises(click.BadParameter, match="in /proc no file can be written"):
        read(OutputPath(), "/proc/new.json")
    assert read(OutputPath(), "/dev/null") == Path("/dev/null")
