"""Circuits are cut into tiles, and ordered for batches, without a change of what they say."""

from __future__ import annotations

import numpy as np
import pytest

from gdl.circuit import GateProgram
from gdl.engine.device_kernels.tiles import cut_into_tiles, in_batches, whole_circuit
from tests.support.compiled_games import machine_of
from tests.support.slow_blocks import evaluate

GAMES = ["connectFour", "hex", "dotsAndBoxes"]  # hex has feedback


def values_of(programs, rows: np.ndarray) -> np.ndarray:
    """Evaluate programs one after the other: bool (rows, states)."""
    rows = rows.copy()
    for program in programs:
        evaluate(program, rows)
    return rows


def states_of(layout, rows: int) -> np.ndarray:
    """Random states and moves of them, whether the game has such or not: bool (rows, 50)."""
    found = np.zeros((rows, 50), dtype=bool)
    inputs = layout.fluent_count + sum(layout.move_counts)
    found[1 : 1 + inputs] = np.random.default_rng(0).random((inputs, 50)) < 0.3
    return found


@pytest.mark.parametrize("most", [7, 60, 10_000])
@pytest.mark.parametrize("game", GAMES)
def test_tiles_compute_what_the_circuit_does(game: str, most: int) -> None:
    layout = machine_of(game).engine.layout
    circuit = cut_into_tiles(layout, most)
    whole = values_of([layout.view, layout.transition], states_of(layout, layout.rows))
    tiles = [*circuit.moves_view, *circuit.goals_view, *circuit.transition]
    rows = states_of(circuit.layout, len(circuit.row_of))
    for tile in tiles:
        rows = values_of([tile], rows)
        rows[circuit.layout.rows :] = True  # what has no place in memory is nowhere afterwards
    outputs = np.array(layout.outputs)
    assert np.array_equal(rows[circuit.place(outputs)], whole[outputs])
    assert circuit.layout.rows < layout.rows or most == 7
    assert circuit.moves_in_place == (len(circuit.transition) == 1)


@pytest.mark.parametrize("size", [1, 8])
@pytest.mark.parametrize("game", GAMES)
def test_no_gate_of_a_batch_needs_another(game: str, size: int) -> None:
    layout = machine_of(game).engine.layout
    programs = [in_batches(program, size) for program in (layout.view, layout.transition)]
    rows = states_of(layout, layout.rows)
    expected = values_of([layout.view, layout.transition], rows)
    assert np.array_equal(values_of(programs, rows), expected)
    for program in programs:
        for first, last, first_loop, last_loop in program.segments.tolist():
            if first_loop == last_loop:
                assert (last - first) % size == 0
                assert_independent(program, range(first, last, size), size)


def assert_independent(program: GateProgram, begins: range, size: int) -> None:
    for begin in begins:
        batch = program.gates[begin : begin + size]
        made = set(batch[:, 0].tolist()) - {0}
        assert not made & set((batch[:, 1:] >> 1).ravel().tolist())


def test_rows_behind_a_circuit_stay_behind_it() -> None:
    layout = machine_of("ticTacToe").engine.layout
    for circuit in (cut_into_tiles(layout), whole_circuit(layout)):
        behind = np.array([layout.rows, layout.rows + 3])
        assert (circuit.place(behind) - circuit.layout.rows).tolist() == [0, 3]
