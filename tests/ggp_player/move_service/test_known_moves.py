"""The best guess: always legal, then legal a round ago, then legal before, then noop."""

from __future__ import annotations

from ggp_player.move_service.known_moves import LAST_RESORT, MAX_MOVES, MAX_TURNS, KnownMoves


def test_with_nothing_known_it_is_the_last_resort() -> None:
    assert KnownMoves().guess(3, 2).move == LAST_RESORT


def test_what_is_always_legal_comes_first() -> None:
    known = KnownMoves()
    known.remember(0, ["a"])
    known.always_legal = "wait"
    assert (known.guess(1, 2).move, known.guess(1, 2).reason) == ("wait", "always legal")


def test_roles_that_move_in_turn_can_do_what_they_could_a_round_ago() -> None:
    known = KnownMoves()
    for turn, moves in enumerate([["a", "b", "c"], ["noop"], ["b", "c"], ["noop"]]):
        known.remember(turn, moves)
    assert known.guess(4, 2).move == "b"
    for move in ("a", "noop", "b"):
        known.made(move)
    assert known.guess(4, 2).move == "c"
    assert known.guess(5, 2).move == "noop"
    assert known.guess(4, 1).move == "noop"


def test_what_was_there_in_every_round_comes_first() -> None:
    known = KnownMoves()
    known.remember(0, ["stay", "north"])
    known.remember(1, ["south", "stay"])
    assert known.guess(2, 1).move == "stay"
    known.made("stay")
    assert known.guess(2, 1).move == "south"


def test_any_earlier_turn_is_better_than_none() -> None:
    known = KnownMoves()
    known.remember(0, ["a"])
    known.remember(1, ())
    assert known.guess(1, 2).move == "a"
    assert known.guess(1, 0).move == "a"


def test_what_is_remembered_is_bounded() -> None:
    known = KnownMoves()
    for turn in range(3 * MAX_TURNS):
        known.remember(turn, [f"m{number}" for number in range(2 * MAX_MOVES)])
    assert len(known._turns) == MAX_TURNS
    assert max(len(moves) for _, moves in known._turns) == MAX_MOVES
