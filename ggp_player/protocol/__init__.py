"""TODO."""

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
    NIL,
    Abort,
    Info,
    InfoReply,
    Ping,
    Play,
    Preview,
    Request,
    Start,
    Stop,
    parse_info_reply,
    parse_move,
    spaced,
)

__all__ = [
    "CONNECTION_ERROR",
    "ILLEGAL",
    "NIL",
    "TIMEOUT",
    "Abort",
    "Info",
    "InfoReply",
    "Item",
    "Match",
    "MatchRecord",
    "Matches",
    "Outcome",
    "Ping",
    "Play",
    "Preview",
    "Request",
    "Start",
    "Stop",
    "items_of",
    "move_texts",
    "parse_info_reply",
    "parse_move",
    "spaced",
    "state_text",
    "tokens",
]
