"""Boards: what a person would draw of a game, found from its rules alone.

In comes a ruleset, out goes a :class:`BoardLayout`: boards with places and the facts that lie on
them, counters, whose turn it is, scores; all other facts belong in a table. Start in ``finder``,
which looks for the surest things first: ``grids`` (two ordered coordinates), ``places`` (squares
with one name), then stacks and rows of boxes. ``moves`` relates moves to places. A file
beside the rulesheet, read by ``layout_file``, refines what was found.

>>> import gdl
>>> layout = find_layout(gdl.load("games/ticTacToe.kif"))
>>> [(board.title, len(board.places), board.found_by) for board in layout.boards]
[('marked', 9, 'places in (marked …) by squares named as in chess')]
>>> cells_of_move(layout, gdl.parse_term("(put b2)"))
(BoardCell(board=0, key=('b2',)),)
"""

from gdl.analysis.boards.axes import natural_key
from gdl.analysis.boards.finder import find_layout
from gdl.analysis.boards.layout import (
    Board,
    BoardLayout,
    FactPattern,
    Label,
    MovePattern,
    Panel,
    Part,
    Place,
    Shape,
    Style,
    function_of,
    words_of,
)
from gdl.analysis.boards.moves import BoardCell, Outcome, cells_of_move, state_after
from gdl.analysis.boards.refinement import ARGUMENT, LayoutRefinement, LayoutRefinementError

__all__ = [
    "ARGUMENT",
    "Board",
    "BoardCell",
    "BoardLayout",
    "FactPattern",
    "Label",
    "LayoutRefinement",
    "LayoutRefinementError",
    "MovePattern",
    "Outcome",
    "Panel",
    "Part",
    "Place",
    "Shape",
    "Style",
    "cells_of_move",
    "find_layout",
    "function_of",
    "natural_key",
    "state_after",
    "words_of",
]
