"""Bounded minimax leaves out what its bounds allow, and no more."""

from __future__ import annotations

from random import Random

import pytest

from ggp_player.strategies import StrategyError
from ggp_player.strategies.selection.registry import create
from ggp_player.strategies.textbook.bounded_minimax import BoundedMinimax
from ggp_player.strategies.textbook.minimax import Minimax
from tests.support.tree_games import (
    Counting,
    Tree,
    last_choice,
    position,
    turns,
)

TWO_LEVELS: Tree = ((55, 0, 70), (60, 80, 90), (100, 100, 100), (75, 80, 90))
THREE_LEVELS: Tree = (((100, 10), (30, 100)), ((0, 0), (100, 100)))


@pytest.mark.parametrize(
    ("lower", "upper", "move", "value", "proved", "leaves"),
    [
        # a1: 55 0, a2: all, a3: all; a4 cannot be better.
        (0, 100, "a3", 100, True, 8),
        # a1: 55 0, a2: all; 60 is as good as any win, and more may be had.
        (0, 51, "a2", 60, False, 5),
        # a1: 55 is bad enough, a2: all, a3: all.
        (55, 100, "a3", 100, True, 7),
    ],
)
def test_bounds_prune_below_a_choice_of_the_opponent(
    lower: int, upper: int, move: str, value: float, proved: bool, leaves: int
) -> None:
    machine = Counting(turns(TWO_LEVELS))
    choice = last_choice(BoundedMinimax(lower, upper), position(machine))
    assert (str(choice.move), choice.value, machine.leaves) == (move, value, leaves)
    assert (choice.proved, choice.details) == (proved, "" if proved else "bound reached")


@pytest.mark.parametrize(
    ("lower", "upper", "value", "leaves"),
    # 100, then 30 100: a1 is worth 100. With an upper bound of 30 the second 100 needs no look.
    [(0, 100, 100, 3), (0, 30, 30, 2)],
)
def test_bounds_prune_below_a_choice_of_the_player(
    lower: int, upper: int, value: float, leaves: int
) -> None:
    machine = Counting(turns(THREE_LEVELS))
    choice = last_choice(BoundedMinimax(lower, upper), position(machine))
    assert (choice.value, machine.leaves) == (value, leaves)


def test_minimax_looks_at_every_leaf() -> None:
    for tree, leaves in ((TWO_LEVELS, 12), (THREE_LEVELS, 8)):
        machine = Counting(turns(tree))
        assert last_choice(Minimax(), position(machine)).value == 100
        assert machine.leaves == leaves


@pytest.mark.thorough
def test_satisficing_wins_whenever_minimax_does() -> None:
    random = Random(3)
    for _ in range(30):
        tree = tuple(
            tuple(tuple(random.choice((0, 50, 100)) for _ in range(2)) for _ in range(2))
            for _ in range(3)
        )
        machine = turns(tree)
        exact = last_choice(Minimax(), position(machine)).value
        content = last_choice(BoundedMinimax(upper=51), position(machine)).value
        assert exact is not None
        assert content is not None
        assert (content >= 51) == (exact >= 51)


def test_bounds_in_the_wrong_order_are_refused() -> None:
    with pytest.raises(StrategyError, match="lower must be less than upper: 60"):
        create("bounded_minimax:lower=60,upper=40")
