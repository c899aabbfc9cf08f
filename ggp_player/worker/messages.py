"""What the server and its worker processes tell each other, one message a line of JSON.

They are not pickled: a worker parses rulesheets from strangers, and nothing that one could make it
say may run in the server. Every message has a ``kind`` that says what it is, and is checked when
it arrives. The state of a turn, and what was found out about a game, are told as the events that
they become (:class:`.StateReached`, :class:`.GameDescribed`), to which the server adds the match
and the time.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Literal, TypeAlias

from pydantic import Field, TypeAdapter
from pydantic_core import to_json

from ggp_player.events import GameDescribed, History, SearchView, StateReached, Step

FALLBACK = "auto"
"""The strategy in place of one that refuses a game, or fails in it again and again.

On interpreted rules it plays as the textbook does.
"""


@dataclass(frozen=True, slots=True)
class BeginMatch:
    """Parse the rules and apply the history. With a strategy the worker is to search.

    ``history`` has the steps received so far. ``compile_seconds`` is how
    long a search waits for compiled rules before it begins without them; with None it interprets
    the rules for the whole match.
    """

    kind: Literal["BeginMatch"] = field(default="BeginMatch", kw_only=True, repr=False)
    rules: str
    role: str
    history: History = ()
    strategy: str | None = None
    seed: str = ""
    compile_seconds: float | None = 0.0


@dataclass(frozen=True, slots=True)
class ApplyStep:
    """Apply a step: a joint move, or what our role was told of it."""

    kind: Literal["ApplyStep"] = field(default="ApplyStep", kw_only=True, repr=False)
    step: Step


@dataclass(frozen=True, slots=True)
class BeginSearch:
    """Search the present state. ``number`` distinguishes one search from the next, from 1.

    With ``thorough`` even a lone legal move is searched, as preparation; strategies that ponder
    always do so. ``until`` is when its choice is likely to be taken, on the monotonic clock, which
    is the same in all processes; None where that is not known.
    """

    kind: Literal["BeginSearch"] = field(default="BeginSearch", kw_only=True, repr=False)
    number: int
    thorough: bool = False
    until: float | None = None


@dataclass(frozen=True, slots=True)
class ReplaceHistory:
    """Go to another position of the game: that after these steps."""

    kind: Literal["ReplaceHistory"] = field(default="ReplaceHistory", kw_only=True, repr=False)
    history: History


MessageToWorker: TypeAlias = BeginMatch | ApplyStep | ReplaceHistory | BeginSearch


@dataclass(frozen=True, slots=True)
class LegalByFacts:
    """A move that is legal for our role by facts of the rules: in every state, or ``at_first``."""

    kind: Literal["LegalByFacts"] = field(default="LegalByFacts", kw_only=True, repr=False)
    move: str
    at_first: bool


@dataclass(frozen=True, slots=True)
class MatchStatus:
    """How the match stands after ``turn`` steps, seen from our role."""

    kind: Literal["MatchStatus"] = field(default="MatchStatus", kw_only=True, repr=False)
    turn: int
    legal_moves: tuple[str, ...]
    is_over: bool = False
    goals: Mapping[str, int | None] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchReport(SearchView):
    """What a search thinks while it runs; ``turn`` is that of its position."""

    kind: Literal["SearchReport"] = field(default="SearchReport", repr=False)
    number: int
    turn: int


@dataclass(frozen=True, slots=True)
class SearchReady:
    """The search knows the rules and the history, and can begin.

    ``ponders`` says whether to search while others choose. It is sent again when that changes.
    """

    kind: Literal["SearchReady"] = field(default="SearchReady", kw_only=True, repr=False)
    ponders: bool = False


@dataclass(frozen=True, slots=True)
class RulesCompiled:
    """The search goes on with compiled rules; compiling them took so many seconds."""

    kind: Literal["RulesCompiled"] = field(default="RulesCompiled", kw_only=True, repr=False)
    seconds: float


@dataclass(frozen=True, slots=True)
class SearchEnded:
    """A search is over; ``failure`` is empty, or says what went wrong in it."""

    kind: Literal["SearchEnded"] = field(default="SearchEnded", kw_only=True, repr=False)
    number: int
    failure: str = ""


@dataclass(frozen=True, slots=True)
class Unplayable:
    """The rules, the role or the moves make no sense to the worker."""

    kind: Literal["Unplayable"] = field(default="Unplayable", kw_only=True, repr=False)
    reason: str


@dataclass(frozen=True, slots=True)
class LogRecord:
    """A log record of the worker's; ``level`` as in :mod:`logging`."""

    kind: Literal["LogRecord"] = field(default="LogRecord", kw_only=True, repr=False)
    level: int
    logger: str
    message: str


MessageToServer: TypeAlias = (
    LegalByFacts
    | MatchStatus
    | StateReached
    | SearchReady
    | SearchReport
    | RulesCompiled
    | GameDescribed
    | SearchEnded
    | Unplayable
    | LogRecord
)

_TO_WORKER: TypeAdapter[MessageToWorker] = TypeAdapter(
    Annotated[MessageToWorker, Field(discriminator="kind")]
)
_TO_SERVER: TypeAdapter[MessageToServer] = TypeAdapter(
    Annotated[MessageToServer, Field(discriminator="kind")]
)


def encode(message: MessageToWorker | MessageToServer) -> bytes:
    """Encode a message as a line."""
    return to_json(message) + b"\n"


def decode_to_worker(line: bytes) -> MessageToWorker:
    """Decode a line from the server. Raises pydantic's ValidationError where it is no message."""
    return _TO_WORKER.validate_json(line)


def decode_to_server(line: bytes) -> MessageToServer:
    """Decode a line from a worker. Raises pydantic's ValidationError where it is no message."""
    return _TO_SERVER.validate_json(line)
