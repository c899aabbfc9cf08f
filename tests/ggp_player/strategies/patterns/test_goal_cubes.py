"""Goal cubes are the lines that the rules ask for."""

from __future__ import annotations

from functools import cache
from random import Random

import numpy as np
import pytest

from gdl.engine import PropnetStateMachine
from ggp_player.strategies.patterns.cell_graph import join_cells
from ggp_player.strategies.patterns.cells import Cell, find_cells
from ggp_player.strategies.patterns.goal_cubes import draw_cube_tuples, find_context
from ggp_player.strategies.patterns.pattern_tables import lay_out_tables
from tests.support.compiled_games import machine_of
from tests.support.small_games import compiled, connect_four, game, sampled

HALVES = """
(role x) (role o) (init (turn x))
(<= (next (at ?c ?p)) (does ?r (put ?c ?p)))
(<= (next (at ?c ?p)) (true (at ?c ?p)))
(<= (next (turn o)) (true (turn x))) (<= (next (turn x)) (true (turn o)))
(cell a) (cell b) (cell c) (piece 1) (piece 2) (piece 3)
(<= (filled ?c) (true (at ?c ?p)))
(<= (legal ?r (put ?c ?p)) (true (turn ?r)) (cell ?c) (piece ?p) (not (filled ?c)))
(<= (legal ?r noop) (role ?r) (not (true (turn ?r))))
(small 1) (small 2)
(<= same (true (at a ?p)) (small ?p) (true (at b ?q)) (small ?q))
(<= full (filled a) (filled b) (filled c))
(<= terminal same) (<= terminal full)
(<= (goal x 100) same) (<= (goal x 0) (not same))
(<= (goal o 0) same) (<= (goal o 100) (not same))
"""

COUNTER = """
(init (step 1)) (<= (next (step ?m)) (true (step ?n)) (after ?n ?m))
(after 1 2) (after 2 3) (after 3 4) (after 4 5) (after 5 6) (after 6 7) (after 7 8) (after 8 9)
(<= terminal (true (step 8)))
"""


@cache
def cells_of(machine: PropnetStateMachine) -> list[Cell]:
    states = np.array([machine.bits(state) for state in sampled(machine, 60, Random(1))])
    cells = find_cells(machine.facts, states, machine.relevant_fluents)
    return [cell for cell in cells if "turn" not in str(machine.facts[cell.fluents[0]])]


@pytest.mark.parametrize(
    ("name", "lines", "width"),
    [("ticTacToe", 8, 3), ("connectFour", 69, 4), ("pentago", 32, 5), ("nineBoards", 72, 3)],
)
def test_lines_are_found_once_whoever_fills_them(name: str, lines: int, width: int) -> None:
    machine = machine_of(name)
    parts, tuples, _ = draw_cube_tuples(cells_of(machine), machine.engine.layout, 1000, Random(1))
    found = [members for members in tuples if len(members) == width]
    assert lines <= len(found) <= lines + 1  # what is left of there being no line is one more
    assert len(parts) == len({member for members in tuples for member in members})


def test_lines_of_a_large_board_are_alike() -> None:
    machine = compiled(connect_four(12, 8))
    _, drawn, alike = draw_cube_tuples(cells_of(machine), machine.engine.layout, 3, Random(1))
    assert [len(group) for group in alike] == [108]
    assert set(drawn) <= set(alike[0])
    machine = compiled(connect_four(7, 6))
    assert draw_cube_tuples(cells_of(machine), machine.engine.layout, 3, Random(1))[2] == []


def test_a_line_in_the_middle_is_among_those_of_tic_tac_toe() -> None:
    machine = machine_of("ticTacToe")
    cells = cells_of(machine)
    parts, tuples, _ = draw_cube_tuples(cells, machine.engine.layout, 1000, Random(1))
    every = cells + parts
    named = {
        tuple(str(machine.facts[every[member].fluents[0]]) for member in members)
        for members in tuples
    }
    assert ("(marked a2 cross)", "(marked b2 cross)", "(marked c2 cross)") in named


def test_paths_and_counts_have_no_cubes() -> None:
    machine = machine_of("hex")
    found = draw_cube_tuples(cells_of(machine), machine.engine.layout, 100, Random(1))
    assert found == ([], [], [])


def test_a_cell_of_a_cube_has_no_more_digits_than_it_tells_apart() -> None:
    machine = compiled(HALVES)
    cells = cells_of(machine)
    parts, tuples, _ = draw_cube_tuples(cells, machine.engine.layout, 100, Random(1))
    every = cells + parts
    digits = {tuple(every[member].digits for member in members): members for members in tuples}
    same = digits[(1, 1, 2), (1, 1, 2)]
    tables = lay_out_tables(every, [same], (), len(machine.facts))
    assert tables.sizes.tolist() == [9]


def test_there_are_as_many_as_are_asked_for_at_most() -> None:
    machine = machine_of("connectFour")
    _, tuples, _ = draw_cube_tuples(cells_of(machine), machine.engine.layout, 5, Random(1))
    assert len(tuples) == 5


@pytest.mark.parametrize(
    ("name", "context"),
    [("nineBoards", "(sentTo"), ("quarto", "(handed"), ("connectFour", ""), ("pentago", "")],
)
def test_each_cube_has_the_cell_that_says_what_the_next_move_is_about(
    name: str, context: str
) -> None:
    machine = machine_of(name)
    cells, layout = cells_of(machine), machine.engine.layout
    found = find_context(machine.facts, cells, layout, join_cells(layout, cells))
    told = "" if found is None else str(machine.facts[cells[found].fluents[0]])
    assert told.startswith(context)
    assert bool(told) == bool(context)
    parts, plain, _ = draw_cube_tuples(cells, layout, 100, Random(1))
    more, tuples, _ = draw_cube_tuples(cells, layout, 100, Random(1), found)
    assert parts == more
    assert tuples == [(*members, found) if context else members for members in plain]


def test_a_counter_of_steps_is_no_context() -> None:
    machine = compiled(game("ticTacToe") + COUNTER)
    cells, layout = cells_of(machine), machine.engine.layout
    assert any("step" in str(machine.facts[cell.fluents[0]]) for cell in cells)
    assert find_context(machine.facts, cells, layout, join_cells(layout, cells)) is None
