"""Stored positions are proved, and proofs agree with what is stored."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

import gdl
from gdl.engine import PropnetStateMachine
from ggp_player.errors import LabError
from ggp_player.lab.positions.solved_positions import (
    PositionSet,
    SolvedPosition,
    rules_digest,
    save_set,
)
from ggp_player.lab.positions.turns import replayed
from ggp_player.lab.profile.solving import solve_positions, stored_positions
from tests.support.clocks import FakeCpuClock
from tests.support.textbook_solver import textbook_values

RULES = gdl.load("ticTacToe")
LINES = [["(put a1)"], ["(put b2)", "(put a1)"], ["(put a2)"]]


@pytest.fixture(scope="module")
def machine() -> PropnetStateMachine:
    return gdl.compile(RULES)


@pytest.fixture(scope="module")
def positions(machine: PropnetStateMachine) -> Sequence[SolvedPosition]:
    lines = [tuple(map(gdl.parse_term, texts)) for texts in LINES]
    return [
        SolvedPosition(line, textbook_values(machine, replayed(machine, line))) for line in lines
    ]


def test_positions_are_proved(
    machine: PropnetStateMachine, positions: Sequence[SolvedPosition]
) -> None:
    found = solve_positions(machine, positions, 1_000_000, FakeCpuClock(step=2))
    assert (found.positions, found.solved, found.seconds) == (3, 3, 6)
    assert found.nodes == solve_positions(machine, positions, 1_000_000).nodes > 100


def test_a_position_is_given_up_after_its_nodes(
    machine: PropnetStateMachine, positions: Sequence[SolvedPosition]
) -> None:
    found = solve_positions(machine, positions, 10)
    assert (found.solved, found.limit) == (0, 10)
    assert found.nodes >= 30


def test_a_proof_that_contradicts_what_is_stored_is_an_error(
    machine: PropnetStateMachine, positions: Sequence[SolvedPosition]
) -> None:
    wrong = SolvedPosition(positions[0].line, dict.fromkeys(positions[0].values, 0))
    with pytest.raises(LabError, match=r"stored position 2 is worth 0, .* has proved 50"):
        solve_positions(machine, [positions[1], wrong], 1_000_000)


def test_a_set_is_that_of_the_game_and_its_rules(
    tmp_path: Path, positions: Sequence[SolvedPosition]
) -> None:
    path = tmp_path / "ticTacToe.positions.xz"
    save_set(PositionSet("ticTacToe", rules_digest(RULES), positions), path)
    assert len(stored_positions("ticTacToe", RULES, 2, tmp_path)) == 2
    assert not stored_positions("ticTacToe", RULES, 0, tmp_path)
    assert not stored_positions("nim", RULES, 2, tmp_path)
    assert not stored_positions("ticTacToe", gdl.load("nim"), 2, tmp_path)
