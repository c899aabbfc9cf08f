"""The table has Elo above uct, over all versions and games that matches join to it."""

from __future__ import annotations

from math import log10

import pytest

from ggp_player.lab.ladder.page import ladder_page
from ggp_player.lab.ladder.table import LadderTable, by_release, games_of, ladder_table
from tests.support.ladder_matches import match, won


def elos(table: LadderTable) -> dict[str, float | None]:
    return {row.figures.player: round(row.elo.value, 1) if row.elo else None for row in table.rows}


def test_ratings_are_differences_from_uct() -> None:
    # Three of four, and the additional draw: odds of 3.5 to 1.5.
    matches = [won("mcts 2", "uct 1"), won("uct 2", "mcts 2"), *[won("mcts 2", "uct 3")] * 2]
    table = ladder_table(matches)
    expected = 400 * log10(3.5 / 1.5)
    assert elos(table) == {"mcts 2": round(expected, 1), "uct": 0.0}
    mcts, uct = (row.elo for row in table.rows)
    assert mcts is not None
    assert uct is not None
    error = 400 / 2.302585 / (5 * 0.7 * 0.3) ** 0.5
    assert mcts.high - mcts.value == pytest.approx(1.959964 * error, rel=1e-4)
    assert uct.low == uct.high == 0


def test_who_has_not_met_the_anchor_is_rated_through_others() -> None:
    chain = [won("a 1", "uct 1"), won("b 1", "a 1"), won("uct 1", "a 1")]
    apart = [won("c 1", "d 1")]
    found = elos(ladder_table(chain + apart))
    assert found["uct"] == found["a 1"] == 0
    assert found["b 1"] == round(400 * log10(3), 1)
    assert (found["c 1"], found["d 1"]) == (None, None)
    # What others do elsewhere does not change a rating.
    assert elos(ladder_table([*chain, won("e 1", "uct 1")])) == pytest.approx(
        {**elos(ladder_table(chain)), "e 1": 190.8}
    )


def test_without_uct_the_busiest_is_the_anchor() -> None:
    table = ladder_table([won("a 1", "b 1"), won("b 1", "c 1")])
    assert (table.anchor, elos(table)["b 1"]) == ("b 1", 0)


def test_matches_that_broke_off_count_for_nothing() -> None:
    broken = match(("a 1", "uct 1"), "", failure="the cable")
    table = ladder_table([broken, won("uct 1", "a 1", warnings=("busy",))])
    row = next(row for row in table.rows if row.player.name == "a")
    assert (row.figures.matches, row.figures.broke_off, row.figures.losses) == (1, 1, 1)
    assert table.warnings == 1


def test_the_builds_of_a_release_can_be_rated_as_one_player() -> None:
    builds = ["mcts 0.2.0+0a1b", "mcts 0.2.0+2c3d", "mcts 0.3.0+4e5f"]
    matches = [*(won(build, "Gurgeh 8+margin") for build in builds), won(builds[0], builds[1])]
    figures = {row.figures.player: row.figures.matches for row in ladder_table(matches).rows}
    assert figures == {builds[0]: 2, builds[1]: 2, builds[2]: 1, "Gurgeh 8+margin": 3}
    rows = ladder_table(by_release(matches)).rows
    figures = {row.figures.player: row.figures.matches for row in rows}
    assert figures == {"mcts 0.2.0": 2, "mcts 0.3.0": 1, "Gurgeh 8+margin": 3}


def test_games_can_be_rated_by_themselves() -> None:
    matches = [won("a 1", "uct 1"), won("uct 1", "a 1", game="nim", date="2026-02-01")]
    assert games_of(matches) == ["hex", "nim"]
    assert elos(ladder_table(matches))["a 1"] == 0
    nim = ladder_table(matches, "nim")
    assert elos(nim)["a 1"] == round(-400 * log10(3), 1)
    assert nim.days == ("2026-02-01", "2026-02-01")


def test_the_page_has_a_table_for_all_games_and_for_each() -> None:
    late = won("Sancho 1.61c", "uct 1", errors=((), ("3 TO", "4 TO")))
    games = [ladder_table([late], game) for game in ("", "hex")]
    page = ladder_page(games[0], games, "ladder.svg")
    assert "from 2026-01-01 to 2026-01-01" in page
    assert "with clocks of 20/6 seconds" in page
    assert "![Elo by build](ladder.svg)" in page
    assert "| player | Elo | 95 % | matches | points % | W/D/L | late |" in page
    assert "| Sancho 1.61c | +191 | -365 to +747 | 1 | 100.0 | 1/0/0 |  |" in page
    assert page.count("| uct * | 0 |  | 1 | 0.0 | 0/0/1 | 2 |") == 3
    assert "## hex\n\nhex: Elo above uct.\n" in page
