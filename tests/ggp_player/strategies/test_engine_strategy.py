"""A strategy of the engine gets the compiled machine itself, or says why it does not play."""

from collections.abc import Iterator
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gdl.engine import PropnetStateMachine
from ggp_player.strategies import Choice, Position
from ggp_player.strategies.engine_strategy import EngineStrategy, compiled_machine
from ggp_player.worker.interruptible import InterruptibleMachine
from tests.support.small_games import compiled_tree
from tests.support.tree_games import TWO_PLY, position, turns

INTERPRETED = turns(TWO_PLY)

MOVES = 8
"""In turns, each of both roles has three moves and noop."""


@cache
def compiled_game() -> PropnetStateMachine:
    return compiled_tree(INTERPRETED)


class First(EngineStrategy):
    """Plays the first legal move of the compiled machine."""

    name = "first"

    def search(self, position: Position) -> Iterator[Choice]:
        yield Choice(self.machine_of(position).legal_moves(position.state, position.role)[0])


class Choosy(First):
    """The same for small games."""

    name = "choosy"


def test_compiled_machines_are_known_by_themselves() -> None:
    machine = compiled_game()
    assert compiled_machine(machine) is machine
    assert compiled_machine(INTERPRETED) is None
    assert compiled_machine(InterruptibleMachine(machine, lambda: False)) is None


def test_the_machine_is_that_of_the_position() -> None:
    start = position(compiled_game())
    assert First().machine_of(start) is compiled_game()
    assert list(First().search(start)) == [Choice(start.legal_moves[0])]


def test_games_of_any_size_are_played_unless_a_strategy_has_a_limit() -> None:
    assert First().refusal(compiled_game()) is None


@given(limit=st.integers(0, 2 * MOVES))
def test_games_with_more_moves_than_the_limit_are_refused(limit: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Choosy, "max_moves", limit)
        assert Choosy().refusal(compiled_game()) == (
            f"choosy is for games of up to {limit} moves, and this has {MOVES}"
            if limit < MOVES
            else None
        )


@pytest.mark.parametrize("limit", [None, MOVES])
def test_interpreted_rules_are_refused(limit: int | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Choosy, "max_moves", limit)
    sentence = "choosy needs the compiled machine, and these rules are interpreted"
    assert Choosy().refusal(INTERPRETED) == sentence


def test_a_game_that_was_refused_is_not_searched() -> None:
    with pytest.raises(TypeError, match="first was asked to search a game that it refuses"):
        next(First().search(position(INTERPRETED)))
