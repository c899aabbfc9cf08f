"""What the server and its worker processes tell each other: orders one way, reports the other.

They travel as lines of JSON and not as pickles: a worker reads rulesheets from strangers, and
nothing that one could make it say may run in the server.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class BeginMatch:
    """Learn the rules and follow the history. With a strategy the worker is to search.

    ``history`` has the joint moves received so far, each move as text. ``compile_seconds`` is how
    long a search waits for compiled rules before it begins without them.
    """

    rules: str
    role: str
    history: Sequence[Sequence[str]] = ()
    strategy: str | None = None
    seed: str = ""
    compile_seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class ApplyMoves:
    """Apply a joint move."""

    moves: Sequence[str]


@dataclass(frozen=True, slots=True)
class BeginSearch:
    """Search the present state. ``number`` tells one search from the next, from 1.

    With ``thorough`` even a lone legal move is thought about, as preparation; strategies that
    ponder always do so.
    """

    number: int
    thorough: bool = False


MessageToWorker: TypeAlias = BeginMatch | ApplyMoves | BeginSearch


@dataclass(frozen=True, slots=True)
class MatchStatus:
    """How the match stands after ``turn`` joint moves, seen from our role."""

    turn: int
    legal_moves: Sequence[str]
    is_over: bool = False
    goals: Mapping[str, int | None] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SearchReady:
    """The search knows the rules and the history, and takes orders from now on.

    ``ponders`` says whether to search while others choose. It is said again when that changes.
    """

    ponders: bool = False


@dataclass(frozen=True, slots=True)
class SearchEnded:
    """A search is over; ``failure`` is empty, or says what went wrong in it."""

    number: int
    failure: str = ""


@dataclass(frozen=True, slots=True)
class Unplayable:
    """The rules, the role or the moves make no sense to the worker."""

    reason: str


@dataclass(frozen=True, slots=True)
class LogRecord:
    """A log record of the worker's; ``level`` as in :mod:`logging`."""

    level: int
    logger: str
    message: str


MessageToServer: TypeAlias = MatchStatus | SearchReady | SearchEnded | Unplayable | LogRecord

_KINDS = {
    kind.__name__: kind
    for kind in (
        BeginMatch,
        ApplyMoves,
        BeginSearch,
        MatchStatus,
        SearchReady,
        SearchEnded,
        Unplayable,
        LogRecord,
    )
}


def encode(message: MessageToWorker | MessageToServer) -> bytes:
    """Return the message as a line."""
    return json.dumps([type(message).__name__, asdict(message)]).encode() + b"\n"


def decode(line: bytes) -> MessageToWorker | MessageToServer:
    """Return the message that a line holds."""
    name, fields = json.loads(line)
    message: MessageToWorker | MessageToServer = _KINDS[name](**fields)
    return message
