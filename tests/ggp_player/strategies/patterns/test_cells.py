"""Cells are squares, counters and turns, whatever the rules call them."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from gdl.engine import PropnetStateMachine
from ggp_player.strategies.patterns.cells import Cell, find_cells, find_turns
from tests.support.compiled_games import machine_of
from tests.support.small_games import sampled


def samples_of(machine: PropnetStateMachine) -> np.ndarray:
    return np.array([machine.bits(state) for state in sampled(machine, 300, Random(1))])


def cells_of(machine: PropnetStateMachine) -> list[Cell]:
    return find_cells(machine.facts, samples_of(machine), machine.relevant_fluents)


def named(machine: PropnetStateMachine, cell: Cell) -> list[str]:
    return sorted(str(machine.facts[fluent]) for fluent in cell.fluents + cell.others)


def test_squares_are_cells() -> None:
    machine = machine_of("connectFour")
    found = [named(machine, cell) for cell in cells_of(machine)]
    assert ["(disc 1 1 red)", "(disc 1 1 yellow)"] in found
    assert ["(turn red)", "(turn yellow)"] in found


@pytest.mark.parametrize("name", ["connectFour", "breakthrough", "kalah", "nineBoards", "quarto"])
def test_one_fluent_of_a_cell_holds_at_most(name: str) -> None:
    machine = machine_of(name)
    states, cells = samples_of(machine), cells_of(machine)
    for cell in cells:
        fluents = list(cell.fluents + cell.others)
        held = states[:, fluents].sum(axis=1)
        assert held.max() <= 1
        if cell.others:
            assert held.min() == 1
    members = [fluent for cell in cells for fluent in cell.fluents + cell.others]
    assert len(members) == len(set(members))
    assert all(machine.relevant_fluents[member] for member in members)


def test_the_turn_is_the_cell_that_says_who_chooses() -> None:
    machine = machine_of("breakthrough")
    states = samples_of(machine)
    widths = np.array(
        [
            [len(machine.legal_moves(machine.state(state), role)) for role in machine.roles]
            for state in states
        ],
        np.uint8,
    )
    turns = find_turns(cells_of(machine), states, widths)
    assert turns is not None
    assert named(machine, turns) == ["(turn black)", "(turn white)"]
    assert find_turns(cells_of(machine), states, widths[:, ::-1] * 0 + 2) is None
