"""The protocol between game manager and player: text in, typed requests out, and back.

The first stage of a request's journey. A request's text comes in; what goes out is a value
(:mod:`.messages`) and what to do about it (:mod:`.lifecycle`). Nothing here does I/O.

Start reading in :mod:`.messages`, which has a table of them all, and :mod:`.dialects`, which has
one of who writes them how, and says what a message is about before it is read. The dialects share
two readers, :mod:`.prefix` on top of :mod:`.lexer`, and :mod:`.infix`.
:mod:`.lifecycle` holds the theory of operation of matches, seen by a player; :mod:`.seat_messages`
writes what a game manager tells each seat. :mod:`.match_record` is the JSON form in
which game managers publish matches.
"""

from ggp_player.protocol.dialects import (
    SYNTAXES,
    Beginning,
    beginning_of,
    is_meant_as_message,
    may_change_a_match,
    notation_of_message,
    parse_request,
    reply_syntax,
)
from ggp_player.protocol.dialects.stanford import Envelope, format_envelope, parse_envelope
from ggp_player.protocol.dialects.syntax import Dialect, Syntax
from ggp_player.protocol.lexer import Item, items_of, tokens
from ggp_player.protocol.lifecycle import Event, Match, Matches, Outcome
from ggp_player.protocol.match_record import (
    CONNECTION_ERROR,
    ILLEGAL,
    MAX_STATE_CHARACTERS,
    TIMEOUT,
    MatchRecord,
    StateTexts,
    move_texts,
    parse_state,
    state_text,
)
from ggp_player.protocol.messages import (
    ABORTED,
    BUSY,
    DONE,
    NIL,
    READY,
    Abort,
    Info,
    InfoReply,
    MatchRequest,
    Observation,
    Ping,
    Play,
    Preview,
    Request,
    Start,
    Stop,
)
from ggp_player.protocol.prefix import format_info_reply, parse_move, spaced
from ggp_player.protocol.seat_messages import LastStep, SeatMessages, abort_text

__all__ = [
    "ABORTED",
    "BUSY",
    "CONNECTION_ERROR",
    "DONE",
    "ILLEGAL",
    "MAX_STATE_CHARACTERS",
    "NIL",
    "READY",
    "SYNTAXES",
    "TIMEOUT",
    "Abort",
    "Beginning",
    "Dialect",
    "Envelope",
    "Event",
    "Info",
    "InfoReply",
    "Item",
    "LastStep",
    "Match",
    "MatchRecord",
    "MatchRequest",
    "Matches",
    "Observation",
    "Outcome",
    "Ping",
    "Play",
    "Preview",
    "Request",
    "SeatMessages",
    "Start",
    "StateTexts",
    "Stop",
    "Syntax",
    "abort_text",
    "beginning_of",
    "format_envelope",
    "format_info_reply",
    "is_meant_as_message",
    "items_of",
    "may_change_a_match",
    "move_texts",
    "notation_of_message",
    "parse_envelope",
    "parse_move",
    "parse_request",
    "parse_state",
    "reply_syntax",
    "spaced",
    "state_text",
    "tokens",
]
