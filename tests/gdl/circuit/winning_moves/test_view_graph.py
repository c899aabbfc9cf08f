"""The graph of a view has the values that the view writes to rows."""

from __future__ import annotations

import numpy as np
import pytest

from gdl.circuit.winning_moves.view_graph import UNDEFINED, ViewGraph, rows_in_cycles
from tests.support.compiled_games import machine_of
from tests.support.slow_blocks import Rows, evaluate, literal, random_rows


def values_of_nodes(view: ViewGraph, rows: Rows) -> Rows:
    """Evaluate a graph whose inputs stand in the rows of a block: uint64 (nodes, words)."""
    graph = view.graph
    values = np.zeros((len(graph), rows.shape[1]), dtype=np.uint64)
    values[: 1 + graph.inputs] = rows[view.row_of_nodes()[: 1 + graph.inputs]]
    for node in range(1 + graph.inputs, len(graph)):
        left, right = int(graph.left[node]), int(graph.right[node])
        values[node] = literal(values, left) & literal(values, right)
    return values


@pytest.mark.parametrize("name", ["ticTacToe", "connectFour", "breakthrough", "hex", "trefoil"])
@pytest.mark.parametrize("seed", [1, 2])
def test_literals_have_the_values_of_their_rows(name: str, seed: int) -> None:
    layout = machine_of(name).engine.layout
    goals = list(range(layout.goals, layout.percepts))
    view = ViewGraph(layout, goals)
    rows = random_rows(layout.rows, 1, seed)
    evaluate(layout.view, rows)
    values = values_of_nodes(view, rows)
    defined = np.flatnonzero(view.literal_of != UNDEFINED).tolist()
    assert set(range(layout.legal, layout.terminal + 1)) < set(defined)
    for row in defined:
        assert np.array_equal(literal(values, view.literal(row)), rows[row])


@pytest.mark.parametrize("name", ["connectFour", "hex"])
def test_nodes_stand_in_rows_that_the_view_for_moves_leaves(name: str) -> None:
    layout = machine_of(name).engine.layout
    view = ViewGraph(layout, [])
    rows = random_rows(layout.rows, 1, seed=3)
    evaluate(layout.moves_view, rows)
    row_of = view.row_of_nodes()
    values = values_of_nodes(view, rows)
    held = np.flatnonzero(row_of != UNDEFINED)
    assert len(held) > layout.fluent_count
    assert np.array_equal(values[held], rows[row_of[held]])


def test_goals_that_depend_on_cycles_are_undefined() -> None:
    layout = machine_of("hex").engine.layout
    assert rows_in_cycles(layout.view, layout.rows).any()
    view = ViewGraph(layout, [layout.goals])
    assert view.literal(layout.goals) == UNDEFINED
    assert not rows_in_cycles(machine_of("nim").engine.layout.view, layout.rows).any()


def test_conjunctions_are_trees() -> None:
    """The end of connect four asks for all lines: in a chain they would stand 69 high."""
    layout = machine_of("connectFour").engine.layout
    view = ViewGraph(layout, [])
    depths = [0] * len(view.graph)
    for node in range(1 + view.graph.inputs, len(view.graph)):
        sides = (int(side[node]) >> 1 for side in (view.graph.left, view.graph.right))
        depths[node] = 1 + max(depths[side] for side in sides)
    assert depths[view.literal(layout.terminal) >> 1] < 16
