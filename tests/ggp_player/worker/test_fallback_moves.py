"""Where nothing is told of a turn, the move is always legal, or the likeliest of those before."""

from __future__ import annotations

import pytest

import gdl
from ggp_player.worker import fallback_moves
from ggp_player.worker.fallback_moves import (
    LAST_RESORT,
    MAX_REMEMBERED_MOVES,
    MAX_TURNS,
    KnownMoves,
    move_legal_by_facts,
)
from tests.support.compiled_games import EVERY_GAME, reasoner_of, rules_of

HEAD = "(role x) (role Y) (succ 1 2) (succ 2 3) (blank b) (init (at 1)) "


def found(rules: str, role: str = "x") -> str:
    return str(move_legal_by_facts(gdl.parse(HEAD + rules), role))


@pytest.mark.parametrize(
    ("rules", "move"),
    [
        ("(legal x (mark 1 2))", "(mark 1 2)"),
        ("(legal Y stay) (legal x go)", "go"),
        ("(<= (legal ?r wait) (role ?r))", "wait"),
        ("(<= (legal ?r (say ?w)) (distinct ?w 1) (role ?r) (succ ?w ?v))", "(say 2)"),
        ("(<= (legal ?r (f ?a ?a)) (role ?r) (succ ?a ?b) (succ ?b 3))", "(f 1 1)"),
        ("(<= (legal x go) (true (at 1))) (<= (legal x hold) (blank ?b))", "hold"),
        ("(legal Y stay)", "None"),
        ("(<= (legal x go) (true (at 1)))", "None"),
        ("(<= (legal x go) (not (true (at 1))))", "None"),
        ("(<= (legal x go) (or (true (at 1)) (role x)))", "None"),
        ("(<= (legal x go) (succ 3 ?n))", "None"),
        ("(<= (legal x go) (distinct 1 1))", "None"),
        ("(<= (legal x go) (init (at ?n)) (true (at ?n)))", "None"),
        ("(<= free (true (at 1))) (<= (legal x go) free)", "None"),
    ],
)
def test_what_the_rules_state(rules: str, move: str) -> None:
    assert found(rules) == move


@pytest.mark.parametrize(
    ("rules", "move"),
    [
        ("(<= (legal x (go ?n)) (true (at ?m)) (succ ?m ?n))", "(go 2)"),
        ("(<= (legal x go) (true (at 2)))", "None"),
        ("(<= (legal x go) (true (at ?n)) (not (true (at 2))))", "None"),
        ("(<= (legal x go) (true (at 1)) (does x go))", "None"),
        ("(<= (init (on ?n)) (succ ?n 2)) (<= (legal x go) (true (on ?n)))", "None"),
    ],
)
def test_what_is_legal_in_the_initial_state_by_its_facts(rules: str, move: str) -> None:
    assert str(move_legal_by_facts(gdl.parse(HEAD + rules), "x", at_first=True)) == move


def test_roles_are_the_same_in_any_case() -> None:
    assert found("(legal Y go)", "y") == found("(legal y go)", "Y") == "go"
    assert found("(legal x go)", "nobody") == "None"


def test_facts_are_tried_up_to_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    rules = "(<= (legal x go) (succ ?a ?b) (succ ?c 3) (succ ?b ?c))"
    assert found(rules) == "None"
    wide = "(<= (legal x go) (succ ?a ?b) (succ ?b 3))"
    assert found(wide) == "go"
    monkeypatch.setattr(fallback_moves, "MAX_FALLBACK_FACTS", 2)
    assert found(wide) == "None"


@pytest.mark.parametrize("game", EVERY_GAME)
def test_it_is_legal_wherever_it_is_claimed(game: str) -> None:
    ruleset, machine = rules_of(game), reasoner_of(game)
    for role in machine.roles:
        for move in (
            move_legal_by_facts(ruleset, role.name),
            move_legal_by_facts(ruleset, role.name, at_first=True),
        ):
            if move is not None:
                assert move in machine.legal_moves(machine.initial_state(), role)


def test_before_anything_else_is_told_it_is_what_the_rules_state_of_the_first_turn() -> None:
    known = KnownMoves()
    known.remember_initial("a")
    assert known.guess(0, 2) == ("a", "legal in this turn")
    assert known.guess(1, 2) == ("a", "legal in an earlier turn")
    known.remember(2, ["b"])
    known.remember_initial("a")  # another worker has parsed the rules
    assert known.guess(3, 1)[0] == "b"


def test_with_nothing_known_it_is_the_last_resort() -> None:
    assert KnownMoves().guess(3, 2)[0] == LAST_RESORT


def test_what_is_always_legal_comes_first() -> None:
    known = KnownMoves()
    known.remember(0, ["a"])
    known.always_legal = "wait"
    assert known.guess(1, 2) == ("wait", "always legal")


def test_roles_that_move_in_turn_can_do_what_they_could_a_round_ago() -> None:
    known = KnownMoves()
    for turn, moves in enumerate([["a", "b", "c"], ["noop"], ["b", "c"], ["noop"]]):
        known.remember(turn, moves)
    assert known.guess(4, 2)[0] == "b"
    for move in ("a", "noop", "b"):
        known.made(move)
    assert known.guess(4, 2)[0] == "c"
    assert known.guess(5, 2)[0] == "noop"
    assert known.guess(4, 1)[0] == "noop"


def test_what_was_there_in_every_round_comes_first() -> None:
    known = KnownMoves()
    known.remember(0, ["stay", "north"])
    known.remember(1, ["south", "stay"])
    assert known.guess(2, 1)[0] == "stay"
    known.made("stay")
    assert known.guess(2, 1)[0] == "south"


def test_any_earlier_turn_is_better_than_none() -> None:
    known = KnownMoves()
    known.remember(0, ["a"])
    known.remember(1, ())
    assert known.guess(1, 2)[0] == "a"
    assert known.guess(1, 0)[0] == "a"


def test_what_is_remembered_is_bounded() -> None:
    known = KnownMoves()
    for turn in range(3 * MAX_TURNS):
        known.remember(turn, [f"m{number}" for number in range(2 * MAX_REMEMBERED_MOVES)])
    assert len(known._turns) == MAX_TURNS
    assert max(len(moves) for _, moves in known._turns) == MAX_REMEMBERED_MOVES
