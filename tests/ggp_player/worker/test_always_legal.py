"""Moves that are legal in every state are found in the text, and no others are."""

from __future__ import annotations

import pytest

import gdl
from ggp_player.worker import always_legal
from ggp_player.worker.always_legal import always_legal_move
from tests.support.paths import ROOT

HEAD = "(role x) (role Y) (succ 1 2) (succ 2 3) (blank b) (init (at 1)) "


def found(rules: str, role: str = "x") -> str:
    return str(always_legal_move(gdl.parse(HEAD + rules), role))


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


def test_roles_are_the_same_in_any_case() -> None:
    assert found("(legal Y go)", "y") == found("(legal y go)", "Y") == "go"
    assert found("(legal x go)", "nobody") == "None"


def test_facts_are_tried_up_to_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    rules = "(<= (legal x go) (succ ?a ?b) (succ ?c 3) (succ ?b ?c))"
    assert found(rules) == "None"
    wide = "(<= (legal x go) (succ ?a ?b) (succ ?b 3))"
    assert found(wide) == "go"
    monkeypatch.setattr(always_legal, "MAX_FACTS", 2)
    assert found(wide) == "None"


@pytest.mark.parametrize("game", sorted((ROOT / "games").glob("*.kif")), ids=lambda path: path.stem)
def test_it_is_legal_wherever_it_is_claimed(game) -> None:
    ruleset = gdl.load(game)
    machine = gdl.interpret(ruleset)
    for role in machine.roles:
        move = always_legal_move(ruleset, role.name)
        if move is not None:
            assert move in machine.legal_moves(machine.initial_state(), role)
