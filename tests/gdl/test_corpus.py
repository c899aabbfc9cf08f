"""Real rulesheets are read, printed and played as the traces of the collection say, line by line.

A trace has one seeded playout or more; the evaluator that wrote it puts names in lower case.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

import gdl
from gdl import State, StateMachine
from tests.support.paths import CORPUS
from tests.support.traces import SUFFIX, digest, read_trace

pytestmark = pytest.mark.corpus

MISSING = CORPUS / "missing.kif"
"""Stands for all rulesheets where there is no collection; its tests are skipped."""

SHEETS = sorted(
    path for folder in ("rulesheets", "bench") for path in (CORPUS / folder).glob("*.kif")
) or [MISSING]
GAMES = {
    name: CORPUS / folder / f"{name}.kif"
    for traces, folder in (("traces", "rulesheets"), ("conformance/traces", "conformance/ggp-base"))
    for name in sorted(path.name.removesuffix(SUFFIX) for path in (CORPUS / traces).glob("*.gz"))
} or {MISSING.stem: MISSING}


def trace_of(rulesheet: Path) -> list[dict[str, Any]]:
    folder = "traces" if rulesheet.parent.name == "rulesheets" else "conformance/traces"
    return read_trace(CORPUS / folder / f"{rulesheet.stem}{SUFFIX}")


def lowered(things: Iterable[object]) -> list[str]:
    return sorted(str(thing).lower() for thing in things)


@pytest.mark.timeout(300)
@pytest.mark.parametrize("rulesheet", GAMES.values(), ids=GAMES)
def test_trace(rulesheet: Path) -> None:
    header, *lines = trace_of(rulesheet)
    assert header["game"] == rulesheet.stem
    machine = gdl.interpret(gdl.load(rulesheet))
    assert [str(role).lower() for role in machine.roles] == header["roles"]
    state = machine.initial_state()
    for line in lines:
        if line["step"] == 0:
            state = machine.initial_state()
        assert_state_agrees(state, line)
        assert_answers_agree(machine, state, line)
        if "moves" in line:
            moves = [gdl.parse_term(move) for move in line["moves"]]
            for role in machine.roles if "sees" in line else ():
                seen = lowered(machine.percepts(state, moves, role))
                assert seen == sorted(line["sees"][str(role).lower()]), f"percepts of {role}"
            state = machine.next_state(state, moves)


def assert_state_agrees(state: State, line: dict[str, Any]) -> None:
    facts = lowered(state)
    if line["state"] is not None:
        assert facts == line["state"]
    assert len(facts) == len(state) == line["state_n"]
    assert digest(facts) == line["state_sha256"]


def assert_answers_agree(machine: StateMachine, state: State, line: dict[str, Any]) -> None:
    assert machine.is_terminal(state) == line["terminal"]
    for role in machine.roles:
        name = str(role).lower()
        goals = machine.goals(state, role)
        assert list(goals) == sorted(map(int, line["goals"][name])), f"goals of {role}"
        assert machine.goal(state, role) == (goals[0] if goals else None)
        moves, expected = lowered(machine.legal_moves(state, role)), line["legals"][name]
        assert moves == sorted(expected.get("moves", moves)), f"moves of {role}"
        assert (len(moves), digest(moves)) == (expected["n"], expected["sha256"])


@pytest.mark.timeout(300)
@pytest.mark.parametrize("rulesheet", SHEETS, ids=[path.stem for path in SHEETS])
def test_rulesheet_reads_and_prints(rulesheet: Path) -> None:
    rules = gdl.load(rulesheet)
    assert rules.rules
    assert rules.roles
    again = gdl.parse(str(rules))
    assert again == rules
    assert str(again) == str(rules)
    assert rules.spellings.keys() >= again.spellings.keys()
