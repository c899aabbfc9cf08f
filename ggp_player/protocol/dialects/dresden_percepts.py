"""Dialect C': the game controller of Dresden for GDL-II, of 2010. Percepts stand for joint moves.

::

    (PLAY m1 NIL)
    (PLAY m1 ((DID RED NOOP) (DID BLUE PASS) ))

The rules of GDL-I games get :data:`DID_RULE` for its players, by which they see all moves.
"""

from __future__ import annotations

from collections.abc import Sequence

from gdl import Term
from ggp_player.protocol.dialects.dresden import Dresden
from ggp_player.protocol.dialects.syntax import Dialect
from ggp_player.protocol.messages import NIL, Play, Stop

DID_RULE = "(<= (sees ?p (did ?p2 ?m)) (role ?p) (does ?p2 ?m))"
"""What is appended to rules without percepts, for a player that is told nothing else."""


class DresdenPercepts(Dresden):
    """Dialect C'. A step without percepts is ``()``."""

    dialect = Dialect.DRESDEN_PERCEPTS
    has_percepts = True

    def _step(self, request: Play | Stop) -> str:
        seen = request.observation
        return NIL if seen is None else percept_list(seen.percepts)


def percept_list(percepts: Sequence[Term]) -> str:
    """Write percepts, with a blank after each."""
    return f"({''.join(f'{str(percept).upper()} ' for percept in percepts)})"


DRESDEN_PERCEPTS = DresdenPercepts()
