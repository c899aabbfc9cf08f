"""Matches and analyses from Python."""

from __future__ import annotations

import pytest

import gdl
import ggp_player
from ggp_player.errors import ConfigError, GgpPlayerError, MatchError
from tests.support.misbehaving import TellingTime


@pytest.mark.thorough
def test_a_match_is_played_and_recorded() -> None:
    record = ggp_player.play_match(["legal", "random"], "nim", start_clock=2, play_clock=1, seed=3)
    assert record.is_completed
    assert sorted(record.goal_values) == [0, 100]
    assert record.player_names_from_host == ("legal", "random")
    assert (record.start_clock, record.play_clock) == (2, 1)
    game = gdl.Game("nim")
    for moves in record.moves:
        game.play(*moves)
    assert list(game.goals.values()) == list(record.goal_values)


@pytest.mark.thorough
def test_what_cannot_be_played_is_said_before_it_begins() -> None:
    with pytest.raises(ConfigError, match="did you mean random"):
        ggp_player.play_match(["legal", "randon"], "nim")
    with pytest.raises(MatchError, match="needs 2 players"):
        ggp_player.play_match(["legal"], "nim")
    with pytest.raises(FileNotFoundError):
        ggp_player.play_match(["legal"], "nimm")
    with pytest.raises(MatchError, match="start-clock"):
        ggp_player.play_match(["legal", "legal"], "nim", start_clock=-1)


def test_a_position_is_analysed() -> None:
    game = gdl.Game("nim")
    while len(game.legal["first"]) + len(game.legal["second"]) > 4:
        game.play(game.legal[str(game.turn[0])][-1])
    found = ggp_player.analyze(game, strategy="minimax", seconds=1)
    assert found.is_complete
    assert found.choice is not None
    assert str(found).startswith(f"{found.choice.move} after ")
    assert found._repr_html_().count("<tr>") == 1 + len(found.rows)
    again = ggp_player.analyze(gdl.load("nim"), game.history, strategy="minimax", seconds=1)
    assert again.choice == found.choice


def test_a_search_is_told_its_time() -> None:
    spec = f"{TellingTime.__module__}:{TellingTime.__name__}"
    found = ggp_player.analyze("nim", strategy=spec, seconds=60)
    assert found.choice is not None
    assert found.choice.value == pytest.approx(60, abs=20)


def test_a_position_without_a_search_is_refused() -> None:
    game = gdl.Game("ticTacToe")
    for square in ("b2", "a1", "b1", "a2", "b3"):
        game.play(f"put {square}")
    with pytest.raises(GgpPlayerError, match="nothing to search"):
        ggp_player.analyze(game)
    with pytest.raises(gdl.MoveError, match="is not legal"):
        ggp_player.analyze("ticTacToe", [("put b9", "noop")])
    with pytest.raises(GgpPlayerError, match="expected one of the roles"):
        ggp_player.analyze("ticTacToe", role="red")


def test_there_is_nothing_else_in_the_package() -> None:
    with pytest.raises(AttributeError, match="no attribute 'sing'"):
        _ = ggp_player.sing
