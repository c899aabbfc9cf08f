"""The JSON of the API: what is sent and what is answered. Times are milliseconds since 1970."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints

from ggp_player.manager_service.scheduling.event_formats import Format
from ggp_player.manager_service.storage.tokens import Role

Name = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_-]{1,80}$")]

Seed = Annotated[
    str,
    BeforeValidator(
        lambda found: str(found) if type(found) is int else found,
        json_schema_input_type=int | str,
    ),
    StringConstraints(pattern=r"^[!-~]{1,200}$"),
]

MAX_CLOCK = 86_400
"""Seconds: a day."""

MAX_RULES = 8 * 2**20
"""The longest rulesheet, in characters."""


class _Sent(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class _Answered(BaseModel):
    model_config = ConfigDict(frozen=True)


class PlayerToPut(_Sent):
    """A player that is added, or that registers itself or renews that."""

    address: str = Field(
        default="",
        max_length=500,
        description="host:port, with a path or not; human, for somebody who plays on the page "
        "/people/NAME/; or a strategy, such as random, which is run by the manager. Where it is "
        "empty, the host is that of the request, and the port `port`",
    )
    port: int | None = Field(default=None, ge=1, le=65535)
    path: str = Field(default="/", pattern=r"^/[^\s?#]{0,300}$")
    dialects: tuple[Annotated[str, StringConstraints(pattern=r"^[A-F]'?$")], ...] = Field(
        default=(), max_length=10, description="the dialects of the protocol that it speaks"
    )
    versions: dict[Name, Annotated[str, StringConstraints(max_length=80)]] = Field(
        default_factory=dict, max_length=20, description="versions of its programs, for display"
    )
    lifetime: int | None = Field(
        default=None,
        ge=5,
        le=MAX_CLOCK,
        description="seconds until the registration expires unless it is renewed; without it the "
        "player stays, for which the role organiser is needed",
    )


class PlayerShown(_Answered):
    """A player and how it is."""

    name: str
    address: str = Field(description="without a path, which may be a secret")
    dialects: tuple[str, ...]
    versions: dict[str, str]
    status: str = Field(description="available, busy, unreachable, unknown, or what it says itself")
    problem: str = Field(description="why it cannot be reached")
    match: str = Field(description="the match that it is in here")
    expires: int | None


class NameShown(_Answered):
    """A player's name, and the token that it belongs to."""

    name: str
    owner: str
    since: int


class PersonToSeat(_Sent):
    """Somebody who wants to play on a page of the manager's."""

    name: Name


class SeatTaken(_Answered):
    """Where the page of a person is."""

    page: str


class GameToPut(_Sent):
    """A rulesheet."""

    rules: str = Field(min_length=1, max_length=MAX_RULES, description="GDL, prefix syntax")


class GameShown(_Answered):
    """A game; `roles` are those that players take."""

    name: str
    digest: str
    roles: tuple[str, ...]
    rules: str | None = None


class EventToPost(_Sent):
    """An event."""

    name: str = Field(min_length=1, max_length=200)
    format: Format
    games: tuple[str, ...] = Field(
        min_length=1,
        max_length=100,
        description="names of games that were put, or of the manager's own, such as ticTacToe",
    )
    players: tuple[Name, ...] = Field(
        default=(),
        max_length=1000,
        description="registered players, the strongest first where that is known; a ladder without "
        "any is for all who are registered when a round begins",
    )
    rounds: int | None = Field(
        default=None,
        ge=0,
        le=10_000,
        description="0: a ladder without an end; of a sequential test the most pairs of each game, "
        "1000 unless given; otherwise 1 unless given",
    )
    start_clock: int = Field(default=30, ge=1, le=MAX_CLOCK, description="seconds")
    play_clock: int = Field(default=15, ge=1, le=MAX_CLOCK, description="seconds")
    seed: Seed | None = Field(
        default=None,
        description="of chance, and of random moves: a number or a text; random unless given. Who "
        "can guess it knows all dice",
    )
    scramble: bool = Field(default=False, description="replace the words of the rules")
    max_steps: int = Field(default=1000, ge=1, le=1_000_000)
    spectator_delay: int = Field(
        default=0,
        ge=0,
        le=MAX_CLOCK,
        description="seconds after which spectators are shown what happens in the matches",
    )
    elo0: float = Field(
        default=0.0,
        ge=-2000,
        le=2000,
        allow_inf_nan=False,
        description="of a sequential test: the first player is so many Elo stronger, or less",
    )
    elo1: float = Field(
        default=20.0,
        ge=-2000,
        le=2000,
        allow_inf_nan=False,
        description="of a sequential test: or else it is so many Elo stronger, or more",
    )
    alpha: float = Field(
        default=0.05, gt=0, lt=0.5, description="how often elo1 is accepted where elo0 holds"
    )
    beta: float = Field(
        default=0.05, gt=0, lt=0.5, description="how often elo0 is accepted where elo1 holds"
    )
    start: bool = Field(default=True, description="false: it begins when it is started")


