"""The dialects of the protocol: who speaks which, and which messages each has.

=======  ===============================  =======================================================
dialect  game managers                    file
=======  ===============================  =======================================================
A        ggp-base, Kiosk, Tiltyard        :mod:`.ggp_base`
B        Dresden, GDL-I                   :mod:`.dresden`
C        Dresden, GDL-II, 2013            :mod:`.dresden`
C'       Dresden, GDL-II, 2010            :mod:`.dresden`
D        Stanford, 2010 to 2013           :mod:`.stanford_prefix`
E        Stanford, about 2014 to 2017     :mod:`.stanford_infix`
F        Stanford, 2018: players poll     :mod:`.stanford_polling`
=======  ===============================  =======================================================

=======  ====  ====  =======  =====  ==================================  ====  =====
dialect  INFO  PING  PREVIEW  START  PLAY                                STOP  ABORT
=======  ====  ====  =======  =====  ==================================  ====  =====
A        x           x        x      joint move                          x     x
B                             x      joint move                          x
C                             x      turn, move made for us, percepts    x
C'                            x      percepts                            x
D        x     x              x      joint move                          x     x
E        x     x              x      joint move                          x     x
F        x     x     x        x      joint move, or SEES with percepts   x     x
=======  ====  ====  =======  =====  ==================================  ====  =====

A player is not told which it gets. It can tell the notation by how a message begins, and the rest
by its shape: :func:`parse_request` reads a message of any dialect. A match keeps the notation of
its START.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from gdl.language import Notation
from ggp_player.protocol import infix, prefix
from ggp_player.protocol.beginning import notation_of_message
from ggp_player.protocol.dialects.dresden import DRESDEN, DRESDEN_PERCEPTS, DRESDEN_TURNS
from ggp_player.protocol.dialects.ggp_base import GGP_BASE
from ggp_player.protocol.dialects.stanford_infix import STANFORD_INFIX
from ggp_player.protocol.dialects.stanford_polling import STANFORD_POLLING
from ggp_player.protocol.dialects.stanford_prefix import STANFORD_PREFIX
from ggp_player.protocol.dialects.syntax import Dialect, Syntax
from ggp_player.protocol.messages import Request

_ALL: tuple[Syntax, ...] = (
    GGP_BASE,
    DRESDEN,
    DRESDEN_TURNS,
    DRESDEN_PERCEPTS,
    STANFORD_PREFIX,
    STANFORD_INFIX,
    STANFORD_POLLING,
)

SYNTAXES: Mapping[Dialect, Syntax] = MappingProxyType({syntax.dialect: syntax for syntax in _ALL})
"""How messages are written, for every dialect."""


def parse_request(text: str) -> Request:
    """Parse a request of any dialect, without its envelope. Raises :class:`ProtocolError`."""
    is_infix = notation_of_message(text) is Notation.INFIX
    return infix.parse_request(text) if is_infix else prefix.parse_request(text)


def format_request(request: Request) -> str:
    """Write a request as ggp-base's game manager does, blank for blank."""
    return GGP_BASE.format_request(request)


def reply_syntax(notation: Notation) -> Syntax:
    """How replies are written in a match, or to a message, of a notation."""
    return STANFORD_INFIX if notation is Notation.INFIX else GGP_BASE
