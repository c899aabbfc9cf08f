"""The plot has a line for each strategy over its versions, and a level for each other player."""

from __future__ import annotations

from pathlib import Path

import pytest

from ggp_player.errors import LabError
from ggp_player.lab.ladder.page import versions_in_order, write_ladder_plot
from ggp_player.lab.ladder.table import ladder_table
from tests.support.ladder_matches import won

MATCHES = [
    won("auto 0.10.0+b", "uct 1", "2026-03-01"),
    won("auto 0.9.0", "uct 1", "2026-04-01"),
    won("auto 0.10.0+a", "uct 1", "2026-05-01"),
    won("mcts 0.9.0", "Sancho 1.61c", "2026-02-01"),
    won("Sancho 1.61c", "uct 1", "2026-02-01"),
]


def test_versions_are_ordered_by_release_and_then_by_day() -> None:
    rows = [row for row in ladder_table(MATCHES).rows if row.player.has_versions]
    versions = versions_in_order(rows)
    assert versions == ["0.9.0", "0.10.0+b", "0.10.0+a"]


def test_every_player_is_in_the_plot(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    file = tmp_path / "ladder.svg"
    write_ladder_plot(ladder_table(MATCHES), file)
    text = file.read_text()
    for words in ("auto", "mcts", "uct *", "Sancho 1.61c", "0.10.0+a", "Elo above uct"):
        assert f">{words}" in text, words
    again = tmp_path / "again.svg"
    write_ladder_plot(ladder_table(MATCHES), again)
    assert again.read_text() == text


def test_there_is_no_plot_without_a_strategy_of_ours(tmp_path: Path) -> None:
    table = ladder_table([won("Sancho 1.61c", "uct 1")])
    with pytest.raises(LabError, match="no strategy of this package has played yet"):
        write_ladder_plot(table, tmp_path / "ladder.svg")
