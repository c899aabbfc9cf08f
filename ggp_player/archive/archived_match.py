"""Matches as the archive has them, and which of them to list."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field

from ggp_player.events import ObservedStep

STATUSES = (
    *("running", "interrupted", "completed", "aborted"),
    *("expired", "unplayable", "suspended"),
)
"""Every status. A match that is running but silent for too long is ``interrupted``."""


@dataclass(frozen=True, slots=True)
class SeatSummary:
    """Who played a role, and how it went; ``outcome`` is ``win``, ``draw``, ``loss`` or empty."""

    role: str
    player: str
    goal: int | None = None
    outcome: str = ""


@dataclass(frozen=True, slots=True)
class MatchSummary:
    """A match in a list. Clocks are in seconds, times in milliseconds since 1970.

    ``role`` is ours where ``side`` is ``player``. ``seats`` are in role order.
    """

    number: int
    key: str
    match_id: str
    side: str
    game: str
    role: str
    rules_hash: str
    start_clock: int
    play_clock: int
    start_time: int
    last_time: int
    status: str
    reason: str
    steps: int
    strategy: str
    manager: str
    version: str
    seats: tuple[SeatSummary, ...] = ()


@dataclass(frozen=True, slots=True)
class ArchivedStep:
    """A joint move, and when it was known; number 0 is the start, which has none.

    Where our role was told less, and the joint move is not known, ``observation`` has what it was.
    ``errors`` and ``seconds`` have an entry for each role, where the game manager was ours.
    """

    step: int
    joint_move: tuple[str, ...]
    time: int
    errors: tuple[str, ...] = ()
    seconds: tuple[float, ...] = ()
    observation: ObservedStep | None = None


@dataclass(frozen=True, slots=True)
class ArchivedChoice:
    """A move of ours, and what the search thought; ``turn`` counts the joint moves before.

    ``line`` is the principal line. ``thoughts`` is the last event before the move, as JSON values
    in the words that the player was given; it is None where the search told nothing.
    """

    turn: int
    role: str
    move: str
    value: float | None
    proved: bool
    note: str
    source: str
    seconds: float
    margin_left: float | None
    time: int
    line: tuple[tuple[str, ...], ...] = ()
    thoughts: Mapping[str, object] | None = None


@dataclass(frozen=True, slots=True)
class ArchivedProblem:
    """What did not work as it should."""

    turn: int
    role: str
    time: int
    text: str


@dataclass(frozen=True, slots=True)
class ArchivedMatch:
    """A match with all that is known of it.

    ``rules`` is empty where they are not known. ``document`` is the record that was imported, in
    ``document_format``. ``details`` has what only some matches have.
    """

    summary: MatchSummary
    rules: str
    steps: tuple[ArchivedStep, ...]
    choices: tuple[ArchivedChoice, ...] = ()
    problems: tuple[ArchivedProblem, ...] = ()
    details: Mapping[str, object] = field(default_factory=dict)
    document: bytes = b""
    document_format: str = ""

    @property
    def moves(self) -> tuple[tuple[str, ...], ...]:
        """The joint moves in their order."""
        return tuple(step.joint_move for step in self.steps if step.step)


@dataclass(frozen=True, slots=True)
class MatchFilter:
    """Which matches to list; what is empty does not matter.

    ``game`` is a name or the beginning of the rules' hash. ``role``, ``player``, ``outcome`` and
    the range of goal values are of one and the same seat; in a match of our player, that is ours
    unless a role or a player is named. ``since`` and ``until`` bound the start, in milliseconds.
    """

    game: str = ""
    role: str = ""
    player: str = ""
    outcome: str = ""
    goals: tuple[int, int] | None = None
    since: int | None = None
    until: int | None = None
    status: str = ""
    match_id: str = ""
    side: str = ""


@dataclass(frozen=True, slots=True)
class MatchPage:
    """Some matches of a list, the latest first, and how many there are in all."""

    matches: tuple[MatchSummary, ...]
    total: int
    offset: int = 0


@dataclass(frozen=True, slots=True)
class NewMatch:
    """A match that is to be added, as a record tells it. Errors and times are in the steps."""

    match_id: str
    start_time: int
    start_clock: int
    play_clock: int
    seats: tuple[SeatSummary, ...]
    steps: tuple[ArchivedStep, ...]
    status: str
    document: bytes
    document_format: str
    game: str = ""
    rules: str = ""

    @property
    def key(self) -> str:
        """The key of the match: the same bytes are the same match."""
        return f"import-{hashlib.sha256(self.document).hexdigest()[:32]}"
