"""The game manager whose matches are attacked: it counts which turns were lost, and why."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from math import inf

import gdl
from tests.support.paths import ROOT
from tests.support.raw_manager import Match, RawManager
from tests.support.server_process import Address

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

    def add(self, other: Turns) -> None:
        """Count those of another scenario, too."""
        for name in ("played", "late", "illegal", "excused"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.longest = max(self.longest, other.longest)
        self.notes += other.notes

    @property
    def lost(self) -> int:
        """The turns in which no legal move came in time, though it could have."""
        return self.late + self.illegal


class EndOfTime(Exception):  # noqa: N818 it is no error
    """The time is over, in the middle of a match."""


class Bystander(RawManager):
    """Plays one match until it ends, or the time is over."""

    def __init__(
        self,
        address: Address,
        match: Match,
        turns: Turns,
        outages: Outages,
        is_over: Callable[[], bool],
    ) -> None:
        super().__init__(address, match)
        self._turns = turns
        self._outages = outages
        self._is_over = is_over

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
        if text.startswith("( START"):
            return self._try(text, limit)
        if not text.startswith("( PLAY"):
            return self._end(text, limit)
        began = self._before()
        reply = self._try(text, limit)
        self._turns.played += 1
        self._after(began)
        return reply

    def _end(self, text: str, limit: float) -> str | None:
        """End the match, once more where the server was killed, or it would go on with it."""
        self._outages.wait()
        began = time.monotonic()
        reply = self._try(text, limit)
        if self._outages.any_since(began):
            self._outages.wait()
            reply = self._try(text, limit)
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
        if self._is_over():
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


@dataclass(frozen=True)
class Fixture:
    """Which games are played one after the other, and after how many turns a match is aborted."""

    games: Sequence[str]
    turns: int | None = None


def play_matches(
    address: Address,
    fixture: Fixture,
    turns: Turns,
    outages: Outages,
    is_over: Callable[[], bool],
) -> None:
    """Play one match after the other until the time is over."""
    number = 0
    while not is_over():
        rules = gdl.load(ROOT / "games" / f"{fixture.games[number % len(fixture.games)]}.kif")
        role, name = 1 + number % 2, f"attack.{number}"
        match = Match(rules, START_CLOCK, PLAY_CLOCK, role, seed=number, match_id=name)
        bystander = Bystander(
            address, match, turns, outages, _either(is_over, _so_many(turns, fixture.turns))
        )
        try:
            bystander.run()
        except EndOfTime:
            outages.wait()
            bystander.ask(f"( ABORT {name} )", 5)
        number += 1


def _so_many(turns: Turns, number: int | None) -> Callable[[], bool]:
    """Say when so many turns have been played from now on."""
    most = inf if number is None else turns.played + number
    return lambda: turns.played >= most


def _either(first: Callable[[], bool], second: Callable[[], bool]) -> Callable[[], bool]:
    return lambda: first() or second()
