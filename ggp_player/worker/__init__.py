"""TODO."""

from ggp_player.worker.choice_buffer import FoundChoice, SharedChoice
from ggp_player.worker.messages import (
    Begin,
    Begun,
    Follow,
    Logged,
    Order,
    Report,
    Search,
    SearchEnded,
    Standing,
    Unplayable,
    decode,
    encode,
)
from ggp_player.worker.warm_up import is_warm, warm_up_searches

__all__ = [
    "Begin",
    "Begun",
    "Follow",
    "FoundChoice",
    "Logged",
    "Order",
    "Report",
    "Search",
    "SearchEnded",
    "SharedChoice",
    "Standing",
    "Unplayable",
    "decode",
    "encode",
    "is_warm",
    "warm_up_searches",
]
