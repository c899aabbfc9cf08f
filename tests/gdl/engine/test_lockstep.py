"""The compiled machine and the reasoner side by side, and blocks of every width.

What is compared are whole sets: facts, legal moves, goals, the end, percepts. Short play of our own
games is in ``test_machine``; here are long play, until ``MANY_STATES`` are seen or ``BOUND``
seconds gone, and the games of the collection.
"""

from __future__ import annotations

import time
from functools import cache
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

import gdl
from gdl.circuit.options import CompileOptions
from gdl.engine.block import Block
from gdl.engine.machine import PropnetStateMachine
from tests.support.collection import BUDGET, parameters
from tests.support.compiled_games import NAMES, machine_of, reasoner_of, rules_of
from tests.support.lockstep import assert_block_lockstep, assert_lockstep
from tests.support.marks import thorough
from tests.support.traces import GAMES, SHEETS

MANY_STATES = 10_000
PART = 200
"""How many states are compared between two looks at the clock."""

BOUND = 20.0
"""Seconds for one game: the reasoner takes hours for ``MANY_STATES`` of some."""

LANES = (0, 63, 64, 300, 511)

Bits = NDArray[np.uint8]


def assert_long_lockstep(machine: PropnetStateMachine, reference: gdl.StateMachine) -> None:
    """Compare ``MANY_STATES`` states, by many seeds, or as many as ``BOUND`` allows."""
    deadline = time.monotonic() + BOUND
    for seed in range(MANY_STATES // PART):
        assert_lockstep(machine, reference, PART, seed)
        if time.monotonic() > deadline:
            return


# ---------------------------------------------------------------------- our own games


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("name", NAMES)
def test_long_lockstep(name: str) -> None:
    assert_long_lockstep(machine_of(name), reasoner_of(name))


# ---------------------------------------------------------------------- the collection's games


SHARED = {path.stem: path for path in SHEETS}
UNTRACED = {name: path for name, path in SHARED.items() if name not in GAMES}
"""What no trace speaks for."""


@cache
def shared_reasoner(rulesheet: Path) -> gdl.StateMachine:
    return gdl.interpret(gdl.load(rulesheet))


def shared_machine(rulesheet: Path) -> PropnetStateMachine:
    return gdl.compile(gdl.load(rulesheet), CompileOptions(budget=BUDGET))


@pytest.mark.corpus
@pytest.mark.timeout(300)
@pytest.mark.parametrize("rulesheet", parameters(UNTRACED))
def test_lockstep_where_there_is_no_trace(rulesheet: Path) -> None:
    machine, reasoner = shared_machine(rulesheet), shared_reasoner(rulesheet)
    assert_lockstep(machine, reasoner, 40, seed=1)
    assert_block_lockstep(machine, reasoner, steps=6, lanes=(0, 511))


@pytest.mark.slow
@pytest.mark.corpus
@pytest.mark.timeout(900)
@pytest.mark.parametrize("rulesheet", parameters(SHARED))
def test_long_lockstep_of_shared_games(rulesheet: Path) -> None:
    machine, reasoner = shared_machine(rulesheet), shared_reasoner(rulesheet)
    assert_block_lockstep(machine, reasoner, steps=10, lanes=LANES)
    assert_long_lockstep(machine, reasoner)


# ---------------------------------------------------------------------- widths

WIDTHS = (1, 2, 4, 8, 16)
"""Words: 64 to 1,024 lanes."""

WIDE_GAMES = [
    "bridges",
    *thorough("biddingTicTacToe", "phantomTicTacToe"),
]
"""Moves in turn with paths that are evaluated to their fixpoint, moves at once, and percepts."""

PLAYED_STEPS = (0, 2, 5)


@cache
def wide_machine(name: str, words: int, with_code: bool) -> PropnetStateMachine:
    if not with_code:
        return machine_of(name, words)
    machine = gdl.compile(rules_of(name), CompileOptions(words=words))
    machine.warm_up()
    return machine


@pytest.mark.parametrize("with_code", [False, True], ids=["interpreter", "native code"])
@pytest.mark.parametrize(
    "words",
    [1, 16, *thorough(*WIDTHS[1:-1])],
)
@pytest.mark.parametrize("name", WIDE_GAMES)
def test_lockstep_at_every_width(name: str, words: int, with_code: bool) -> None:
    machine = wide_machine(name, words, with_code)
    assert machine.block().lanes == 64 * words
    lanes = (0, 63, 64 * words - 1)
    assert_block_lockstep(machine, reasoner_of(name), steps=8, lanes=lanes)


@pytest.mark.parametrize("with_code", [False, True], ids=["interpreter", "native code"])
@pytest.mark.parametrize("words", WIDTHS[:-1])
@pytest.mark.parametrize("name", WIDE_GAMES)
def test_every_width_gives_the_same_answers(name: str, words: int, with_code: bool) -> None:
    """The lanes of the widest block, as many at a time as the narrower one has."""
    block = wide_machine(name, words, with_code).engine.block()
    widest = wide_machine(name, WIDTHS[-1], False)
    for steps in PLAYED_STEPS:
        states, moves = played(widest, steps)
        expected = answers_of(widest.engine.block(), states, moves)
        parts = [
            answers_of(block, states[first:last], moves[first:last])
            for first, last in pairwise(range(0, len(states) + 1, block.lanes))
        ]
        for found, wanted in zip(zip(*parts, strict=True), expected, strict=True):
            assert np.array_equal(np.concatenate(found), wanted)


def played(machine: PropnetStateMachine, steps: int) -> tuple[Bits, Bits]:
    """Return the states of all lanes after so many random steps, and a joint move of each."""
    block = machine.block(seed=7)
    for _ in range(steps):
        block.view()
        block.move(block.choose())
    block.view()
    moves = block.choose()
    return block.states(), moves


def answers_of(block: Block, states: Bits, moves: Bits) -> list[Bits]:
    """Return all that a block says of states, and of a joint move of each."""
    block.load(states)
    block.view()
    terminal = block.terminal().astype(np.uint8)[:, None]
    views = [block.legal(), block.goals(), terminal]
    block.move(moves)
    return [*views, block.percepts(), block.states()]
