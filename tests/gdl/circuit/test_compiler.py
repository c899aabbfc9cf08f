"""No pass changes an answer, alone or left out, and what is said to be irrelevant is."""

from __future__ import annotations

import gc
import random
from typing import Any

import numpy as np
import pytest

import gdl
from gdl.circuit.options import PASS_NAMES, CompileOptions, stages
from gdl.engine.bits import Packed, hash_states
from gdl.engine.machine import PropnetStateMachine
from gdl.grounding.gringo import GroundingBudget
from gdl.grounding.passes import PASSES, Where
from tests.support.compiled_games import SMALL, machine_of, reasoner_of, rules_of
from tests.support.lockstep import assert_block_lockstep, assert_lockstep

LANES = (0, 63, 64, 511)

HUGE_GAME_PASSES = {each.switch for each in PASSES if each.where == Where.HUGE_GAME}

USUAL_PASSES = [name for name in PASS_NAMES if name not in HUGE_GAME_PASSES]
"""The others apply to huge games only: see ``tests/gdl/grounding/test_huge_games.py``."""


USUAL = [("biddingTicTacToe", False), ("phantomTicTacToe", True)]
CASES = [
    pytest.param(name, is_left_out, marks=[] if is_usual else [pytest.mark.thorough])
    for name in (*SMALL, "breakthrough", "hex", "kalah", "keyMaze", "quarto", "tron")
    for is_left_out in (False, True)
    for is_usual in [(name, is_left_out) in USUAL]
]


def compiled(name: str, **passes: Any) -> PropnetStateMachine:
    return gdl.compile(rules_of(name), CompileOptions(words=8, **passes))


@pytest.mark.parametrize("chosen", USUAL_PASSES)
@pytest.mark.parametrize(("name", "is_left_out"), CASES)
def test_a_pass_alone_or_left_out_changes_no_answer(
    name: str, chosen: str, is_left_out: bool
) -> None:
    passes = {each: (each == chosen) is not is_left_out for each in PASS_NAMES}
    machine = compiled(name, **passes)
    assert_lockstep(machine, reasoner_of(name), 40, seed=4)
    assert_block_lockstep(machine, reasoner_of(name), steps=4, lanes=LANES)


@pytest.mark.parametrize("name", ["hex", "bridges"])
def test_no_pass_and_all_agree_on_games_with_cycles(name: str) -> None:
    nothing = compiled(name, **dict.fromkeys(PASS_NAMES, False))
    assert nothing.engine.layout.view.cycle_count
    assert_lockstep(machine_of(name), nothing, 80, seed=2)


def test_stages_add_pass_after_pass() -> None:
    found = list(stages())
    assert [name for name, _ in found] == ["none", *PASS_NAMES]
    none: dict[str, Any] = dict.fromkeys(PASS_NAMES, False)
    assert found[0][1] == CompileOptions(**none)
    assert found[-1][1] == CompileOptions()


# ---------------------------------------------------------------------- relevant fluents

WANDERER = """
(role a) (init (at 0)) (succ 0 1) (succ 1 2) (succ 2 3) (legal a go) (legal a wait)
(<= (next (at ?y)) (true (at ?x)) (succ ?x ?y) (does a go))
(<= (next (at ?x)) (true (at ?x)) (does a wait))
(init (step 0)) (<= (next (step ?y)) (true (step ?x)) (succ ?x ?y))
(<= (next (went ?m)) (does a ?m)) (<= (next (went ?m)) (true (went ?m)))
(<= (sees a ?m) (true (went ?m))) (<= terminal (true (at 3))) (goal a 100)
"""


def test_relevant_fluents() -> None:
    """Steps and what was done before matter for no move, end or goal, now or later."""
    machine = gdl.compile(gdl.parse(WANDERER))
    names = {
        str(fact)
        for fact, matters in zip(machine.facts, machine.relevant_fluents, strict=True)
        if matters
    }
    assert names == {"(at 0)", "(at 1)", "(at 2)", "(at 3)"}


def test_a_counter_that_ends_the_match_is_relevant() -> None:
    machine = gdl.compile(gdl.parse(WANDERER + "(<= terminal (true (step 3)))"))
    relevant = {str(f) for f, r in zip(machine.facts, machine.relevant_fluents, strict=True) if r}
    assert relevant == {f"({name} {n})" for name in ("at", "step") for n in range(4)}


@pytest.mark.parametrize("name", ["eightQueens", "nim", "handDuel", "ticTacToe"])
def test_irrelevant_fluents_change_no_view(name: str) -> None:
    """The same joint moves from states that differ in them lead to the same answers."""
    machine = machine_of(name)
    chance, noise = random.Random(3), np.random.default_rng(3)
    state = machine.initial_state()
    other = state
    while True:
        assert machine.is_terminal(other) == machine.is_terminal(state)
        for role in machine.roles:
            assert machine.legal_moves(other, role) == machine.legal_moves(state, role)
            assert machine.goals(other, role) == machine.goals(state, role)
        if machine.is_terminal(state):
            break
        moves = [chance.choice(machine.legal_moves(state, role)) for role in machine.roles]
        state, other = machine.next_state(state, moves), machine.next_state(other, moves)
        changes = noise.integers(0, 2, len(machine.facts), np.uint8)
        other = machine.state(machine.bits(other) ^ (changes & (1 - machine.relevant_fluents)))


def packed(machine: PropnetStateMachine, state: gdl.State) -> Packed:
    return np.packbits(machine.bits(state)[None, :], axis=1, bitorder="little")


def test_hashes_of_what_is_relevant() -> None:
    machine = gdl.compile(gdl.parse(WANDERER))
    mask = np.packbits(machine.relevant_fluents, bitorder="little")
    start = machine.initial_state()
    go, wait = machine.legal_moves(start, machine.roles[0])
    same = [packed(machine, state) for state in (start, machine.next_state(start, [wait]))]
    other = packed(machine, machine.next_state(start, [go]))
    assert hash_states(same[0]) != hash_states(same[1])
    assert hash_states(same[0], mask=mask) == hash_states(same[1], mask=mask)
    assert hash_states(same[0], mask=mask) != hash_states(other, mask=mask)


@pytest.mark.parametrize("was_enabled", [True, False])
def test_compiling_leaves_the_garbage_collector_as_it_was(was_enabled: bool) -> None:
    before = gc.isenabled()
    try:
        (gc.enable if was_enabled else gc.disable)()
        gdl.compile(gdl.parse(WANDERER))
        assert gc.isenabled() == was_enabled
        with pytest.raises(gdl.GroundingLimitError):
            gdl.compile(gdl.parse(WANDERER), CompileOptions(budget=GroundingBudget(rules=1)))
        assert gc.isenabled() == was_enabled
    finally:
        (gc.enable if before else gc.disable)()
