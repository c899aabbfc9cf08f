"""The rules of a match in this process, without the states but for what a record has of them."""

from __future__ import annotations

import gdl
from ggp_player.match_rules import LocalRules, MatchPosition

RULES = """
(role a) (init (step 0)) (legal a go) (succ 0 1) (succ 1 2)
(<= (next (step ?n)) (true (step ?m)) (succ ?m ?n)) (<= (next (wide ?x ?y)) (d ?x) (d ?y))
(<= terminal (true (step 2))) (goal a 50) (d 1) (d 2) (d 3)
"""

GO = [gdl.Constant("go")]


def rules(recorded: int = 10_000) -> LocalRules:
    return LocalRules(gdl.interpret(gdl.parse(RULES)), recorded)


def test_a_position_has_what_can_be_done_and_no_state() -> None:
    found = rules()
    assert found.begin() == MatchPosition(legal=(("go",),))
    assert found.advance(GO) == MatchPosition(legal=(("go",),))
    assert found.advance(GO) == MatchPosition(is_terminal=True, goals=(50,))
    assert len(found.state) == 10


def test_the_states_for_a_record_are_kept_up_to_a_bound() -> None:
    enough, few, none = rules(), rules(100), rules(0)
    for found in (enough, few, none):
        found.begin()
    assert enough.states() == few.states() == ("( (step 0) )",)
    assert none.states() is None
    for found in (enough, few, none):
        found.advance(GO)
    assert [len(text) for text in enough.states() or ()] == [12, 111]
    assert few.states() is none.states() is None


def test_a_match_begins_anew() -> None:
    found = rules()
    found.begin()
    found.advance(GO)
    assert found.begin() == MatchPosition(legal=(("go",),))
    assert found.states() == ("( (step 0) )",)
