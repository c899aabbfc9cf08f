"""The traces of the collection: seeded playouts as another evaluator played them, line by line."""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from gdl import State, StateMachine, Term, parse_term
from tests.support.paths import CORPUS

Line = dict[str, Any]
"""A line of a trace: what it says of a state."""

SUFFIX = ".trace.jsonl.gz"

MISSING = CORPUS / "missing.kif"
"""Stands for all rulesheets if there is no collection; its tests are skipped."""

SHEETS = sorted(
    path for folder in ("rulesheets", "bench") for path in (CORPUS / folder).glob("*.kif")
) or [MISSING]
"""Every rulesheet of the collection."""

GAMES = {
    name: CORPUS / folder / f"{name}.kif"
    for traces, folder in (("traces", "rulesheets"), ("conformance/traces", "conformance/ggp-base"))
    for name in sorted(path.name.removesuffix(SUFFIX) for path in (CORPUS / traces).glob("*.gz"))
} or {MISSING.stem: MISSING}
"""The rulesheets that have a trace, by name."""


def read_trace(path: Path) -> list[Any]:
    """Return the header of a trace and its lines, one for each state."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def digest(texts: Iterable[str]) -> str:
    """Return the digest by which traces stand for large sets; the texts are to be sorted."""
    return hashlib.sha256("\n".join(texts).encode("latin-1")).hexdigest()


def trace_of(rulesheet: Path) -> list[Any]:
    """Return the header and the lines of a rulesheet's trace."""
    folder = "traces" if rulesheet.parent.name == "rulesheets" else "conformance/traces"
    return read_trace(CORPUS / folder / f"{rulesheet.stem}{SUFFIX}")


def lowered(things: Iterable[object]) -> list[str]:
    """Return things as traces write them: as text in lower case, sorted."""
    return sorted(str(thing).lower() for thing in things)


def states_of(machine: StateMachine, lines: Iterable[Line]) -> Iterator[State]:
    """Yield the state of each line, as the machine finds it by the moves of the lines before."""
    state = machine.initial_state()
    for line in lines:
        if line["step"] == 0:
            state = machine.initial_state()
        yield state
        if "moves" in line:
            state = machine.next_state(state, _joint_move(line))


def _joint_move(line: Line) -> list[Term]:
    return [parse_term(move) for move in line["moves"]]


def assert_lines_agree(machine: StateMachine, lines: Sequence[Line]) -> None:
    """Compare a machine with the lines of a trace, one after the other."""
    for line, state in zip(lines, states_of(machine, lines), strict=True):
        _assert_state_agrees(state, line)
        _assert_answers_agree(machine, state, line)
        if "sees" in line:
            moves = _joint_move(line)
            for role in machine.roles:
                seen = lowered(machine.percepts(state, moves, role))
                assert seen == sorted(line["sees"][str(role).lower()]), f"percepts of {role}"


def _assert_state_agrees(state: State, line: Line) -> None:
    """Compare a state with what a line of a trace says of it."""
    facts = lowered(state)
    if line["state"] is not None:
        assert facts == line["state"]
    assert len(facts) == len(state) == line["state_n"]
    assert digest(facts) == line["state_sha256"]


def _assert_answers_agree(machine: StateMachine, state: State, line: Line) -> None:
    """Compare a machine's answers about a state with a line of a trace."""
    assert machine.is_terminal(state) == line["terminal"]
    for role in machine.roles:
        name = str(role).lower()
        goals = machine.goals(state, role)
        assert list(goals) == sorted(map(int, line["goals"][name])), f"goals of {role}"
        assert machine.goal(state, role) == (goals[0] if goals else None)
        moves, expected = lowered(machine.legal_moves(state, role)), line["legals"][name]
        assert moves == sorted(expected.get("moves", moves)), f"moves of {role}"
        assert (len(moves), digest(moves)) == (expected["n"], expected["sha256"])
