"""Our own games are found by name, from every folder."""

from __future__ import annotations

from pathlib import Path

import pytest

import gdl
from gdl.game_library import find_own_game, own_games, own_layout_file, similar_names
from tests.support.paths import GAMES


def test_every_game_of_ours_has_its_name() -> None:
    assert sorted(own_games()) == sorted(file.stem for file in GAMES.glob("*.kif"))
    assert find_own_game("CONNECTFOUR") == own_games()["connectFour"]
    assert find_own_game("zzz") is None
    assert similar_names("conectFour") == ["connectFour"]


def test_rules_are_loaded_by_name_unless_there_is_such_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert gdl.load("hex") == gdl.load(GAMES / "hex.kif")
    assert gdl.load("hex").game == "hex"
    Path("hex").write_text("(role you)")
    assert gdl.load("hex").roles == (gdl.Constant("you"),)
    with pytest.raises(FileNotFoundError):
        gdl.load(Path("nim"))


def test_a_name_that_is_near_is_noted() -> None:
    with pytest.raises(FileNotFoundError) as raised:
        gdl.load("conectFour")
    assert raised.value.__notes__ == ["did you mean our own game connectFour?"]
    with pytest.raises(FileNotFoundError) as raised:
        gdl.load("zzzzzzzz")
    assert not hasattr(raised.value, "__notes__")


def test_rules_from_a_manager_have_the_layout_file_of_their_game() -> None:
    rules = gdl.load(GAMES / "dotsAndBoxes.kif").rules
    text = " ".join(map(str, reversed(rules)))
    assert own_layout_file(f"( {text} )") == GAMES / "dotsAndBoxes.board.toml"
    assert own_layout_file(text + "(role third)") is None
    assert own_layout_file((GAMES / "hex.kif").read_text()) is None
