"""The protocol between game manager and player: text in, typed requests out, and back.

The first stage of a request's journey. A request's text comes in; what goes out is a value
(:mod:`.messages`) and what to do about it (:mod:`.lifecycle`). Nothing here does I/O.

Start reading in :mod:`.messages`, which has a table of them all. :mod:`.prefix` is the dialect in
which they are written, on top of :mod:`.lexer`. :mod:`.lifecycle` holds the theory of operation of
matches. :mod:`.match_record` is the JSON form in which game managers publish matches.
"""

from ggp_player.protocol.lexer import Item, items_of, tokens
from ggp_player.protocol.lifecycle import Match, Matches, Outcome
from ggp_player.protocol.match_record import (
    CONNECTION_ERROR,
    ILLEGAL,
    TIMEOUT,
    MatchRecord,
    move_texts,
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
    Ping,
    Play,
    Preview,
    Request,
    Start,
    Stop,
)
from ggp_player.protocol.prefix import (
    Beginning,
    beginning_of,
    format_info_reply,
    format_request,
    may_change_a_match,
    parse_info_reply,
    parse_move,
    parse_request,
    spaced,
)

__all__ = [
    "ABORTED",
    "BUSY",
    "CONNECTION_ERROR",
    "DONE",
    "ILLEGAL",
    "NIL",
    "READY",
    "TIMEOUT",
    "Abort",
    "Beginning",
    "Info",
    "InfoReply",
    "Item",
    "Match",
    "MatchRecord",
    "MatchRequest",
    "Matches",
    "Outcome",
    "Ping",
    "Play",
    "Preview",
    "Request",
    "Start",
    "Stop",
    "beginning_of",
    "format_info_reply",
    "format_request",
    "items_of",
    "may_change_a_match",
    "move_texts",
    "parse_info_reply",
    "parse_move",
    "parse_request",
    "spaced",
    "state_text",
    "tokens",
]
