"""Clocks that people choose to play with: so much time for a match, or for each move of it.

A role's clock runs while its move is awaited. It does not run before the role's first move, for
which a page has to be loaded, and searches to be started.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from gdl import Constant
from ggp_player.clock import Clock, monotonic
from ggp_player.languages import Sentence

MOVES_AHEAD = 20
"""For how many moves a search divides what it has left of a match's time."""

SAFE_PART = 0.8
"""How much of a move's time a search takes at most."""


@dataclass(frozen=True, slots=True)
class TimeControl:
    """``seconds`` for all moves of a role in a match, or for each one, which ``name`` says."""

    key: str
    name: str
    seconds: float
    is_per_move: bool = False


TIME_CONTROLS = (
    TimeControl("5m", Sentence("{count} minutes each", count=5), 300),
    TimeControl("1m", Sentence("1 minute each"), 60),
    TimeControl("30s", Sentence("{count} seconds a move", count=30), 30, is_per_move=True),
)

CLOCK_RULE = "Who has no time left has lost. A clock starts after the first move of its player."
"""What people are told before a match with clocks."""


@dataclass(frozen=True, slots=True)
class ClockFace:
    """What a role's clock shows: seconds ``left`` of ``total``, and whether it runs."""

    role: str
    left: float
    total: float
    runs: bool


class MatchClock:
    """The clocks of some roles in a match.

    With ``counts_first`` they run before a role's first move, too. ``clock`` is what they go by.
    """

    def __init__(
        self,
        control: TimeControl,
        roles: Iterable[Constant],
        clock: Clock = monotonic,
        *,
        counts_first: bool = False,
    ) -> None:
        self._control = control
        self._clock = clock
        self._left = dict.fromkeys(roles, float(control.seconds))
        self._asked: dict[Constant, float | None] = {}  # since when a clock runs, if it does
        self._have_moved = set(self._left) if counts_first else set()

    def start(self, role: Constant) -> None:
        """Note that a role's move is awaited."""
        if role in self._left and role not in self._asked:
            if self._control.is_per_move:
                self._left[role] = float(self._control.seconds)
            self._asked[role] = self._clock() if role in self._have_moved else None

    def stop(self, role: Constant) -> None:
        """Note that a role has moved, if its move was awaited."""
        if role in self._asked:
            self._have_moved.add(role)
            self._halt(role)

    def pause(self) -> None:
        """Note that no move is awaited for now."""
        for role in tuple(self._asked):
            self._halt(role)

    def _halt(self, role: Constant) -> None:
        self._left[role] = self.left(role)
        del self._asked[role]

    def left(self, role: Constant) -> float:
        """The seconds that a role has left, 0 or more."""
        since = self._asked.get(role)
        used = 0.0 if since is None else self._clock() - since
        return max(0.0, self._left[role] - used)

    def seconds_for(self, role: Constant, wanted: float) -> float:
        """The seconds that a search should take for a move, for which it ``wanted`` so many."""
        if self._asked.get(role) is None:
            return wanted
        part = SAFE_PART if self._control.is_per_move else 1 / MOVES_AHEAD
        return min(wanted, self.left(role) * part)

    @property
    def run_out(self) -> Constant | None:
        """The role whose time is up, if there is one."""
        return next((role for role in self._left if not self.left(role)), None)

    @property
    def until_run_out(self) -> float | None:
        """The seconds until the first clock has run out, if one runs."""
        return min(
            (self.left(role) for role, since in self._asked.items() if since is not None),
            default=None,
        )

    @property
    def faces(self) -> tuple[ClockFace, ...]:
        """What the clocks show, in role order."""
        total = float(self._control.seconds)
        return tuple(
            ClockFace(str(role), self.left(role), total, self._asked.get(role) is not None)
            for role in self._left
        )
