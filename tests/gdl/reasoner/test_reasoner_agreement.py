"""The reasoner agrees with the oracle, on whole sets, on random rulesets and on our own games."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gdl
from gdl import Atom, Ruleset
from tests.support.agreement import assert_agreement
from tests.support.compiled_games import NAMES, SMALL, reasoner_of, rules_of
from tests.support.example_counts import one_in
from tests.support.generators import rulesets
from tests.support.oracle import Oracle, TooLargeError, UndefinedError, solutions, substitute

SLOW_GAMES = {"amazons", "draughts", "eightQueens", "pig", "ropeTeam", "starHalma", "diceRace"}
TOO_LARGE = {"chess", "kalah", "reversi"}
"""Games for which the oracle takes minutes a state."""

TUNINGS: dict[str, dict[str, object]] = {
    "as it is": {},
    "always calling": {"gdl.datalog.join_plan.CALL_COST": -1e9},
    "never calling": {"gdl.datalog.join_plan.CALL_COST": 1e12},
    "nothing static in advance": {"gdl.datalog.program.MAX_STATIC_COST": -1.0},
    "one loop a function": {"gdl.datalog.python_codegen.MAX_LOOPS": 1},
    "calling, nothing static": {
        "gdl.datalog.join_plan.CALL_COST": -1e9,
        "gdl.datalog.program.MAX_STATIC_COST": -1.0,
        "gdl.datalog.python_codegen.MAX_LOOPS": 2,
    },
}
"""Figures that decide how rules are evaluated, and must not matter to what follows from them."""

QUERIES = ("(p ?x)", "(p ?x ?y)", "(p ?x ?x)", "(q (f ?x) ?y)", "(win ?x a)", "(v ?x)", "(on)")
"""Questions about the relations of random rulesets."""

MAX_FACTS = 600


@pytest.mark.thorough
@one_in(3)
@given(rulesets(), st.integers(0, 9), st.sampled_from(list(TUNINGS)))
def test_random_rulesets(rules: Ruleset, seed: int, tuning: str) -> None:
    rules = gdl.parse(str(rules))
    with pytest.MonkeyPatch.context() as patch, suppress(TooLargeError):
        for name, value in TUNINGS[tuning].items():
            patch.setattr(name, value)
        assert_agreement(gdl.interpret(rules), Oracle(rules, MAX_FACTS), seed, steps=3)


@pytest.mark.thorough
@one_in(3)
@given(rulesets(in_cycles=True), st.integers(0, 9))
def test_rulesets_that_negate_themselves(rules: Ruleset, seed: int) -> None:
    """Where the oracle finds a model, the reasoner finds the same and refuses nothing."""
    rules = gdl.parse(str(rules))
    oracle = Oracle(rules, MAX_FACTS)
    with suppress(TooLargeError, UndefinedError):
        oracle.initial_state()
        assert_agreement(gdl.interpret(rules), oracle, seed, steps=2)


@pytest.mark.thorough
@one_in(5)
@given(rulesets(), st.sampled_from(QUERIES))
def test_queries(rules: Ruleset, query: str) -> None:
    """What is asked of the rules alone is what holds in a state without facts."""
    (rule,) = gdl.parse(f"(<= asked {query})").rules
    (atom,) = rule.body
    assert isinstance(atom, Atom)
    with suppress(TooLargeError):
        model = Oracle(rules, MAX_FACTS).model(frozenset())
        found = solutions(rule.body, {}, model, model)
        atoms = {Atom(atom.name, tuple(substitute(t, b) for t in atom.args)) for b in found}
        assert gdl.ask(rules, query) == sorted(atoms, key=str)


QUICK_GAMES = [*SMALL, "dotsAndBoxes", "hex", "kuhnPoker"]
OTHER_GAMES = [
    pytest.param(name, marks=pytest.mark.slow if name in SLOW_GAMES else pytest.mark.thorough)
    for name in NAMES
    if name not in {*QUICK_GAMES, *TOO_LARGE}
]


@pytest.mark.parametrize("name", [*QUICK_GAMES, *OTHER_GAMES])
def test_our_games(name: str) -> None:
    oracle = Oracle(rules_of(name))
    assert assert_agreement(reasoner_of(name), oracle, seed=1, steps=3) == 3
