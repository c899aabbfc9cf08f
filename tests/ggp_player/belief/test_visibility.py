"""Which games hide something."""

from random import Random

import pytest

import gdl
from ggp_player.belief import hides_states
from tests.support.compiled_games import machine_of, reasoner_of
from tests.support.hidden_games import coin, three_doors


@pytest.mark.parametrize("name", ["codeBreaker", "fourCups", "kuhnPoker", "phantomTicTacToe"])
def test_games_that_hide_something(name: str) -> None:
    assert hides_states(machine_of(name), Random(0))
    assert hides_states(reasoner_of(name), Random(0))


@pytest.mark.parametrize("name", ["diceRace", "pig"])
def test_games_that_tell_all(name: str) -> None:
    assert not hides_states(machine_of(name), Random(0))


def test_what_a_role_that_moves_by_chance_does_not_see_is_not_hidden() -> None:
    assert hides_states(gdl.interpret(three_doors()), Random(0))
    assert hides_states(gdl.interpret(coin("rival")), Random(0))
    seen = coin("random").rules
    told = gdl.parse("(<= (sees guesser ?s) (does random ?s) (side ?s))").rules
    ruleset = gdl.parse(" ".join(map(str, (*seen, *told))))
    assert not hides_states(gdl.interpret(ruleset), Random(0))
