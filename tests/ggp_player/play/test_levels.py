"""Every level is a strategy that there is, and one follows another."""

from __future__ import annotations

from ggp_player.play.levels import HIGHEST, LEVELS, MIDDLE, remembered_level
from ggp_player.strategies.selection.registry import create


def test_levels_are_strategies() -> None:
    assert [level.number for level in LEVELS] == [1, 2, 3, 4, 5]
    for level in LEVELS:
        assert create(level.strategy).name == level.strategy.partition(":")[0]


def test_only_the_highest_thinks_while_others_do() -> None:
    assert [level.number for level in LEVELS if level.ponders] == [HIGHEST.number] == [5]


def test_a_win_leads_up_and_a_loss_down_within_the_levels() -> None:
    verdicts = (1, -1, 0, None)
    assert [MIDDLE.after(verdict).number for verdict in verdicts] == [4, 2, 3, 3]
    assert (LEVELS[0].after(-1), HIGHEST.after(1)) == (LEVELS[0], HIGHEST)


def test_a_cookie_is_a_level_or_nothing() -> None:
    kept = {
        text: remembered_level({"ggp_player_level": text}) for text in ("2", "0", "6", "-1", "")
    }
    assert kept == {"2": LEVELS[1], "0": None, "6": None, "-1": None, "": None}
    assert remembered_level({}) is None
