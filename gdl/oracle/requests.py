"""What can be asked: requests as typed values, checked before anything is done with them."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from gdl.oracle.limits import MIB

MAX_TERM = 10_000
"""The longest text of a fact, a role or a move."""

MAX_REQUEST_FACTS = 100_000
"""The most facts of a state."""

MAX_REQUEST_STATES = 10_000
"""The most states of one request."""

MAX_REQUEST_STEPS = 10_000
"""The longest playout, and the longest list of joint moves."""

TermText: TypeAlias = Annotated[str, Field(min_length=1, max_length=MAX_TERM)]
StateText: TypeAlias = Annotated[list[TermText], Field(max_length=MAX_REQUEST_FACTS)]
JointMoveText: TypeAlias = Annotated[
    list[TermText] | dict[TermText, TermText], Field(max_length=1000)
]
"""A list in the order of the roles, or a move by role."""


class _Request(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    id: str | int | None = None


class InfoRequest(_Request):
    """Ask which versions, methods and limits there are."""

    method: Literal["info"]


class _RulesRequest(_Request):
    """A request about rules: as text, or by the name of a game that was parsed before."""

    rules: str | None = None
    game: Annotated[str, Field(max_length=64)] | None = None


class ParseRequest(_RulesRequest):
    """Read rules, and keep them as a game."""

    method: Literal["parse"]


class CheckRequest(_RulesRequest):
    """List the problems of rules."""

    method: Literal["check"]


class _StateRequest(_RulesRequest):
    """A request about a state, given by its facts or by moves from the initial state.

    With neither it is about the initial state.
    """

    machine: Literal["reasoner", "propnet"] = "reasoner"
    state: StateText | None = None
    moves: Annotated[list[JointMoveText], Field(max_length=MAX_REQUEST_STEPS)] = []


class ViewRequest(_StateRequest):
    """Ask for a state's facts, legal moves, goals, or all of them; of one state or of many."""

    method: Literal["legal", "goals", "position"]
    states: Annotated[list[StateText], Field(max_length=MAX_REQUEST_STATES)] | None = None


class NextRequest(_StateRequest):
    """Ask for the state after a joint move; or after one joint move in each of many states."""

    method: Literal["next"]
    joint_move: JointMoveText | None = None
    states: Annotated[list[StateText], Field(max_length=MAX_REQUEST_STATES)] | None = None
    joint_moves: Annotated[list[JointMoveText], Field(max_length=MAX_REQUEST_STATES)] | None = None


class PlayoutRequest(_StateRequest):
    """Ask for random playouts from a state."""

    method: Literal["playout"]
    seed: Annotated[int, Field(ge=0, lt=2**63)] = 0
    playouts: Annotated[int, Field(ge=1, le=MAX_REQUEST_STATES)] = 1
    max_steps: Annotated[int, Field(ge=0, le=MAX_REQUEST_STEPS)] = 1000
    positions: bool = False


class PerftRequest(_StateRequest):
    """Ask for the number of joint-move paths of a length from a state."""

    method: Literal["perft"]
    depth: Annotated[int, Field(ge=0, le=MAX_REQUEST_STEPS)]
    divide: bool = False


RulesRequest: TypeAlias = (
    ParseRequest | CheckRequest | ViewRequest | NextRequest | PlayoutRequest | PerftRequest
)
StateRequest: TypeAlias = ViewRequest | NextRequest | PlayoutRequest | PerftRequest
Request: TypeAlias = InfoRequest | RulesRequest

METHODS = ("info", "parse", "check", "legal", "next", "goals", "position", "playout", "perft")

_REQUEST: TypeAdapter[Request] = TypeAdapter(Annotated[Request, Field(discriminator="method")])


class RequestError(Exception):
    """A request that cannot be answered: a stable code, and a sentence."""

    def __init__(self, code: str, message: str) -> None:
        self.code = code
        super().__init__(message)


def read_request(value: object) -> Request:
    """Check what was read from JSON; raises :class:`RequestError` with the first mistake."""
    if not isinstance(value, dict):
        raise RequestError("bad_request", "expected an object with a method")
    if value.get("method") not in METHODS:
        raise RequestError("bad_request", f"expected a method among {', '.join(METHODS)}")
    try:
        return _REQUEST.validate_python(value)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        # The first part names the kind of request; parts in brackets are those of a union.
        path = [str(part) for part in first["loc"][1:] if "[" not in str(part)]
        raise RequestError("bad_request", _sentence(path, first["msg"])) from None


def _sentence(path: list[str], message: str) -> str:
    where = ".".join(part[:40] for part in path)
    return f"{where}: {message[:1].lower()}{message[1:]}"[:300]


def in_mib(size: int) -> str:
    """Write a size in bytes for a message."""
    return f"{size / MIB:g} MiB" if size >= MIB else f"{size} bytes"
