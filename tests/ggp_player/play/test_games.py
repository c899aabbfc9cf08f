"""Our games are found by name."""

from __future__ import annotations

import pytest

from ggp_player.errors import PlayError
from ggp_player.play.games import our_games, rulesheet_of
from tests.support.paths import GAMES


def test_every_game_of_ours_has_its_name() -> None:
    assert sorted(our_games()) == sorted(file.stem for file in GAMES.glob("*.kif"))


def test_a_game_is_a_name_in_any_case_or_a_file() -> None:
    assert rulesheet_of("connectfour").name == "connectFour.kif"
    assert rulesheet_of(str(GAMES / "hex.kif")) == GAMES / "hex.kif"


def test_what_is_neither_gets_a_name_that_is_near() -> None:
    with pytest.raises(PlayError, match="did you mean connectFour"):
        rulesheet_of("conectFour")
    with pytest.raises(PlayError, match=r"no game of ours and no file of rules$"):
        rulesheet_of("zzzzzzzz")
