"""Openings are random, balanced, no two of them symmetric, and the same for the same seed."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from random import Random

import pytest

import gdl
from ggp_player.errors import LabError
from ggp_player.lab import balance
from ggp_player.lab.balance import LEAST_VALUE, MOST_VALUE, BalancedOpenings, LabGame, Plies
from ggp_player.lab.match import machine_for
from tests.support.lab_games import CONNECT_FOUR, TIC_TAC_TOE, lab_game

pytestmark = pytest.mark.usefixtures("compiled_once")


def found(game: LabGame, count: int, seed: int = 0, plies: Plies | None = None) -> list:
    return list(islice(BalancedOpenings(game, seed, plies or Plies()), count))


def test_the_same_seed_has_the_same_openings() -> None:
    openings = found(CONNECT_FOUR, 3)
    assert found(CONNECT_FOUR, 3) == openings
    assert found(CONNECT_FOUR, 3, seed=1) != openings


def test_openings_are_balanced_and_as_long_as_asked_for() -> None:
    openings = found(CONNECT_FOUR, 10, plies=Plies(3, 5))
    assert {len(opening.moves) for opening in openings} == {3, 4, 5}
    assert all(LEAST_VALUE <= opening.value <= MOST_VALUE for opening in openings)


def test_no_two_openings_are_symmetric() -> None:
    # After one move there are three kinds of squares, and after two moves twelve positions.
    for plies, most in ((1, 3), (2, 12)):
        openings = BalancedOpenings(TIC_TAC_TOE, 0, Plies(plies, plies))
        positions = list(openings)
        assert 0 < openings.found == len(positions) <= most


def test_an_opening_whose_value_is_proved_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(balance, "PATIENCE", 40)
    assert found(TIC_TAC_TOE, 1, plies=Plies(7, 7)) == []


def test_the_value_is_that_for_the_first_role_whoever_moves() -> None:
    openings = BalancedOpenings(CONNECT_FOUR, 0, Plies())
    machine = machine_for(CONNECT_FOUR.rules, CONNECT_FOUR.name, "reference")

    def value_after(columns: Sequence[int]) -> float:
        state = machine.initial_state()
        for number, column in enumerate(columns):
            moves = [gdl.parse_term("noop")] * 2
            moves[number % 2] = gdl.parse_term(f"(drop {column})")
            state = machine.next_state(state, moves)
        value = openings.value_of(state, Random(0))
        assert value is not None
        return value

    # First the first role has the middle and the second the edges, then the other way round.
    for length in (4, 5):
        assert value_after([4, 1, 4, 7, 3][:length]) > 50 > value_after([1, 4, 7, 4, 1][:length])


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("trefoil", "trefoil: a duel is for two players, and this game has 3"),
        ("eightPuzzle", "for two players, and this game has 1"),
        ("kuhnPoker", "kuhnPoker: a duel is for games in which all see the state"),
    ],
)
def test_games_that_no_duel_is_for_are_refused(name: str, reason: str) -> None:
    with pytest.raises(LabError, match=reason):
        BalancedOpenings(lab_game(name), 0, Plies())


@pytest.mark.parametrize(("least", "most"), [(-1, 2), (3, 2)])
def test_plies_have_an_order(least: int, most: int) -> None:
    with pytest.raises(LabError, match=f"found {least} to {most}"):
        Plies(least, most)
