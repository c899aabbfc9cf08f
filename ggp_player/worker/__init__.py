"""Worker processes: everything that touches a rulesheet, away from the server.

A match has two workers. Both are forked from one fork server, or started directly while there is
none. They run :func:`.process.main`, and take messages from the server as lines of JSON
(:mod:`.messages`):

==============  =================================================================================
process         what it runs
==============  =================================================================================
server          HTTP, protocol, match sessions, move service; it parses messages, never rules
fork server     the imports, and nothing else; every worker is forked from it
match tracker   :mod:`.match_tracker` in :class:`.process.TrackerWorker`: which moves are legal
                (by its :mod:`~ggp_player.belief` where we are told only what our role may know)
search          a strategy in :class:`.search_worker.SearchWorker`; it publishes its best choice in
                the :mod:`.choice_buffer`, memory that it shares with the server
warm-up         :mod:`.warm_up`: compiles kernels once for a machine, started by the server
==============  =================================================================================

Who kills whom: the server kills a worker when its match is over, when a search does not stop, or
when a worker sends what is no message (:mod:`ggp_player.move_service`). A worker ends itself when
it reaches its memory limit, or when the server is dead. Nobody waits for a worker: a reply is made
of what the shared memory and the last messages hold.

Messages and moves come in; statuses, log records and choices go out. Start reading in
:mod:`.process`; only :mod:`.search_worker` imports the searches.
"""

from typing import TYPE_CHECKING

from gdl.system import imported_later
from ggp_player.worker.choice_buffer import ChoiceBuffer, FoundChoice
from ggp_player.worker.messages import (
    AlwaysLegal,
    ApplyMoves,
    ApplyObservation,
    BeginMatch,
    BeginSearch,
    GameDescription,
    LogRecord,
    MatchStatus,
    MessageToServer,
    MessageToWorker,
    ReplaceHistory,
    RulesCompiled,
    SearchEnded,
    SearchReady,
    SearchReport,
    StateReport,
    Unplayable,
    decode_to_server,
    encode,
)

if TYPE_CHECKING:
    from ggp_player.worker.interruptible import (
        InterruptibleMachine,
        SearchInterrupted,
        interruptible_for,
    )
    from ggp_player.worker.warm_up import is_warm, warm_up_searches

__all__ = [
    "AlwaysLegal",
    "ApplyMoves",
    "ApplyObservation",
    "BeginMatch",
    "BeginSearch",
    "ChoiceBuffer",
    "FoundChoice",
    "GameDescription",
    "InterruptibleMachine",
    "LogRecord",
    "MatchStatus",
    "MessageToServer",
    "MessageToWorker",
    "ReplaceHistory",
    "RulesCompiled",
    "SearchEnded",
    "SearchInterrupted",
    "SearchReady",
    "SearchReport",
    "StateReport",
    "Unplayable",
    "decode_to_server",
    "encode",
    "interruptible_for",
    "is_warm",
    "warm_up_searches",
]

_PLACES = {
    "InterruptibleMachine": "ggp_player.worker.interruptible",
    "SearchInterrupted": "ggp_player.worker.interruptible",
    "interruptible_for": "ggp_player.worker.interruptible",
    "is_warm": "ggp_player.worker.warm_up",
    "warm_up_searches": "ggp_player.worker.warm_up",
}

__getattr__ = imported_later(__name__, _PLACES)
