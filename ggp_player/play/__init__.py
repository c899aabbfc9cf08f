"""Matches that people play: the match itself, and the terminal and the page that ask for moves.

A :class:`Table` is a match with people at it: its steps, what is legal, and what they have chosen.
It knows nothing of how people are asked. There are two kinds. A :class:`PlaySession` runs a match
of its own, in which :mod:`.engine` chooses for the roles without a person, and moves can be taken
back. A :class:`HumanPlayer` takes a seat in a match of the game manager's and follows that.

:mod:`.terminal` and :mod:`.page` show a table and ask; either works with both kinds.
"""

from ggp_player.play.human import HumanPlayer, HumanSeat, human_seat, open_human
from ggp_player.play.page import PlayPage, serve_table
from ggp_player.play.session import HUMAN, Opponent, PlaySession, PlaySetup
from ggp_player.play.table import Table
from ggp_player.play.terminal import Lines, Terminal, TerminalSession

__all__ = [
    "HUMAN",
    "HumanPlayer",
    "HumanSeat",
    "Lines",
    "Opponent",
    "PlayPage",
    "PlaySession",
    "PlaySetup",
    "Table",
    "Terminal",
    "TerminalSession",
    "human_seat",
    "open_human",
    "serve_table",
]
