"""The events of a match: immutable values, each with the match that it belongs to and its time.

``match`` is a key that no other match has, unlike ``match_id``, which the game manager gives. One
match that two players of ours are in has two keys, one for each, and a third where the game manager
is ours too. ``time`` is in milliseconds since 1970. Turns are counted by the joint moves made
before: turn 0 is the first.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from gdl.version import __version__
from ggp_player.events.search_view import SearchView
from ggp_player.events.steps import History, ObservedStep

MatchStatusName: TypeAlias = Literal["completed", "aborted", "expired", "unplayable", "suspended"]
"""How a match ended: by STOP, by ABORT, by a long silence, as its rules cannot be played, or with
the server, after whose restart it may go on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchEvent:
    """What all events have; whoever publishes one fills both in (:class:`.MatchPublisher`)."""

    match: str = ""
    time: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchStarted(MatchEvent):
    """A match begins. Clocks are in seconds.

    A player tells its ``role``, its name in ``player``, its ``strategy`` and who sent the START in
    ``manager``. A match that goes on after a restart is ``resumed``, and ``history`` has the steps
    made before. The game manager tells ``roles`` and the names of the ``players`` in role
    order, and what its match record has besides; its ``role`` is empty. In a match with scrambled
    words, ``words`` gives for each word that players get the one of the rules.
    """

    kind: Literal["MatchStarted"] = field(default="MatchStarted", repr=False)
    match_id: str
    rules: str
    start_clock: int
    play_clock: int
    role: str = ""
    player: str = ""
    strategy: str = ""
    manager: str = ""
    resumed: bool = False
    history: History = ()
    roles: tuple[str, ...] = ()
    players: tuple[str, ...] = ()
    game: str = ""
    rulesheet_url: str = ""
    random_token: str = ""
    scrambled: bool = False
    words: Mapping[str, str] = field(default_factory=dict)
    version: str = __version__

    @property
    def rules_hash(self) -> str:
        """The hash of the rules' words, whatever blanks are between them."""
        return rules_hash(self.rules)


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnAsked(MatchEvent):
    """A move is asked for in turn ``turn``; ``joint_move`` led there, and is empty in the first.

    Where we were not told the joint move, ``observation`` has what we were told. ``seconds`` is how
    long we may take, less our margin; ``clock`` how long the manager allows.
    """

    kind: Literal["TurnAsked"] = field(default="TurnAsked", repr=False)
    turn: int
    joint_move: tuple[str, ...] = ()
    observation: ObservedStep | None = None
    clock: float = 0.0
    seconds: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class StateReached(MatchEvent):
    """The state of a turn: ``state`` reads ``( (cell 1 1 b) (control white) )``.

    ``state`` is empty where it is too long, and a possible one where it is not known. Where we were
    told less than the joint move and know it all the same, it is in ``joint_move``. ``legal_moves``
    are ours, the first of ``legal_move_count``.
    """

    kind: Literal["StateReached"] = field(default="StateReached", repr=False)
    turn: int
    roles: tuple[str, ...]
    state: str = ""
    legal_moves: tuple[str, ...] = ()
    legal_move_count: int = 0
    joint_move: tuple[str, ...] = ()
    is_over: bool = False
    goals: Mapping[str, int | None] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Thoughts(SearchView):
    """What the search of a turn thinks now; it may go on after our move, on the others' time."""

    match: str = ""
    time: int = 0
    kind: Literal["Thoughts"] = field(default="Thoughts", repr=False)
    turn: int


@dataclass(frozen=True, slots=True)
class BestMove:
    """The best move that is known of a turn, from the search that finds it to the reply.

    ``value`` is the expected goal value, 0 to 100, ``proved`` says whether it is exact, and
    ``note`` how the move was found. ``source`` says where it comes from: ``search``, ``tracker``
    (the only legal move, or the first) or ``guess``.
    """

    move: str
    value: float | None = None
    proved: bool = False
    note: str = ""
    source: str = field(default="search", compare=False)

    def __str__(self) -> str:
        value = "" if self.value is None else f", value {self.value:g}"
        proved = ", proved" if self.proved else ""
        note = f" ({self.note})" if self.note else ""
        return f"{self.move}{value}{proved}{note}"


@dataclass(frozen=True, slots=True, kw_only=True)
class MoveChosen(MatchEvent):
    """Our move is decided, after ``seconds``, ``margin_left`` seconds before the clock's end.

    The other fields are those of the :class:`BestMove`. ``margin_left`` is None where there is no
    clock.
    """

    kind: Literal["MoveChosen"] = field(default="MoveChosen", repr=False)
    turn: int
    move: str
    value: float | None = None
    proved: bool = False
    note: str = ""
    source: str = ""
    seconds: float = 0.0
    margin_left: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class GameDescribed(MatchEvent):
    """What our player has found out about the game as a whole; a later one takes its place."""

    kind: Literal["GameDescribed"] = field(default="GameDescribed", repr=False)
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StepMade(MatchEvent):
    """A step as the game manager made it; number 0 is the start.

    ``errors`` and ``seconds`` have an entry for each role: what went wrong, as in match records,
    and how long the reply took.
    """

    kind: Literal["StepMade"] = field(default="StepMade", repr=False)
    step: int
    joint_move: tuple[str, ...]
    errors: tuple[str, ...]
    seconds: tuple[float, ...]
    state: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class StepsTakenBack(MatchEvent):
    """The steps after ``step`` are taken back, and the match goes on from there."""

    kind: Literal["StepsTakenBack"] = field(default="StepsTakenBack", repr=False)
    step: int


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchProblem(MatchEvent):
    """Something does not work as it should; ``text`` is a sentence for people."""

    kind: Literal["MatchProblem"] = field(default="MatchProblem", repr=False)
    turn: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchEnded(MatchEvent):
    """The match is over; ``joint_move`` is the last, ``turn`` how many there were.

    ``observation`` has what we were told in place of the last joint move, if that was less.
    ``goals`` has the goal values by role, as far as they are known; ``reason`` says why the match
    did not end as it should.
    """

    kind: Literal["MatchEnded"] = field(default="MatchEnded", repr=False)
    status: MatchStatusName
    turn: int
    joint_move: tuple[str, ...] = ()
    observation: ObservedStep | None = None
    goals: Mapping[str, int | None] = field(default_factory=dict)
    reason: str = ""


Event: TypeAlias = (
    MatchStarted
    | TurnAsked
    | StateReached
    | Thoughts
    | MoveChosen
    | GameDescribed
    | StepMade
    | StepsTakenBack
    | MatchProblem
    | MatchEnded
)


def rules_hash(rules: str) -> str:
    """Hash the words of a rulesheet, whatever blanks are between them: 32 hex digits."""
    words = " ".join(rules.replace("(", " ( ").replace(")", " ) ").split())
    return hashlib.sha256(words.encode(errors="surrogatepass")).hexdigest()[:32]
