"""Games written in GDL agree with OpenSpiel's own: states, histories, values, Nash convergence."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("pyspiel", reason="needs the extra openspiel")

from open_spiel.python.algorithms import (
    cfr,
    exploitability,
    get_all_states,
    mcts,
    minimax,
)

from tests.support.marks import thorough
from tests.support.spiel_games import (
    ROCK_PAPER_SCISSORS,
    kuhn_in_two_deals,
    nodes,
    ours,
    small_breakthrough,
    small_connect_four,
    small_goofspiel,
    small_hex,
    survey,
    theirs,
    written,
)

GOOFSPIEL = "goofspiel(num_cards={},players=2,points_order=descending,returns_type=win_loss)"

SMALL: dict[str, tuple[Callable[[], str], str]] = {
    "breakthrough": (small_breakthrough, "breakthrough(rows=3,columns=3)"),
    "hex": (small_hex, "hex(board_size=3)"),
}
"""Games on small boards, which can be seen as a whole."""

WHOLE = {
    "connectFour": ("connect_four", 4, 7),
    "breakthrough": ("breakthrough", 2, 3),
    "hex": ("hex(board_size=6)", 2, 3),
}
"""Games on the usual boards, and how deep they are compared in ordinary and in slow tests."""


def nash_conv(game: Any, iterations: int) -> float:
    """How far the average policy is from an equilibrium after so many iterations of CFR."""
    solver = cfr.CFRSolver(game)
    for _ in range(iterations):
        solver.evaluate_and_update_policy()
    return float(exploitability.nash_conv(game, solver.average_policy()))


def information_states(game: Any) -> int:
    states = get_all_states.get_all_states(game, include_terminals=False).values()
    return len({state.information_state_string() for state in states})


@pytest.mark.thorough
def test_all_of_tic_tac_toe() -> None:
    found = survey(ours("ticTacToe"))
    assert found == survey(theirs("tic_tac_toe"))
    assert (found.states, sum(found.histories.values()), found.value) == (5478, 549_946, 0)


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_tic_tac_toe_one_history_after_the_other() -> None:
    assert nodes(ours("ticTacToe")) == nodes(theirs("tic_tac_toe"))


@pytest.mark.parametrize("name", ["breakthrough", pytest.param("hex", marks=pytest.mark.slow)])
def test_all_of_a_small_board(name: str, tmp_path: Path) -> None:
    make, other = SMALL[name]
    assert survey(written(make(), tmp_path)) == survey(theirs(other))


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_all_of_connect_four_on_a_small_board(tmp_path: Path) -> None:
    mine = written(small_connect_four(), tmp_path)
    assert survey(mine) == survey(theirs("connect_four(rows=3,columns=4)"))


@pytest.mark.parametrize(
    "name",
    ["connectFour", *thorough(*[*WHOLE][1:])],
)
def test_the_beginning_on_the_usual_board(name: str) -> None:
    other, depth, _ = WHOLE[name]
    assert survey(ours(name), depth) == survey(theirs(other), depth)


@pytest.mark.slow
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("name", WHOLE)
def test_more_of_the_usual_board(name: str) -> None:
    other, _, depth = WHOLE[name]
    assert survey(ours(name), depth) == survey(theirs(other), depth)


# ---------------------------------------------------------------------- hidden information


def test_kuhn_poker() -> None:
    mine, other = ours("kuhnPoker", scale=2), theirs("kuhn_poker")
    of_mine, of_other = nodes(mine), nodes(other)
    deals = {kind: of_mine.pop(kind) for kind in list(of_mine) if kind.startswith("chance")}
    assert list(deals.values()) == [1]  # both cards at once: one node in place of one and three
    for kind in list(of_other):
        if kind.startswith("chance"):
            of_other.pop(kind)
    assert of_mine == of_other
    assert information_states(mine) == information_states(other) == 12
    for iterations in (1, 20):
        assert nash_conv(mine, iterations) == pytest.approx(nash_conv(other, iterations), abs=1e-9)


def test_kuhn_poker_in_two_deals(tmp_path: Path) -> None:
    mine = written(kuhn_in_two_deals(), tmp_path, scale=2)
    assert nodes(mine) == nodes(theirs("kuhn_poker"))
    assert nash_conv(mine, 10) == pytest.approx(nash_conv(theirs("kuhn_poker"), 10), abs=1e-9)


# ---------------------------------------------------------------------- simultaneous moves


def test_rock_paper_scissors(tmp_path: Path) -> None:
    mine, other = written(ROCK_PAPER_SCISSORS, tmp_path), theirs("matrix_rps")
    assert nodes(mine) == nodes(other)
    in_turn = written(ROCK_PAPER_SCISSORS, tmp_path, turn_based=True)
    turned = theirs("matrix_rps", turn_based=True)
    assert nodes(in_turn) == nodes(turned)
    assert nash_conv(in_turn, 5) == pytest.approx(nash_conv(turned, 5), abs=1e-9)


@pytest.mark.parametrize("cards", [4, pytest.param(5, marks=pytest.mark.slow)])
def test_goofspiel(cards: int, tmp_path: Path) -> None:
    found = survey(written(small_goofspiel(cards), tmp_path))
    other = survey(theirs(GOOFSPIEL.format(cards)))
    assert (found.states, found.histories) == (other.states, other.histories)


@pytest.mark.parametrize("cards", [3, pytest.param(4, marks=pytest.mark.slow)])
def test_goofspiel_with_cfr(cards: int, tmp_path: Path) -> None:
    text = small_goofspiel(cards)
    other = theirs(GOOFSPIEL.format(cards), turn_based=True)
    mine = written(text, tmp_path, turn_based=True, perfect_recall=False)
    assert nodes(mine) == nodes(other)
    assert information_states(mine) == information_states(other)
    for iterations in (1, 8):
        assert nash_conv(mine, iterations) == pytest.approx(nash_conv(other, iterations), abs=1e-9)


# ---------------------------------------------------------------------- algorithms


@pytest.mark.thorough
def test_minimax_runs(tmp_path: Path) -> None:
    found, action = minimax.alpha_beta_search(written(small_hex(), tmp_path))
    assert found == 1
    assert action is not None


def test_monte_carlo_tree_search_finds_a_winning_move() -> None:
    game = ours("ticTacToe")
    state = game.new_initial_state()
    for text in ("(put a1)", "(put b1)", "(put a2)", "(put b2)"):
        state.apply_action(state.string_to_action(text))
    random = np.random.RandomState(1)
    bot = mcts.MCTSBot(game, 2, 100, mcts.RandomRolloutEvaluator(1, random), random_state=random)
    assert state.action_to_string(bot.step(state)) == "(put a3)"
