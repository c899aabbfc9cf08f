"""Patterns: what digits of a few cells are worth together, learned by playing.

A game's cells are found in its states (:mod:`.cells`). Which belong together is read off the
circuit: those that goals ask for together (:mod:`.goal_cubes`), and those that gates bring close
(:mod:`.cell_graph`). Tables over tuples of such cells (:mod:`.tuples`) have a weight for every
combination of their digits (:mod:`.pattern_tables`), which is learned from many games at once
(:mod:`.self_play_kernels`). Nothing here knows a board.
"""

from ggp_player.strategies.patterns.cell_graph import join_cells
from ggp_player.strategies.patterns.cells import Cell, find_cells, find_turns
from ggp_player.strategies.patterns.goal_cubes import draw_cube_tuples
from ggp_player.strategies.patterns.pattern_tables import (
    NO_TABLES,
    Children,
    Indices,
    PatternTables,
    Scratch,
    Weights,
    add_up,
    evaluate_moves,
    find_entries,
    find_indices,
    find_phases,
    follow_moves,
    lay_out_tables,
    new_children,
    new_scratch,
)
from ggp_player.strategies.patterns.tuples import draw_tuples

__all__ = [
    "NO_TABLES",
    "Cell",
    "Children",
    "Indices",
    "PatternTables",
    "Scratch",
    "Weights",
    "add_up",
    "draw_cube_tuples",
    "draw_tuples",
    "evaluate_moves",
    "find_cells",
    "find_entries",
    "find_indices",
    "find_phases",
    "find_turns",
    "follow_moves",
    "join_cells",
    "lay_out_tables",
    "new_children",
    "new_scratch",
]
