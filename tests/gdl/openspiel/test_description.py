"""What is found out about a game before it is played."""

from __future__ import annotations

import pickle

from gdl.openspiel.description import Description, Options, describe
from tests.support.paths import GAMES


def game_of(name: str) -> Description:
    return describe(Options(str(GAMES / f"{name}.kif")))


def test_idle_moves_are_those_made_while_others_choose() -> None:
    assert [{*map(str, idle)} for idle in game_of("ticTacToe").idle] == [{"noop"}] * 2
    assert [{*map(str, idle)} for idle in game_of("kuhnPoker").idle] == [{"noop"}] * 3
    assert game_of("goofspiel").idle == (frozenset(), frozenset())


def test_only_players_that_choose_together_make_a_game_simultaneous() -> None:
    assert game_of("goofspiel").together
    assert not game_of("ticTacToe").together


def test_actions_have_one_number_for_all_players() -> None:
    game = game_of("kuhnPoker")
    assert [str(move) for move in game.actions] == ["bet", "call", "check", "fold", "noop"]
    assert len(game.outcomes) == 7
    assert game.players == (0, 1)


def test_utilities() -> None:
    game = game_of("kuhnPoker")
    assert (game.utility_sum, game.utilities) == (0, (-1, 1))
    assert game.utility(None) == -1
    assert game_of("fishery").utility_sum is None


def test_a_game_is_described_once() -> None:
    game = game_of("nim")
    assert pickle.loads(pickle.dumps(game)) is game
