"""Patterns: what digits of a few cells are worth together, learned by playing.

A game's cells are found in its states (:mod:`.cells`). Which belong together is read off the
circuit: those that goals ask for together (:mod:`.goal_cubes`), and those that gates bring close
(:mod:`.cell_graph`). Tables over tuples of such cells (:mod:`.tuples`) have a weight for every
combination of their digits (:mod:`.pattern_tables`), which is learned from many games at once
(:mod:`.self_play_kernels`); with time enough, digits say what cells lack, too (:mod:`.supports`).
Nothing here knows a board. Exported is what kernels of other packages call.
"""

from ggp_player.strategies.patterns.pattern_tables import (
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
)

__all__ = [
    "Indices",
    "PatternTables",
    "Scratch",
    "Weights",
    "add_up",
    "evaluate_moves",
    "find_entries",
    "find_indices",
    "find_phases",
    "follow_moves",
]
