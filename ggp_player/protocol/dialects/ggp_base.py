"""Dialect A: ggp-base, its Kiosk, and Tiltyard. Blank for blank what its game manager writes.

>>> print(GGP_BASE.format_request(prefix.parse_request("(play m1 ((mark 1 1) noop))")))
( PLAY m1 (( mark 1 1 ) noop ) )
"""

from __future__ import annotations

from collections.abc import Sequence

from gdl import GdlError, Term
from gdl.language import Notation, convert_text, notation_of
from ggp_player.protocol import prefix
from ggp_player.protocol.dialects.syntax import Dialect, Syntax
from ggp_player.protocol.messages import (
    Abort,
    Info,
    Ping,
    Play,
    Preview,
    Request,
    Start,
    Stop,
)
from ggp_player.protocol.prefix import spaced


class PrefixSyntax(Syntax):
    """What all dialects in KIF have in common; they are written as ggp-base writes them."""

    parse_info_reply = staticmethod(prefix.parse_info_reply)
    format_info_reply = staticmethod(prefix.format_info_reply)
    parse_move = staticmethod(prefix.parse_move)

    def format_move(self, move: Term) -> str:
        """Write a move in KIF."""
        return str(move)

    def _format(self, request: Request) -> str:
        command = type(request).__name__.upper()
        match request:
            case Preview(rules, clock):
                return f"( {command} {_rules_list(rules)} {clock} )"
            case Start(match_id, role, rules, start_clock, play_clock):
                clocks = f"{start_clock} {play_clock}"
                return f"( {command} {match_id} {role} {_rules_list(rules)} {clocks})"
            case Play(match_id, moves, word) | Stop(match_id, moves, word):
                return f"( {command} {match_id} {_moves_list(moves, word)} )"
            case Abort(match_id):
                return f"( {command} {match_id} )"
            case Info() | Ping():
                return f"( {command} )"


class GgpBase(PrefixSyntax):
    """Dialect A."""

    dialect = Dialect.GGP_BASE
    messages = (Info, Preview, Start, Play, Stop, Abort)


GGP_BASE = GgpBase()


def kif_rules(rules: str) -> str:
    """Write rules in KIF; what cannot be read stays as it is."""
    if notation_of(rules) is Notation.KIF:
        return rules
    try:
        return convert_text(rules, Notation.KIF).strip()
    except GdlError:
        return rules


def _rules_list(rules: str) -> str:
    rules = kif_rules(rules)
    # A comment would swallow the closing parenthesis if no line end came between them.
    return f"({rules}\n)" if ";" in rules else f"({rules} )"


def _moves_list(moves: Sequence[Term], word: str) -> str:
    return f"({''.join(f'{spaced(str(move))} ' for move in moves)})" if moves else word
