"""Dialect C: the game controller of Dresden for GDL-II, of 2013. Steps are counted.

A player is told how many steps were made, the move made for its role, which need not be the one
that it sent, and its percepts::

    (PLAY m1 0 NIL NIL)
    (PLAY m1 1 NOOP ((DID RED NOOP) (DID BLUE PASS) ))
"""

from __future__ import annotations

from ggp_player.protocol.dialects.dresden import Dresden
from ggp_player.protocol.dialects.dresden_percepts import percept_list
from ggp_player.protocol.dialects.syntax import Dialect
from ggp_player.protocol.messages import NIL, Play, Stop


class DresdenTurns(Dresden):
    """Dialect C."""

    dialect = Dialect.DRESDEN_TURNS
    has_percepts = True
    has_turns = True

    def _step(self, request: Play | Stop) -> str:
        seen, turn = request.observation, request.turn or 0
        if seen is None:
            return f"{turn} {NIL} {NIL}"
        move = NIL if seen.move is None else str(seen.move).upper()
        return f"{turn} {move} {percept_list(seen.percepts)}"


DRESDEN_TURNS = DresdenTurns()
