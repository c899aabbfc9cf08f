"""Dialect F: Stanford's managers of 2018, which players poll. Messages in infix, in an envelope.

A player asks the manager for a message again and again, and sends it the reply::

    GET  URL?recipient=NAME                      message(17,manager,play(m1,{mark(1,1),noop}))
    POST URL?sender=NAME&recipient=manager&msgid=17

The reply is the body of the POST. Where there is no message, the body is empty. What the players of
that course read is the first two arguments of the envelope and the last: the message's number, its
sender, and the message. So there may be others between them, and the envelope's name does not
matter.

Besides those of dialect E there is ``sees(m1,{...})``, a PLAY that tells the role's percepts. STOP
has the same list where players get percepts.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from gdl.language import infix_name
from ggp_player.errors import ProtocolError
from ggp_player.protocol import infix
from ggp_player.protocol.dialects.stanford_infix import InfixSyntax
from ggp_player.protocol.dialects.syntax import Dialect
from ggp_player.protocol.messages import Abort, Info, Ping, Play, Preview, Request, Start, Stop

_BEGINNING = re.compile(r"[\s\ufeff]*+[A-Za-z_]\w{0,63}\s*\(", re.ASCII)

MAX_NAME_CHARACTERS = 1000
"""The longest number or sender of a message that is read."""


@dataclass(frozen=True, slots=True)
class Envelope:
    """A message with what its reply has to say: which message it answers, and whose."""

    number: str
    sender: str
    message: str


class StanfordPolling(InfixSyntax):
    """Dialect F, without the envelope."""

    dialect = Dialect.STANFORD_POLLING
    messages = (Info, Ping, Preview, Start, Play, Stop, Abort)
    follows_rules = True

    def _can_tell(self, request: Play | Stop) -> bool:
        return True

    def _format(self, request: Request) -> str:
        text = super()._format(request)
        is_seen = isinstance(request, Play) and request.observation is not None
        return f"{infix.SEES.lower()}{text.removeprefix('play')}" if is_seen else text


STANFORD_POLLING = StanfordPolling()


def parse_envelope(text: str) -> Envelope:
    """Take a message out of its envelope. Raises :class:`ProtocolError`."""
    begin = _BEGINNING.match(text)
    if begin is None:
        raise ProtocolError(0, "expected message(number,sender,...)")
    items = list(infix.arguments(text, begin.end() - 1))
    if len(items) < 3:
        raise ProtocolError(begin.end(), "expected a number, a sender and a message")
    number, sender, message = infix.word(items[0]), infix.word(items[1]), items[-1]
    if not number or not sender or max(len(number), len(sender)) > MAX_NAME_CHARACTERS:
        raise ProtocolError(items[0].start, "expected a message's number and its sender")
    return Envelope(number, sender, message.text)


def format_envelope(envelope: Envelope) -> str:
    """Put a message in its envelope."""
    number, sender = infix_name(envelope.number), infix_name(envelope.sender)
    return f"message({number},{sender},{envelope.message})"
