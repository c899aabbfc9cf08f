"""Our rulesheets have no problems, end in every playout, and have the recorded perft counts."""

from __future__ import annotations

import random
import re
import tomllib
from collections.abc import Iterator
from dataclasses import replace
from itertools import takewhile
from typing import Any

import pytest

import gdl
from tests.support.compiled_games import EVERY_GAME, NAMES, SAMPLE, reasoner_of
from tests.support.paths import GAMES, ROOT

PERFT: dict[str, dict[str, Any]] = tomllib.loads(
    (ROOT / "tests" / "perft" / "perft.toml").read_text(encoding="utf-8")
)

FEW_PATHS, SOME_PATHS = 500, 5_000
"""Counts up to here are made in the ordinary run: of all our games, and of those of the sample."""

MAX_STEPS = 1000
"""Random playouts of our games are shorter."""


def text_of(name: str) -> str:
    return (GAMES / f"{name}.kif").read_text(encoding="utf-8")


def counts(quick: bool) -> list[Any]:
    """One case per depth: those up to ``quick`` in the record, or those beyond."""
    return [
        pytest.param(name, depth, count, id=f"{name}-{depth}", marks=marks)
        for name, record in PERFT.items()
        for depth, count in enumerate(record["counts"], 1)
        if (depth <= record["quick"]) is quick
        for marks in [
            [] if count <= (SOME_PATHS if name in SAMPLE else FEW_PATHS) else [pytest.mark.thorough]
        ]
    ]


def test_every_game_has_its_perft_record_and_its_line_in_the_readme() -> None:
    assert sorted(PERFT) == NAMES
    readme = (GAMES / "README.md").read_text(encoding="utf-8")
    assert [name for name in NAMES if f"`{name}`" not in readme] == []


@pytest.mark.parametrize("name", NAMES)
def test_rulesheet_reads_without_problems(name: str) -> None:
    assert gdl.load(GAMES / f"{name}.kif").warnings == ()


@pytest.mark.parametrize("name", NAMES)
def test_rulesheet_opens_with_rules_in_words(name: str) -> None:
    opening = list(takewhile(lambda line: line.startswith(";"), text_of(name).splitlines()))
    for part in ("; Roles:  ", "; Length: ", "; Model:  "):
        assert [line for line in opening if line.startswith(part)]


def declared(name: str) -> tuple[set[gdl.Term], set[tuple[gdl.Term, gdl.Term]]]:
    """Return the facts and the (role, move) pairs that ``base`` and ``input`` declare."""
    ruleset = gdl.load(GAMES / f"{name}.kif")
    rules = []
    for rule in ruleset.rules:
        if rule.head.name == "base":
            rules.append(replace(rule, head=gdl.Atom("init", rule.head.args)))
        elif rule.head.name == "input":
            pair = gdl.Function("declared-input", rule.head.args)
            rules.append(replace(rule, head=gdl.Atom("init", (pair,))))
        elif rule.head.name != "init":
            rules.append(rule)
    start = gdl.interpret(replace(ruleset, rules=tuple(rules))).initial_state()
    pairs = {fact for fact in start if str(fact).startswith("(declared-input ")}
    return set(start) - pairs, {
        (p.args[0], p.args[1]) for p in pairs if isinstance(p, gdl.Function)
    }


def playouts(name: str, seeds: int) -> Iterator[tuple[gdl.StateMachine, gdl.State]]:
    """Yield every state of some random playouts, the initial and the terminal ones included."""
    machine = reasoner_of(name)
    for seed in range(seeds):
        chance = random.Random(seed)
        state = machine.initial_state()
        yield machine, state
        while not machine.is_terminal(state):
            moves = [machine.legal_moves(state, role) for role in machine.roles]
            state = machine.next_state(state, [chance.choice(options) for options in moves])
            yield machine, state


@pytest.mark.parametrize("name", EVERY_GAME)
def test_playouts_keep_what_a_rulesheet_promises(name: str) -> None:
    """Every playout ends; moves and exactly one goal per role in every state; base and input."""
    facts, inputs = declared(name)
    bound = MAX_STEPS * 2
    for machine, state in playouts(name, seeds=2):
        bound -= 1
        assert bound > 0
        assert facts >= set(state)
        for role in machine.roles:
            (goal,) = machine.goals(state, role)
            assert 0 <= goal <= 100
            moves = machine.legal_moves(state, role)
            assert moves or machine.is_terminal(state)
            if not machine.is_terminal(state):
                assert inputs >= {(role, move) for move in moves}


CONSTANT_SUM = [
    name
    for name in NAMES
    if re.search("^; Roles:.*, constant sum 100", text_of(name), re.MULTILINE)
]


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[] if name in SAMPLE else [pytest.mark.thorough])
        for name in CONSTANT_SUM
    ],
)
def test_goals_of_a_constant_sum_game_add_up_to_100(name: str) -> None:
    *_, (machine, end) = playouts(name, seeds=1)
    goals = [machine.goal(end, role) for role in machine.roles if str(role) != "random"]
    assert sum(goal or 0 for goal in goals) == 100


@pytest.mark.parametrize(("name", "depth", "count"), counts(quick=True))
def test_perft(name: str, depth: int, count: int) -> None:
    assert gdl.perft(reasoner_of(name), depth) == count


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize(("name", "depth", "count"), counts(quick=False))
def test_perft_in_depth(name: str, depth: int, count: int) -> None:
    assert gdl.perft(reasoner_of(name), depth) == count
