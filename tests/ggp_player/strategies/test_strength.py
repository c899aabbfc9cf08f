"""Whether strength grows with time, and whether learning pays, at the clocks that managers give.

    pytest -m bench -s tests/ggp_player/strategies/test_strength.py

plays matches in one process, with limits of CPU time; so one core is enough for both players, and
nobody thinks while the other does. It takes hours: ``-k`` takes one game or one clock. The figures
in benchmarks/strength/earlier_players.md come from here.
"""

from __future__ import annotations

import pytest

from tests.support.duel import Clocks, Score, duel

GAMES = (
    "amazons",
    "breakthrough",
    "connectFour",
    "dotsAndBoxes",
    "draughts",
    "hex",
    "kalah",
    "pentago",
    "quarto",
    "reversi",
)
"""Games that are not solved at these clocks."""

OPENING = 2
"""Random moves before a match."""

PLAYER = "auto:threads=1"


def played(title: str, game: str, specs: tuple[str, str], clocks: tuple[Clocks, Clocks]) -> Score:
    """Play one round, a match in each seat, and print the first player's share of the points."""
    score = duel(game, specs, 1, clocks, OPENING)
    print(f"\n{title}, {game}: {score.share:.0f} % of the points of {score.matches} matches")
    return score


@pytest.mark.bench
@pytest.mark.timeout(7200)
@pytest.mark.parametrize("seconds", [1.0, 6.0])
@pytest.mark.parametrize("game", GAMES)
def test_four_times_the_time(game: str, seconds: float) -> None:
    whole = Clocks(20.0, seconds)
    quarter = Clocks(5.0, seconds / 4)
    title = f"four times the time, {seconds} s"
    score = played(title, game, (PLAYER, PLAYER), (whole, quarter))
    assert score.first + score.second > 0
    assert score.matches == 2


@pytest.mark.bench
@pytest.mark.timeout(7200)
@pytest.mark.parametrize("game", GAMES)
def test_learning_on_against_off(game: str) -> None:
    clocks = Clocks(30.0, 6.0)
    score = played("learning", game, (PLAYER, f"{PLAYER},learn=false"), (clocks, clocks))
    assert score.first + score.second > 0
    assert score.matches == 2
