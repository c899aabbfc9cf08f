"""Whether strength grows with time, and whether learning pays, at the clocks that managers give.

    pytest -m bench -s tests/ggp_player/strategies/test_strength.py

plays matches in one process, with limits of CPU time; so one core is enough for both players, and
nobody thinks while the other does. It takes hours: ``-k`` takes one game or one clock. The figures
in benchmarks/strength/earlier_players.md come from here.
"""

from __future__ import annotations

import pytest

from ggp_player.lab.match import MoveLimit
from tests.support.duel import Score, duel

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


def played(
    title: str, game: str, specs: tuple[str, str], limits: tuple[MoveLimit, MoveLimit]
) -> Score:
    """Play one round, a match in each seat, and print the first player's share of the points."""
    score = duel(game, specs, 1, limits, OPENING)
    print(f"\n{title}, {game}: {score.share:.0f} % of the points of {score.matches} matches")
    return score


@pytest.mark.bench
@pytest.mark.timeout(7200)
@pytest.mark.parametrize("seconds", [1.0, 6.0])
@pytest.mark.parametrize("game", GAMES)
def test_four_times_the_time(game: str, seconds: float) -> None:
    whole = MoveLimit(seconds=seconds, prepare=20.0)
    quarter = MoveLimit(seconds=seconds / 4, prepare=5.0)
    title = f"four times the time, {seconds} s"
    score = played(title, game, (PLAYER, PLAYER), (whole, quarter))
    assert score.first + score.second > 0
    assert score.matches == 2


@pytest.mark.bench
@pytest.mark.timeout(7200)
@pytest.mark.parametrize("game", GAMES)
def test_learning_on_against_off(game: str) -> None:
    limit = MoveLimit(seconds=6.0, prepare=30.0)
    score = played("learning", game, (PLAYER, f"{PLAYER},learn=false"), (limit, limit))
    assert score.first + score.second > 0
    assert score.matches == 2
