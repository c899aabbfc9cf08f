"""Dialects B, C and C': the game controllers of Dresden. All is in upper case but the match id.

B, for GDL-I::

    (START m1 RED (( ROLE RED ) ...) 120 30)
    (PLAY m1 NIL)
    (PLAY m1 ((MARK 1 1) NOOP))

C, for GDL-II, of 2013, in which steps are counted. A player is told how many steps were made, the
move made for its role, which need not be the one that it sent, and its percepts::

    (PLAY m1 0 NIL NIL)
    (PLAY m1 1 NOOP ((DID RED NOOP) (DID BLUE PASS) ))

C', for GDL-II, of 2010, in which percepts stand for joint moves. The rules of GDL-I games get
:data:`DID_RULE` for its players, by which they see all moves::

    (PLAY m1 NIL)
    (PLAY m1 ((DID RED NOOP) (DID BLUE PASS) ))
"""

from __future__ import annotations

from collections.abc import Sequence

from gdl import Term
from ggp_player.protocol.dialects.ggp_base import PrefixSyntax, kif_rules
from ggp_player.protocol.dialects.syntax import Dialect
from ggp_player.protocol.messages import NIL, Play, Request, Start, Stop
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
