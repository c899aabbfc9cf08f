"""Rules as games: the compiled engine answers as the reasoner does, or says why it cannot."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from random import Random

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

import gdl
from gdl import GdlError, GroundingLimitError, Ruleset, RulesetError, Severity, StateMachine
from gdl.circuit import CompileOptions
from gdl.grounding import GroundingBudget
from gdl.language.parser import decode
from tests.fuzz.pieces import PIECES
from tests.fuzz.rule_mutators import cross_rules, rule_mutator
from tests.fuzz.target import Target, TooSlowError, cpu_limit
from tests.support.generators import rulesets
from tests.support.lockstep import assert_lockstep
from tests.support.paths import GAMES

BUDGET = GroundingBudget(rules=5_000, cpu_seconds=2, seconds=10, memory=2**30)

PLAY_SECONDS = 1.0
"""CPU time in which the reasoner must have played a few steps; otherwise the input says nothing."""

STATES = 10

RANDOM_GAMES = 16

SMALL = 2500
"""Bytes of the rulesheets to begin with, without their comments."""


def check(data: bytes) -> None:
    """Play a game with the reasoner, and then in step with the compiled engine."""
    try:
        ruleset = gdl.parse(decode(data))
    except gdl.GdlSyntaxError:
        return
    refusal, reasoner = "", None
    try:
        with cpu_limit(PLAY_SECONDS):
            reasoner = gdl.interpret(ruleset)
            assert_lockstep(reasoner, reasoner, STATES, seed=1)
    except RulesetError as error:
        refusal = str(error)
    except (GdlError, TooSlowError, MemoryError):
        return
    _compare(ruleset, reasoner, refusal)


def _compare(ruleset: Ruleset, reasoner: StateMachine | None, refusal: str) -> None:
    try:
        machine = gdl.compile(ruleset, CompileOptions(BUDGET))
    except GroundingLimitError:
        return
    except RulesetError as error:
        assert refusal or not _is_sound(ruleset), f"only compiling refuses the rules: {error}"
        return
    except gdl.ResourceLimitError as error:
        assert refusal or not _is_sound(ruleset), f"only compiling is too much: {error}"
        return
    if reasoner is not None and not refusal:
        assert_lockstep(machine, reasoner, STATES, seed=1)


def _is_sound(ruleset: Ruleset) -> bool:
    """Check that rules have no errors: those with some may have no meaning in some other state."""
    return all(problem.severity is not Severity.ERROR for problem in gdl.validate(ruleset))


@cache
def seeds() -> tuple[bytes, ...]:
    """Small games."""
    games = [str(gdl.load(path)) for path in sorted(GAMES.glob("*.kif"))]
    texts = (*PIECES, *games, *_random_games())
    return tuple(text.encode() for text in texts if len(text) < SMALL)


def _random_games() -> list[str]:
    """Games with every construct of the language, drawn by Hypothesis."""
    found: list[str] = []

    @seed(0)
    @settings(
        max_examples=RANDOM_GAMES,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(st.booleans().flatmap(lambda in_cycles: rulesets(in_cycles=in_cycles)))
    def draw(ruleset: Ruleset) -> None:
        found.append(str(ruleset))

    draw()
    return found


@cache
def _mutator() -> Callable[[bytes, Random], bytes]:
    return rule_mutator(seeds())


def mutate(data: bytes, random: Random) -> bytes:
    """Change rules, or take some from other games."""
    return _mutator()(data, random)


TARGET = Target("machines", check, seeds, mutate, cross_rules, seconds=10.0, max_bytes=4000)
