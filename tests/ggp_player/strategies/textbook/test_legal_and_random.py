"""The two strategies that do not search."""

from __future__ import annotations

from collections import Counter
from random import Random

from ggp_player.strategies import Choice, Position
from ggp_player.strategies.textbook.legal import Legal
from ggp_player.strategies.textbook.random_move import RandomMove
from tests.support.tree_games import constants, position, turns


def test_legal_plays_the_first_legal_move() -> None:
    (first,) = constants("a1")
    assert list(Legal().search(position(turns((1, 2, 3))))) == [Choice(first)]


def test_random_plays_every_legal_move_about_equally_often() -> None:
    machine, random = turns((1, 2, 3)), Random(5)
    start = Position(machine, machine.initial_state(), machine.roles[0], random)
    counts = Counter(str(next(RandomMove().search(start)).move) for _ in range(600))
    assert counts.keys() == {"a1", "a2", "a3"}
    assert min(counts.values()) > 150


def test_random_depends_on_the_seed_alone() -> None:
    machine = turns((1, 2, 3))

    def moves(seed: int) -> list[str]:
        start = Position(machine, machine.initial_state(), machine.roles[0], Random(seed))
        return [str(next(RandomMove().search(start)).move) for _ in range(20)]

    assert moves(1) == moves(1) != moves(2)
