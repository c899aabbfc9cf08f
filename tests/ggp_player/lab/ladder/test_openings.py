"""Openings are rulesheets that begin in a balanced position, and are the same for the same seed."""

from __future__ import annotations

import pytest

import gdl
from ggp_player.errors import LabError
from ggp_player.lab import LabGame, Plies
from ggp_player.lab.ladder import ladder_openings
from tests.support.lab_games import CONNECT_FOUR, TIC_TAC_TOE

DECIDED = """
(role a) (role b) (init (step 0)) (succ 0 1) (succ 1 2) (succ 2 3)
(legal a left) (legal a right) (legal b noop)
(<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
(<= terminal (true (step 3)))
(goal a 100) (goal b 0)
"""
"""A game of choices that change nothing."""


def test_an_opening_begins_where_its_moves_lead() -> None:
    made = ladder_openings(CONNECT_FOUR, 2, 5, Plies(4, 4))
    assert len({opening.facts for opening in made}) == len(made) == 2
    for opening, game in made.items():
        assert opening.name == game.name == f"connectFour-{opening.candidate}"
        assert (opening.game, opening.seed, opening.plies) == ("connectFour", 5, (4, 4))
        assert 35 <= opening.value <= 65
        assert game.roles == ("red", "yellow")
        state = list(map(str, gdl.interpret(game.ruleset).initial_state()))
        assert sum("red" in fact or "yellow" in fact for fact in state) >= 4
        assert gdl.parse(str(game.ruleset)).rules == game.ruleset.rules


def test_openings_follow_from_the_seed() -> None:
    first = ladder_openings(TIC_TAC_TOE, 2, 1, Plies(1, 2))
    assert ladder_openings(TIC_TAC_TOE, 2, 1, Plies(1, 2)).keys() == first.keys()
    assert ladder_openings(TIC_TAC_TOE, 2, 2, Plies(1, 2)).keys() != first.keys()


def test_there_may_be_fewer_than_asked_for() -> None:
    assert 0 < len(ladder_openings(TIC_TAC_TOE, 100, 0, Plies(1, 1))) < 9


def test_a_game_that_is_decided_has_none() -> None:
    decided = LabGame("decided", DECIDED)
    with pytest.raises(LabError, match="decided has no balanced opening after 1 to 1 plies"):
        ladder_openings(decided, 1, 0, Plies(1, 1))
