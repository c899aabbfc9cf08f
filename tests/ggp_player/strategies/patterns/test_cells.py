"""Cells are squares, counters and turns, whatever the rules call them."""

from __future__ import annotations

from functools import cache
from random import Random

import numpy as np
import pytest

from gdl.engine import PropnetStateMachine
from ggp_player.strategies.patterns.cells import Cell, find_cells, find_turns
from tests.support.compiled_games import machine_of
from tests.support.small_games import compiled, sampled

BY_NAME = """
(role x) (role o) (init xturn) (piece 1) (piece 2) (piece 3) (piece 4) (piece 5)
(<= (legal x (take ?p)) (true xturn) (piece ?p) (not (true (taken ?p))))
(<= (legal o (take ?p)) (true oturn) (piece ?p) (not (true (taken ?p))))
(<= (legal x noop) (true oturn)) (<= (legal o noop) (true xturn))
(<= (next oturn) (true xturn)) (<= (next xturn) (true oturn))
(<= (next (taken ?p)) (does ?r (take ?p))) (<= (next (taken ?p)) (true (taken ?p)))
(<= terminal (true (taken 1)))
(<= (goal x 100) (true oturn)) (<= (goal x 0) (true xturn))
(<= (goal o 100) (true xturn)) (<= (goal o 0) (true oturn))
"""
"""Whose turn it is, is said by two propositions."""


@cache
def samples_of(machine: PropnetStateMachine) -> np.ndarray:
    return np.array([machine.bits(state) for state in sampled(machine, 60, Random(1))])


def cells_of(machine: PropnetStateMachine) -> list[Cell]:
    return find_cells(machine.facts, samples_of(machine), machine.relevant_fluents)


def named(machine: PropnetStateMachine, cell: Cell) -> list[str]:
    return sorted(str(machine.facts[fluent]) for fluent in cell.fluents + cell.others)


def test_squares_are_cells() -> None:
    machine = machine_of("connectFour")
    found = [named(machine, cell) for cell in cells_of(machine)]
    assert ["(disc 1 1 red)", "(disc 1 1 yellow)"] in found
    assert ["(turn red)", "(turn yellow)"] in found


@pytest.mark.parametrize("name", ["connectFour", "kalah", "quarto"])
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


def turns_of(machine: PropnetStateMachine, most_moves: int = 255) -> list[list[str]]:
    states = samples_of(machine)
    widths = np.array(
        [
            [len(machine.legal_moves(machine.state(state), role)) for role in machine.roles]
            for state in states
        ],
        np.uint8,
    )
    turns = find_turns(cells_of(machine), states, np.minimum(widths, most_moves))
    return [named(machine, cell) for cell in turns]


def test_the_turn_is_the_cell_that_says_who_chooses() -> None:
    machine = machine_of("breakthrough")
    assert turns_of(machine) == [["(turn black)", "(turn white)"]]
    assert turns_of(machine, most_moves=1) == []


def test_propositions_say_together_who_chooses() -> None:
    assert sorted(turns_of(compiled(BY_NAME))) == [["oturn"], ["xturn"]]


def test_nobody_says_who_chooses_where_all_choose_at_once() -> None:
    assert turns_of(machine_of("ropeTeam")) == []
