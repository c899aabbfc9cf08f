"""Cells that the rules speak of together are close."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from ggp_player.strategies.patterns.cell_graph import join_cells
from ggp_player.strategies.patterns.cells import find_cells
from tests.support.compiled_games import machine_of
from tests.support.small_games import sampled


@pytest.mark.parametrize(
    ("name", "square", "neighbours"),
    [
        ("breakthrough", "(pawn black 5 4)", ["(pawn black 5 3)", "(pawn black 4 3)"]),
        ("hex", "(stone blue 3 3)", ["(stone blue 2 3)", "(stone blue 3 4)"]),
        ("connectFour", "(disc 4 2 red)", ["(disc 3 2 red)", "(disc 4 3 red)"]),
    ],
)
def test_neighbours_are_close(name: str, square: str, neighbours: list[str]) -> None:
    machine = machine_of(name)
    states = np.array([machine.bits(state) for state in sampled(machine, 60, Random(1))])
    cells = find_cells(machine.facts, states, machine.relevant_fluents)
    joined = join_cells(machine.engine.layout, cells)
    np.testing.assert_array_equal(joined, joined.T)
    assert (joined >= 0).all()

    def place(start: str) -> int:
        (found,) = {
            number
            for number, cell in enumerate(cells)
            for fluent in cell.fluents + cell.others
            if str(machine.facts[fluent]).startswith(start)
        }
        return found

    usual = np.mean(joined[place(square)])
    for neighbour in neighbours:
        assert joined[place(square), place(neighbour)] > 2 * usual
