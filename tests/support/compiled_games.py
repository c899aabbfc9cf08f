"""Our own games, compiled once for all tests."""

from __future__ import annotations

from functools import cache

import pytest

import gdl
from gdl.circuit.options import CompileOptions
from gdl.engine.machine import PropnetStateMachine
from tests.support.paths import GAMES

NAMES = sorted(path.stem for path in GAMES.glob("*.kif"))

SMALL = ["ticTacToe", "biddingTicTacToe", "connectFour", "eightPuzzle", "nim", "phantomTicTacToe"]
"""Games of one, two and more roles, with moves in turn and at once, and with percepts."""


SAMPLE = [
    *SMALL,
    *("breakthrough", "dotsAndBoxes", "goofspiel", "hex", "kalah", "kuhnPoker", "pig", "trefoil"),
]
"""Games among which there is each kind of rules, and none that takes long."""

EVERY_GAME = [
    pytest.param(name, id=name, marks=[] if name in SAMPLE else [pytest.mark.thorough])
    for name in NAMES
]
"""All our games, to parametrize by: those of the sample by default, the rest in thorough tests."""


@cache
def rules_of(name: str) -> gdl.Ruleset:
    return gdl.load(GAMES / f"{name}.kif")


@cache
def reasoner_of(name: str) -> gdl.StateMachine:
    return gdl.interpret(rules_of(name))


@cache
def machine_of(name: str, words: int = 8) -> PropnetStateMachine:
    """Return the compiled machine of a game, which the interpreter answers for."""
    return gdl.compile(rules_of(name), CompileOptions(words=words))


@cache
def machine_with_code(name: str) -> PropnetStateMachine:
    """Return the compiled machine of a game with its native code."""
    machine = gdl.compile(rules_of(name))
    machine.warm_up()
    return machine
