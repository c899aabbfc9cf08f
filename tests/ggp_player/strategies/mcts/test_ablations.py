"""Ablations: what each part of the tree search is worth, by matches against itself without it.

    pytest -m bench -s tests/ggp_player/strategies/mcts/test_ablations.py

prints for each its share of the points, over all games and in each; then what symmetries save, and
how the player does against the textbook's searches in every game of two roles that is not too long.
The figures in benchmarks/strength/earlier_players.md and the defaults of the search come from here.
"""

from __future__ import annotations

from statistics import fmean
from time import process_time

import pytest

from gdl.analysis.symmetry import find_symmetries, generated_group
from ggp_player.lab.match import MoveLimit
from ggp_player.strategies.mcts.monte_carlo import MonteCarlo
from ggp_player.strategies.solver.enumeration import Enumeration
from ggp_player.strategies.solver.proof import Proof
from tests.support import small_games
from tests.support.duel import duel
from tests.support.tree_games import last_choice, position

PROBE_GAMES = ("connectFour", "breakthrough", "hex", "nineBoards")
ROUNDS = 3
SECONDS = 0.2
LIMITS = (MoveLimit(seconds=SECONDS, prepare=SECONDS),) * 2

VARIANTS = (
    "mcts:exploration=0.4",
    "mcts:exploration=0.9",
    "mcts:leaf_lanes=2",
    "mcts:leaf_lanes=8",
    "mcts:leaf_lanes=128",
    "mcts:fan=1",
    "mcts:proofs=false",
    "uct",
)


@pytest.mark.bench
@pytest.mark.timeout(7200)
@pytest.mark.parametrize("variant", VARIANTS)
def test_a_variant_against_the_search_as_it_is(variant: str) -> None:
    scores = {game: duel(game, (variant, "mcts"), ROUNDS, LIMITS) for game in PROBE_GAMES}
    share = fmean(score.share for score in scores.values())
    each = ", ".join(f"{game} {score.share:.0f}" for game, score in scores.items())
    print(f"\n{variant}: {share:.0f} % of the points ({each})")
    assert all(score.matches == 2 * ROUNDS for score in scores.values())


SYMMETRIC = {
    "ticTacToe": small_games.game("ticTacToe"),
    "connectFour4x4": small_games.connect_four(4, 4),
    "breakthrough4x4": small_games.breakthrough(4, 4),
    "dotsAndBoxes2x2": small_games.dots_and_boxes(2, 2),
    "nim5555": small_games.nim((5, 5, 5, 5)),
    "countThenLine": small_games.game("countThenLine"),
}


@pytest.mark.bench
@pytest.mark.timeout(600)
@pytest.mark.parametrize("name", SYMMETRIC)
def test_what_symmetries_save(name: str) -> None:
    machine = small_games.compiled(SYMMETRIC[name])
    machine.warm_up()
    group = generated_group(machine, find_symmetries(machine))
    assert len(group.facts) > 1
    print(f"\n{name}, {len(group.facts)} symmetries")
    for symmetries in (None, group):
        for strategy in (
            Enumeration(symmetries=symmetries),
            Proof(symmetries=symmetries),
            MonteCarlo(symmetries=symmetries),
        ):
            began = process_time()
            choice = last_choice(strategy, position(machine))
            used = process_time() - began
            print(f"{strategy.name}: {choice.note}, proved {choice.proved}, {used:.3f} s")


SIMULTANEOUS = ("biddingTicTacToe", "fishery", "handDuel", "powderKegs", "threeHills", "tron")


@pytest.mark.bench
@pytest.mark.timeout(7200)
def test_regret_matching_against_upper_confidence_bounds() -> None:
    for game in SIMULTANEOUS:
        score = duel(game, ("mcts", "mcts:uniform=0"), 2 * ROUNDS, LIMITS)
        print(f"\n{game}: {score.share:.0f} % of the points", end="", flush=True)
        assert score.matches == 4 * ROUNDS


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
def test_auto_against_the_textbook(opponent: str) -> None:
    shares = {}
    for game in TWO_ROLES:
        limits = (MoveLimit(seconds=2 * SECONDS, prepare=SECONDS),) * 2
        shares[game] = duel(game, ("auto:threads=1", opponent), 1, limits).share
        print(f"\nauto against {opponent}: {game} {shares[game]:.0f} %", end="", flush=True)
    print(f"\nauto against {opponent}: {fmean(shares.values()):.0f} % of the points in all")
    assert len(shares) == len(TWO_ROLES)
