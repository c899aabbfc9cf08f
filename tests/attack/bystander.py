"""The game manager whose matches are attacked: it counts which turns were lost, and why."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import gdl
from tests.support.paths import ROOT
from tests.support.raw_manager import Match, RawManager
from tests.support.server_process import Address

GAMES = ("ticTacToe", "connectFour", "breakthrough", "reversi")

START_CLOCK = 3
PLAY_CLOCK = 1


class Outages:
    """When the server was down because somebody killed it; nobody asks it meanwhile."""

    def __init__(self) -> None:
        self._is_up = threading.Event()
        self._is_up.set()
        self._last_began = 0.0

    @contextmanager
    def outage(self) -> Iterator[None]:
        """Note that the server is down meanwhile."""
        self._last_began = time.monotonic()
        self._is_up.clear()
        try:
            yield
        finally:
            self._is_up.set()

    def wait(self) -> None:
        """Wait until the server is up."""
        self._is_up.wait()

    def any_since(self, moment: float) -> bool:
        """Whether an outage has begun since then."""
        return self._last_began >= moment


@dataclass
class Turns:
    """What became of the turns; ``excused`` ones were asked of a server that was killed then.

    ``notes`` say when which fault struck, and what came in place of a legal move.
    """

    played: int = 0
    late: int = 0
    illegal: int = 0
    excused: int = 0
    longest: float = 0.0
    notes: list[str] = field(default_factory=list)

    def note(self, match_id: str, text: str) -> None:
        """Note what has happened now."""
        self.notes.append(f"{time.strftime('%H:%M:%S')} {match_id}: {text}")

    @property
    def lost(self) -> int:
        """The turns in which no legal move came in time, though it could have."""
        return self.late + self.illegal


class EndOfTime(Exception):  # noqa: N818 it is no error
    """The time is over, in the middle of a match."""


class Bystander(RawManager):
    """Plays one match until it ends, or the time is over."""

    def __init__(
        self, address: Address, match: Match, turns: Turns, outages: Outages, end: float
    ) -> None:
        super().__init__(address, match)
        self._turns = turns
        self._outages = outages
        self._end = end

    def start(self) -> None:
        """Begin the match, once more where the server was killed before it had the rules."""
        began = self._before()
        super().start()
        if self._outages.any_since(began):
            self._before()
            super().start()
        self._after(began)

    def ask(self, text: str, limit: float) -> str | None:
        """Ask for a move, and count what comes."""
        if not text.startswith("( PLAY"):
            return self._try(text, limit)
        began = self._before()
        reply = self._try(text, limit)
        self._turns.played += 1
        self._after(began)
        return reply

    def _try(self, text: str, limit: float) -> str | None:
        try:
            return super().ask(text, limit)
        except OSError as error:  # nobody listens, or the connection broke
            self.report.late.append(str(error))
            return None

    def joint_move(self, state: gdl.State, reply: str | None) -> tuple[gdl.Term, ...]:
        """Choose for the others, and count a move that is illegal."""
        joint_move = super().joint_move(state, reply)
        for text in self.report.illegal:
            self._turns.illegal += 1
            self._turns.note(self.match.match_id, text)
        self.report.illegal.clear()
        return joint_move

    def _before(self) -> float:
        if time.monotonic() > self._end:
            raise EndOfTime
        self._outages.wait()
        return time.monotonic()

    def _after(self, began: float) -> None:
        """Count a reply that did not come, unless the server was killed meanwhile."""
        missing = self.report.late + self.report.illegal
        if missing and self._outages.any_since(began):
            self._turns.excused += 1
        elif missing:
            self._turns.late += 1
            self._turns.note(self.match.match_id, missing[0])
        self.report.late.clear()
        self.report.illegal.clear()
        self._turns.longest = max(self._turns.longest, self.report.longest)
        self.report.longest = 0.0


def play_matches(address: Address, turns: Turns, outages: Outages, seconds: float) -> None:
    """Play one match after the other until the time is over."""
    end, number = time.monotonic() + seconds, 0
    while time.monotonic() < end:
        rules = gdl.load(ROOT / "games" / f"{GAMES[number % len(GAMES)]}.kif")
        role, name = 1 + number % 2, f"attack.{number}"
        match = Match(rules, START_CLOCK, PLAY_CLOCK, role, seed=number, match_id=name)
        bystander = Bystander(address, match, turns, outages, end)
        try:
            bystander.run()
        except EndOfTime:
            outages.wait()
            bystander.ask(f"( ABORT {name} )", 5)
        number += 1
