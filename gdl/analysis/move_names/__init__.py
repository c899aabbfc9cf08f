"""Moves as people say them: ``e2-e4`` for ``(move 5 2 5 4)``, found from the rules and the board.

What the words of a move mean is taken from the layout (:mod:`gdl.analysis.boards`): cells of a
board are called as its labels call them, letters before numbers, otherwise the column before the
row (``3,5``). What a reader does not need is left out. That is learnt from random playouts: the
name of the move's function where its cells alone tell its moves from all others, and words that
are the same in all moves of a role. A move that names nothing on a board keeps its words,
apart where rules write them together: *point at red* for ``(pointAt red)``.

>>> import gdl
>>> from gdl.analysis.boards import find_layout
>>> machine = gdl.interpret(gdl.load("games/connectFour.kif"))
>>> names = find_move_names(machine, find_layout(machine.ruleset))
>>> names.name("(drop 4)"), names.waits("noop")
('column 4', True)
>>> print(names.parse("4", machine.legal_moves(machine.initial_state(), machine.roles[0])))
(drop 4)
"""

from gdl.analysis.move_names.finder import find_move_names, names_without_play
from gdl.analysis.move_names.names import CellNames, MoveNames, MoveTemplate, spoken

__all__ = [
    "CellNames",
    "MoveNames",
    "MoveTemplate",
    "find_move_names",
    "names_without_play",
    "spoken",
]
