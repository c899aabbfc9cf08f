"""Real rulesheets, compiled, answer for every line of the collection's traces.

Each trace is gone through twice: line after line by the state machine, and all its states at once
in the lanes of blocks, evaluated by the interpreter and by native code.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

import gdl
from gdl.circuit.options import CompileOptions
from gdl.engine.block import Block
from gdl.engine.machine import PropnetStateMachine
from tests.support.collection import BUDGET, parameters
from tests.support.traces import (
    GAMES,
    Line,
    assert_lines_agree,
    digest,
    states_of,
    trace_of,
)

pytestmark = [pytest.mark.corpus, pytest.mark.timeout(300)]

MAX_GATES = 2_000
"""Native code for more gates takes too long to make in the ordinary run."""

MOST_GATES = 800_000
"""Native code for more gates takes too long to make in any run."""

Bits = NDArray[np.uint8]


@dataclass(frozen=True)
class Traced:
    """A compiled game and its trace: the roles, and a line for each state."""

    machine: PropnetStateMachine
    roles: list[str]
    lines: list[Line]


@pytest.fixture(scope="module", params=parameters(GAMES))
def traced(request: pytest.FixtureRequest) -> Traced:
    """Compile each game once, for all its tests, and then forget it."""
    rulesheet: Path = request.param
    header, *lines = trace_of(rulesheet)
    machine = gdl.compile(gdl.load(rulesheet), CompileOptions(budget=BUDGET))
    return Traced(machine, header["roles"], lines)


# ---------------------------------------------------------------------- one state at a time


def test_trace(traced: Traced) -> None:
    assert [str(role).lower() for role in traced.machine.roles] == traced.roles
    assert_lines_agree(traced.machine, traced.lines)


# ---------------------------------------------------------------------- many states at once


def test_trace_in_lanes(traced: Traced) -> None:
    assert_lanes_agree(traced)


def test_trace_in_native_code(traced: Traced) -> None:
    gates = gates_of(traced.machine)
    if gates > MAX_GATES:
        pytest.skip(f"{gates} gates are for the slow test")
    traced.machine.warm_up()
    assert_lanes_agree(traced)


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_trace_of_a_large_game_in_native_code(traced: Traced) -> None:
    gates = gates_of(traced.machine)
    if gates <= MAX_GATES:
        pytest.skip(f"{gates} gates are for the quick test")
    if gates > MOST_GATES:
        pytest.skip(f"{gates} gates are for the interpreter alone")
    traced.machine.warm_up()
    assert_lanes_agree(traced)


def gates_of(machine: PropnetStateMachine) -> int:
    layout = machine.engine.layout
    return len(layout.view.gates) + len(layout.transition.gates)


def assert_lanes_agree(traced: Traced) -> None:
    """Put the state of each line into a lane; the lane's answers are to be the line's."""
    machine = traced.machine
    states = np.stack([machine.bits(state) for state in states_of(machine, traced.lines)])
    names = MoveNames(machine)
    block = machine.block()
    for first in range(0, len(states), block.lanes):
        lines = traced.lines[first : first + block.lanes]
        block.load(states[first : first + block.lanes])
        block.view()
        assert_views_agree(machine, block, names, lines)
        block.move(names.bits(lines, block.lanes))
        assert_percepts_agree(machine, block, lines)
        after = block.states()
        for lane, line in enumerate(traced.lines[first + 1 : first + 1 + block.lanes]):
            if line["step"] > 0:
                assert np.array_equal(after[lane], states[first + lane + 1]), f"after {lane}"


class MoveNames:
    """The moves of each role by their names in the trace, and where they stand in a block."""

    def __init__(self, machine: PropnetStateMachine) -> None:
        self.own = [[str(move).lower() for move in moves] for moves in machine.moves]
        self.offsets = [0, *np.cumsum([len(moves) for moves in self.own]).tolist()]
        self._indices = [{name: i for i, name in enumerate(names)} for names in self.own]

    def bits(self, lines: list[Line], lanes: int) -> Bits:
        """Return the joint move of each line as a block takes it; none where it has no moves."""
        bits = np.zeros((lanes, self.offsets[-1]), dtype=np.uint8)
        for lane, line in enumerate(lines):
            for role, move in enumerate(line.get("moves", ())):
                bits[lane, self.offsets[role] + self._indices[role][move]] = 1
        return bits


def assert_views_agree(
    machine: PropnetStateMachine, block: Block, names: MoveNames, lines: list[Line]
) -> None:
    legal, goals, terminal = block.legal(), block.goals(), block.terminal()
    table = machine.engine.goal_table
    for lane, line in enumerate(lines):
        assert terminal[lane] == line["terminal"]
        values = table[goals[lane].nonzero()[0]].tolist()
        for role, moves in enumerate(names.own):
            name = str(machine.roles[role]).lower()
            found = sorted({value for r, value in values if r == role})
            assert found == sorted(map(int, line["goals"][name])), f"goals of {name}"
            indices = legal[lane, names.offsets[role] : names.offsets[role + 1]].nonzero()[0]
            texts, expected = sorted(moves[i] for i in indices), line["legals"][name]
            assert (len(texts), digest(texts)) == (expected["n"], expected["sha256"]), name


def assert_percepts_agree(machine: PropnetStateMachine, block: Block, lines: list[Line]) -> None:
    percepts = block.percepts()
    terms = [(role, str(term).lower()) for role, term in machine.percept_rows]
    for lane, line in enumerate(lines):
        seen = [terms[i] for i in percepts[lane].nonzero()[0]] if "sees" in line else ()
        for index, role in enumerate(machine.roles if "sees" in line else ()):
            found = sorted(text for r, text in seen if r == index)
            assert found == sorted(line["sees"][str(role).lower()]), f"percepts of {role}"
