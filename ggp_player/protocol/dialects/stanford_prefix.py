"""Dialect D: the notes of Stanford's course, 2010 to 2013. As ggp-base, with PING, in lower case.

Apart, as the dialects of each kind of game manager have a file.

::

    (ping)
    (start m1 red ((role red) ...) 10 5)
    (play m1 nil)
    (play m1 ((mark 1 1) noop))
"""

from __future__ import annotations

from ggp_player.protocol.dialects.ggp_base import PrefixSyntax, kif_rules
from ggp_player.protocol.dialects.syntax import Dialect
from ggp_player.protocol.messages import Abort, Info, Ping, Play, Request, Start, Stop


class StanfordPrefix(PrefixSyntax):
    """Dialect D."""

    dialect = Dialect.STANFORD_PREFIX
    messages = (Info, Ping, Start, Play, Stop, Abort)

    def _format(self, request: Request) -> str:
        command = type(request).__name__.lower()
        match request:
            case Start(match_id, role, rules, start_clock, play_clock):
                rules = kif_rules(rules)
                # A comment would swallow the closing parenthesis if no line end came between.
                end = "\n)" if ";" in rules else ")"
                return f"({command} {match_id} {role} ({rules}{end} {start_clock} {play_clock})"
            case Play(match_id, moves, word) | Stop(match_id, moves, word):
                step = f"({' '.join(map(str, moves))})" if moves else word.lower()
                return f"({command} {match_id} {step})"
            case Abort(match_id):
                return f"({command} {match_id})"
            case _:
                return f"({command})"


STANFORD_PREFIX = StanfordPrefix()
