"""TODO."""

from ggp_player.worker.choice_buffer import ChoiceBuffer, FoundChoice
from ggp_player.worker.interruptible import InterruptibleMachine, SearchInterrupted
from ggp_player.worker.messages import (
    ApplyMoves,
    BeginMatch,
    BeginSearch,
    LogRecord,
    MatchStatus,
    MessageToServer,
    MessageToWorker,
    SearchEnded,
    SearchReady,
    Unplayable,
    decode,
    encode,
)
from ggp_player.worker.warm_up import is_warm, warm_up_searches

__all__ = [
    "ApplyMoves",
    "BeginMatch",
    "BeginSearch",
    "ChoiceBuffer",
    "FoundChoice",
    "InterruptibleMachine",
    "LogRecord",
    "MatchStatus",
    "MessageToServer",
    "MessageToWorker",
    "SearchEnded",
    "SearchInterrupted",
    "SearchReady",
    "Unplayable",
    "decode",
    "encode",
    "is_warm",
    "warm_up_searches",
]
