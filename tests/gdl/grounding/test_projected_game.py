"""A projected game is explored state by state, and bounds what fluents can be."""

from __future__ import annotations

import pytest

import gdl
from gdl.circuit.options import CompileOptions
from gdl.datalog import SymbolTable, flatten_rules
from gdl.grounding.gringo import GroundingBudget
from gdl.grounding.projected_game import bound_fluents
from gdl.language import MACHINE_RELATIONS, Rule
from gdl.rewriting.rule_analysis import RulePasses, analyse_rules
from tests.support.lockstep import assert_as_reasoner


def card_game(numbers: int, cards: int) -> str:
    """Write a game in which chance deals three places of a hand that grows with each card bought.

    The rules count up to ``numbers``, but a match ends when all ``cards`` are bought.
    """
    counting = " ".join(f"(succ {i} {i + 1})" for i in range(numbers))
    return f"""
        (role random) (role duke) (role earl) (other duke earl) (other earl duke) {counting}
        (init (control duke)) (init (left {cards})) (init (hand duke 2)) (init (hand earl 2))
        (init (coins duke 0)) (init (coins earl 0))
        (<= (least ?x ?x) (succ ?x ?y)) (<= (least ?x ?y) (succ ?z ?x) (least ?z ?y))
        (<= (legal random (deal ?r ?a ?b ?c)) (true (control ?o)) (other ?o ?r)
            (true (hand ?r ?x)) (least ?x ?a) (least ?x ?b) (least ?x ?c)
            (distinct ?a ?b) (distinct ?a ?c) (distinct ?b ?c))
        (<= (legal ?r buy) (true (control ?r)))
        (<= (legal ?r (pay ?x)) (true (control ?r)) (true (coins ?r ?x)) (succ ?y ?x))
        (<= (legal ?r noop) (other ?r ?o) (not (true (control ?r))))
        (<= (sees ?r (dealt ?a ?b ?c)) (does random (deal ?r ?a ?b ?c)))
        (<= (next (control ?r)) (true (control ?o)) (other ?o ?r))
        (<= (next (left ?y)) (true (left ?x)) (succ ?y ?x))
        (<= (next (hand ?r ?y)) (true (hand ?r ?x)) (succ ?x ?y) (does ?r buy))
        (<= (next (hand ?r ?x)) (true (hand ?r ?x)) (not (does ?r buy)))
        (<= (next (coins ?r ?y)) (does random (deal ?r ?x ?y ?z)) (succ ?x ?y))
        (<= (next (coins ?r ?x)) (true (coins ?r ?x)) (not (does ?r buy)))
        (<= terminal (true (left 0)))
        (<= (goal ?r 100) (true (hand ?r ?x)) (true (hand ?o ?y)) (other ?r ?o) (least ?x ?y))
        (<= (goal ?r 0) (true (hand ?r ?x)) (true (hand ?o ?y)) (other ?r ?o) (not (least ?x ?y)))
        (goal random 0)
    """


def bounded(text: str) -> list[Rule]:
    """Return the rules that bounding adds or changes."""
    flat = flatten_rules(gdl.parse(text), MACHINE_RELATIONS)
    analysis = analyse_rules(flat, SymbolTable(), RulePasses())
    return [rule for rule in bound_fluents(analysis) if rule not in flat.rules]


def reached(text: str, fluent: str) -> set[tuple[str, ...]]:
    """Return the rows that a fluent is bounded to."""
    facts = [rule.head for rule in bounded(text) if not rule.body]
    return {tuple(map(str, head.args)) for head in facts if head.name.endswith(fluent)}


@pytest.fixture(autouse=True)
def _every_rule_is_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gdl.grounding.projected_game.MIN_INSTANCES", 0.0)


@pytest.mark.thorough
def test_a_hand_grows_no_further_than_there_are_cards() -> None:
    game = gdl.parse(card_game(numbers=40, cards=8))
    budget = GroundingBudget(rules=50_000)
    machine = assert_as_reasoner(game, 40, matches=4, options=CompileOptions(budget=budget))
    assert machine.ground_rules < 30_000
    with pytest.raises(gdl.GroundingLimitError):
        gdl.compile(game, CompileOptions(budget=budget, bound_fluents=False))


def test_whose_turn_it_is_is_not_looked_at() -> None:
    hands = {(r, str(i)) for r in ("duke", "earl") for i in range(2, 11)}
    assert reached(card_game(numbers=40, cards=8), "hand") == hands


def test_what_the_rules_bound_themselves_is_left_alone() -> None:
    assert bounded(card_game(numbers=8, cards=8)) == []


def test_a_projection_with_too_many_facts_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gdl.grounding.projected_game.MAX_PROJECTED_FACTS", 20)
    assert bounded(card_game(numbers=40, cards=8)) == []


def test_a_match_that_nothing_ends_bounds_nothing() -> None:
    text = card_game(numbers=40, cards=8).replace("(true (left 0))", "(true (coins duke 40))")
    assert reached(text, "hand") == set()


CLOCK = " ".join(f"(succ {i} {i + 1})" for i in range(40))

RACE = f"""
    (role red) (role blue) {CLOCK} (init (at red 0)) (init (at blue 0)) (init (clock 0))
    (<= (legal ?r (run ?x)) (true (at ?r ?x)) (not (tired ?r)))
    (<= (legal ?r rest) (role ?r))
    (<= (tired ?r) (true (at ?r ?x)) (true (at ?o ?y)) (distinct ?o ?r) (succ ?y ?x))
    (<= (next (at ?r ?y)) (does ?r (run ?x)) (succ ?x ?y))
    (<= (next (at ?r ?x)) (true (at ?r ?x)) (not (runs ?r)))
    (<= (runs ?r) (does ?r (run ?x)))
    (<= (next (clock ?y)) (true (clock ?x)) (succ ?x ?y))
    (<= terminal (true (clock 5)))
    (<= (goal ?r 100) (true (at ?r ?x)) (true (clock ?y)) (succ ?x ?y))
"""
"""Each runs a step or rests; nobody runs who is a step ahead."""


def test_states_after_the_end_are_not_reached() -> None:
    assert reached(RACE, "clock") == {(str(i),) for i in range(6)}


def test_roles_move_at_once() -> None:
    assert reached(RACE, "at") == {(r, str(i)) for r in ("red", "blue") for i in range(6)}


def test_a_role_without_a_move_that_is_read_goes_on() -> None:
    never = RACE.replace("(<= (legal ?r rest) (role ?r))", "").replace("(not (tired ?r))", "")
    assert reached(never, "at") == {(r, str(i)) for r in ("red", "blue") for i in range(6)}


@pytest.mark.parametrize("limit", ["MAX_EXPLORED_STATES", "MAX_WORK", "MAX_VALUES"])
def test_what_is_too_much_work_is_given_up(monkeypatch: pytest.MonkeyPatch, limit: str) -> None:
    monkeypatch.setattr(f"gdl.grounding.state_exploration.{limit}", 5)
    assert bounded(card_game(numbers=40, cards=8)) == []


def test_recursion_through_the_state_is_left_alone() -> None:
    ring = """(<= (linked ?r ?x) (true (at ?r ?x))) (<= (linked ?r ?y) (linked ?o ?y) (role ?r)
        (true (at ?r ?x))) (<= (next (marked ?r)) (linked ?r 3))
        (<= (legal ?r (jump ?x)) (true (marked ?r)) (true (at ?r ?x)))"""
    tied = RACE.replace("(<= terminal (true (clock 5)))", "(<= terminal (linked red 30))")
    assert bounded(tied + ring) == []
