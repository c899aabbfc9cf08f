"""Every level is a strategy that there is."""

from __future__ import annotations

from ggp_player.play.levels import HIGHEST, LEVELS
from ggp_player.strategies.selection.registry import create


def test_levels_are_strategies() -> None:
    assert [level.number for level in LEVELS] == [1, 2, 3, 4, 5]
    for level in LEVELS:
        assert create(level.strategy).name == level.strategy.partition(":")[0]


def test_only_the_highest_thinks_while_others_do() -> None:
    assert [level.number for level in LEVELS if level.ponders] == [HIGHEST.number] == [5]
