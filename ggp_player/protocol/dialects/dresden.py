"""Dialect B: the game controller of Dresden for GDL-I. All is in upper case but the match id.

::

    (START m1 RED (( ROLE RED ) ...) 120 30)
    (PLAY m1 NIL)
    (PLAY m1 ((MARK 1 1) NOOP))
"""

from __future__ import annotations

from ggp_player.protocol.dialects.ggp_base import PrefixSyntax, kif_rules
from ggp_player.protocol.dialects.syntax import Dialect
from ggp_player.protocol.messages import Play, Request, Start, Stop
from ggp_player.protocol.prefix import spaced


class Dresden(PrefixSyntax):
    """Dialect B, and what the others of Dresden have in common with it."""

    dialect = Dialect.DRESDEN
    messages = (Start, Play, Stop)

    def _format(self, request: Request) -> str:
        match request:
            case Start(match_id, role, rules, start_clock, play_clock):
                clocks = f"{start_clock} {play_clock}"
                text = spaced(kif_rules(rules)).upper()
                return f"(START {match_id} {role.upper()} ({text}) {clocks})"
            case Play() | Stop():
                command = type(request).__name__.upper()
                return f"({command} {request.match_id} {self._step(request)})"
            case _:
                raise AssertionError(f"dialect {self.dialect} has no {request}")

    def _step(self, request: Play | Stop) -> str:
        if not request.moves:
            return request.word.upper()
        return f"({' '.join(str(move).upper() for move in request.moves)})"


DRESDEN = Dresden()