class EventShown(_Answered):
    """An event; `matches` counts them by status.

    `commitment` is the SHA-256 of `nonce:seed`, which are shown when all its matches are over.
    """

    id: int
    name: str
    status: str
    created: int
    ended: int | None
    settings: dict[str, Any]
    matches: dict[str, int]
    commitment: str | None = None
    nonce: str | None = None
    seed: str | None = None


class PlayerToWithdraw(_Sent):
    """A player that is to meet nobody any more in an event."""

    player: Name


class ResultToDecide(_Sent):
    """A result that an organiser gives a match."""

    goals: tuple[Annotated[int, Field(ge=0, le=100)], ...] = Field(
        min_length=1, max_length=100, description="0 to 100, for each role that a player takes"
    )
    reason: str = Field(min_length=1, max_length=500, description="shown beside the result")


class IntervalShown(_Answered):
    """A figure with the bounds of its 95 % confidence interval."""

    value: float
    low: float
    high: float


class StandingsShown(_Answered):
    """A player's figures. `points` are goal values over 100; the rating is on the Elo scale."""

    player: str
    matches: int
    failed: int
    points: IntervalShown | None
    rating: IntervalShown | None
    late: int
    unreachable: int
    illegal: int


class CrossShown(_Answered):
    """The points of a player against another, from `matches` in which both played."""

    player: str
    opponent: str
    matches: int
    points: float


class CrossTableShown(_Answered):
    """Who has how many points against whom; the players with the most points come first."""

    players: tuple[str, ...]
    cells: tuple[CrossShown, ...]


class SequentialTestShown(_Answered):
    """A sequential test: whether the first of `players` is stronger by `elo1` rather than `elo0`.

    `ratio` is the log-likelihood ratio, which ends the test at one of the `bounds`. `verdict` is
    H1, H0 or open.
    """

    players: tuple[str, ...]
    elo0: float
    elo1: float
    pairs: int
    points: float
    elo: IntervalShown | None
    ratio: float
    bounds: tuple[float, float]
    verdict: str


class MatchShown(_Answered):
    """A match; `match_id` is that of its latest attempt, and `result` is there once it ended.

    `commitment` is the SHA-256 of `nonce:seed` of the attempt that is under way or comes next;
    both are shown when the match is over.
    """

    id: int
    match_id: str
    event: int
    place: str
    game: str
    round: int
    players: tuple[str, ...]
    status: str
    attempts: int
    step: int | None = None
    ended: int | None = None
    result: dict[str, Any] | None = None
    commitment: str | None = None
    nonce: str | None = None
    seed: int | None = None


class TokenToPost(_Sent):
    """A token to be made."""

    name: Name
    role: Role


class TokenShown(_Answered):
    """A token; `secret` is told once, when it is made."""

    name: str
    role: Role
    created: int | None = None
    revoked: int | None = None
    secret: str | None = None


class StatusShown(_Answered):
    """The manager: `matches` counts them by status."""

    version: str
    players: int
    events: int
    matches: dict[str, int]


class Done(_Answered):
    """What was asked for has been done."""

    done: bool = True


class ApiProblem(_Answered):
    """What is wrong with a request, where, and what was expected there."""

    what: str
    where: str = ""
    expected: str = ""


class ProblemShown(_Answered):
    """The answer to a request that cannot be done."""

    error: ApiProblem


class Followed(_Answered):
    """An item of the live events; other keys depend on its kind."""

    model_config = ConfigDict(extra="allow")
    kind: str = Field(
        description="event_started, event_ended, match_started, match_step, match_ended, player"
    )
    number: int
    time: int
