"""A game for people: played, taken back, shown."""

from __future__ import annotations

import pytest

import gdl
from gdl import Game, MoveError


def test_a_move_for_whose_turn_it_is() -> None:
    game = Game("ticTacToe").play("put b2")
    assert repr(game) == "<game ticTacToe, step 1: nought to choose>"
    assert game.moves == (gdl.parse_term("(put b2)"), gdl.Constant("noop"))
    game.play("(put a1)")
    assert len(game.history) == 2
    assert len(game.legal["cross"]) == 7
    assert game.legal["nought"] == (gdl.Constant("noop"),)


def test_a_match_to_its_end_and_back() -> None:
    game = Game("ticTacToe")
    for square in ("b2", "a1", "b1", "a2", "b3"):
        game.play(f"put({square})")
    assert game.over
    assert game.goals == {"cross": 100, "nought": 0}
    assert repr(game) == "<game ticTacToe, over after step 5: {'cross': 100, 'nought': 0}>"
    assert game.legal == {"cross": (), "nought": ()}
    with pytest.raises(MoveError, match="the match is over"):
        game.play("put c3")
    assert not game.undo(2).over
    assert len(game.history) == 3
    assert game.undo(3).moves is None
    assert game.state == Game(game.machine).state


@pytest.mark.parametrize("steps", [1, -1])
def test_more_than_was_made_cannot_be_taken_back(steps: int) -> None:
    with pytest.raises(MoveError, match=f"cannot take back {steps} of 0"):
        Game("nim").undo(steps)


def test_an_illegal_move_is_refused_with_what_is_legal() -> None:
    game = Game("ticTacToe").play("put b2")
    with pytest.raises(
        MoveError, match=r"\(put b2\) is not legal for nought; legal are \(put a1\)"
    ):
        game.play("put b2")
    with pytest.raises(gdl.GdlSyntaxError):
        game.play("put (")
    assert len(game.history) == 1


def test_all_moves_at_once_and_too_few() -> None:
    game = Game("biddingTicTacToe")
    assert len(game.turn) == 2
    first = [str(game.legal[role.name][0]) for role in game.turn]
    with pytest.raises(
        MoveError, match="expected 2 moves, one for each role with a choice, found 1"
    ):
        game.play(first[0])
    assert game.play(*first).history == (game.moves,)


def test_chance_moves_by_its_seed() -> None:
    def dice(seed: int) -> list[str]:
        game = Game("pig", seed)
        for _ in range(8):
            game.play(*(game.legal[role.name][0] for role in game.turn))
        return [str(game.history)]

    assert dice(1) == dice(1)
    assert len({str(dice(seed)) for seed in range(5)}) > 1


def test_it_is_drawn_and_knows_what_machine_it_is_on() -> None:
    game = Game(gdl.compile(gdl.load("ticTacToe"))).play("put b2")
    assert "PropnetStateMachine" in repr(game.machine)
    assert game._repr_svg_().startswith("<svg")
    assert "a" in str(game)
