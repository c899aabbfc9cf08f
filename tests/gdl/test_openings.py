"""Rules that begin in a position are the game from there on, whatever the position."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gdl
from gdl.openings import random_opening, rules_from
from tests.support.compiled_games import EVERY_GAME, NAMES, reasoner_of, rules_of

WITH_PERCEPTS = {"codeBreaker", "diceRace", "fourCups", "kuhnPoker", "phantomTicTacToe", "pig"}

SLOW = {"amazons", "sudokuSmall", "warehouse"}

QUICK = [name for name in NAMES if name not in WITH_PERCEPTS | SLOW]

BOTH_WAYS = """
(role white) (role black) (init (at 1)) (init (odd)) (<= (init (free ?x)) (place ?x))
(place 1) (place 2) (succ 1 2) (succ 2 3) (succ 3 4)
(<= (legal ?r go) (role ?r))
(<= (next (at ?y)) (true (at ?x)) (succ ?x ?y))
(<= (next (free ?x)) (true (free ?x)) (not (true (at ?x))))
(<= terminal (true (at 4))) (<= (goal ?r 50) (role ?r))
"""


def shown(machine: gdl.StateMachine, state: gdl.State) -> object:
    moves = [list(map(str, machine.legal_moves(state, role))) for role in machine.roles]
    goals = [machine.goals(state, role) for role in machine.roles]
    return sorted(map(str, state)), machine.is_terminal(state), moves, goals


@settings(max_examples=12, deadline=None)
@given(st.sampled_from(QUICK), st.integers(0, 6), st.integers(0, 2**30))
def test_the_new_rules_begin_in_the_position_and_go_on_as_the_game_does(
    name: str, plies: int, seed: int
) -> None:
    machine, random = reasoner_of(name), Random(seed)
    try:
        opening = random_opening(machine, plies, random)
    except gdl.OpeningError:
        return
    rules = rules_from(rules_of(name), opening.state)
    begun = gdl.interpret(gdl.parse(str(rules)))
    state, original = begun.initial_state(), opening.state
    assert shown(begun, state) == shown(machine, original)
    moves = [random.choice(machine.legal_moves(original, role)) for role in machine.roles]
    assert shown(begun, begun.next_state(state, moves)) == shown(
        machine, machine.next_state(original, moves)
    )


@pytest.mark.parametrize("name", EVERY_GAME)
def test_every_game_begins_in_a_position_or_says_why_not(name: str) -> None:
    machine = reasoner_of(name)
    if rules_of(name).has_percepts:
        with pytest.raises(gdl.RulesetError, match=f"{name} has percepts"):
            rules_from(rules_of(name), machine.initial_state())
        return
    begun = gdl.interpret(rules_from(rules_of(name), machine.initial_state()))
    assert shown(begun, begun.initial_state()) == shown(machine, machine.initial_state())


def test_compiled_rules_begin_there_too() -> None:
    rules = rules_of("connectFour")
    opening = random_opening(reasoner_of("connectFour"), 7, Random(3))
    machine = gdl.compile(rules_from(rules, opening.state))
    assert set(machine.initial_state()) == set(opening.state)


def test_the_moves_lead_to_the_position() -> None:
    machine = reasoner_of("ticTacToe")
    opening = random_opening(machine, 6, Random(5))
    state = machine.initial_state()
    for moves in opening.moves:
        state = machine.next_state(state, moves)
    assert (len(opening.moves), state) == (6, opening.state)
    assert not machine.is_terminal(state)
    assert random_opening(machine, 6, Random(5)) == opening
    assert random_opening(machine, 6, Random(6)) != opening


def test_facts_that_no_rule_can_make_true_again_are_kept_once() -> None:
    rules = gdl.parse(BOTH_WAYS)
    machine = gdl.interpret(rules)
    opening = random_opening(machine, 1, Random(0))
    begun = rules_from(rules, opening.state)
    facts = [str(rule) for rule in begun.rules if rule.head.name == "init"]
    assert facts == ["(init (at 2))", "(init (free 2))"]
    assert len(begun.rules) == len(rules.rules) - 1


def test_games_that_always_end_sooner_are_an_error() -> None:
    with pytest.raises(gdl.OpeningError, match=r"after 9 joint moves: of 64 .* ended after 9$"):
        random_opening(reasoner_of("ticTacToe"), 9, Random(0))


def test_rules_that_read_init_are_refused() -> None:
    rules = gdl.parse(f"{BOTH_WAYS} (<= (home ?x) (init (at ?x)))", "homes.kif")
    with pytest.raises(gdl.RulesetError, match="homes: a rule reads init"):
        rules_from(rules, gdl.interpret(rules).initial_state())
