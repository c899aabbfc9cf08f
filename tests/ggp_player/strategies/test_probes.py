"""What each part of the tree search is worth: the search against itself without it.

    pytest -m bench -s tests/ggp_player/strategies/test_probes.py

prints a line for each: the share of the points over all games, and in each; then how the player
fares against the textbook, in every game of two roles that is not too long. The figures in
docs/strength.md and the defaults of the search come from here.
"""

from __future__ import annotations

from statistics import fmean

import pytest

from tests.ggp_player.strategies.duel import duel

PROBE_GAMES = ("connectFour", "breakthrough", "hex", "nineBoards")
ROUNDS = 3
SECONDS = 0.05

VARIANTS = (
    "mcts:exploration=0.4",
    "mcts:exploration=0.9",
    "mcts:leaf_lanes=1",
    "mcts:leaf_lanes=32",
    "mcts:fan=1",
    "mcts:proofs=false",
    "mcts:equivalence=500",
    "uct",
)


@pytest.mark.bench
@pytest.mark.timeout(7200)
@pytest.mark.parametrize("variant", VARIANTS)
def test_a_variant_against_the_search_as_it_is(variant: str):
    scores = {game: duel(game, (variant, "mcts"), ROUNDS, SECONDS) for game in PROBE_GAMES}
    share = fmean(score.share for score in scores.values())
    each = ", ".join(f"{game} {score.share:.0f}" for game, score in scores.items())
    print(f"\n{variant}: {share:.0f} % of the points ({each})")
    assert all(score.matches == 2 * ROUNDS for score in scores.values())


TWO_ROLES = (
    "amazons",
    "biddingTicTacToe",
    "breakthrough",
    "bridges",
    "connectFour",
    "countThenLine",
    "dotsAndBoxes",
    "draughts",
    "handDuel",
    "hex",
    "kalah",
    "nim",
    "nineBoards",
    "pentago",
    "powderKegs",
    "quarto",
    "reversi",
    "threeHills",
    "ticTacToe",
    "tron",
    "twinBoards",
    "wolfAndSheep",
)


@pytest.mark.bench
@pytest.mark.timeout(7200)
@pytest.mark.parametrize("opponent", ["random", "alpha_beta:depth=3"])
def test_auto_against_the_textbook(opponent: str):
    shares = {}
    for game in TWO_ROLES:
        shares[game] = duel(game, ("auto:threads=1", opponent), 1, 2 * SECONDS).share
        print(f"\nauto against {opponent}: {game} {shares[game]:.0f} %", end="", flush=True)
    print(f"\nauto against {opponent}: {fmean(shares.values()):.0f} % of the points in all")
    assert len(shares) == len(TWO_ROLES)
