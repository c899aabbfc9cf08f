"""Choosing moves in time: two worker processes for a match, and what to do when one fails.

The *referee* worker follows the match and reports our legal moves of each turn, which takes
moments. The *search* worker runs the strategy on the same rules and writes the best choice so far
to shared memory. A reply therefore needs nobody's cooperation: at the deadline the best choice is
read, checked against the legal moves, and sent. If there is none, the first legal move is sent; if
the rules are too heavy for the referee too, the search's word is taken for it; and if nobody knows
anything, :data:`LAST_RESORT` is sent rather than nothing.

A search that is no longer wanted is told so, and killed where it does not stop. A worker that dies
is replaced at once by a spare, which follows the history of the match and takes over.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass

from ggp_player.clock import Deadline
from ggp_player.move_service.pool import Pool
from ggp_player.move_service.supervisor import SearchSupervisor, Setup, TrackerSupervisor
from ggp_player.worker import MatchStatus

LAST_RESORT = "noop"
"""The move when not one legal move is known: the likeliest guess in an unknown game."""

HURRY_GRACE = 0.1
"""Seconds that a hurried reply waits for the legal moves, where they are not known yet."""

_log = logging.getLogger(__name__)


class CancellableDeadline:
    """How long a reply may take: until a deadline, or until somebody is in a hurry."""

    def __init__(self, deadline: Deadline) -> None:
        self.deadline = deadline
        self._is_hurried = False
        self._news = asyncio.Event()

    @property
    def is_over(self) -> bool:
        """Whether the reply is wanted now."""
        return self._is_hurried or self.deadline.has_passed

    def hurry(self) -> None:
        """Ask for the reply now."""
        self._is_hurried = True
        self._news.set()

    def nudge(self) -> None:
        """Say that something has happened, so that whoever waits looks again."""
        self._news.set()

    async def wait(self, is_settled: Callable[[], bool]) -> None:
        """Wait until a condition holds, or no longer than there is patience."""
        while not (self.is_over or is_settled()):
            self._news.clear()
            with suppress(TimeoutError):
                async with asyncio.timeout(self.deadline.remaining):
                    await self._news.wait()


@dataclass(frozen=True, slots=True)
class Decision:
    """The move to reply, and what is to be said of it; ``value`` and ``proved`` as in a choice."""

    move: str
    value: float | None = None
    proved: bool = False
    note: str = ""

    def __str__(self) -> str:
        value = "" if self.value is None else f", value {self.value:g}"
        proved = ", proved" if self.proved else ""
        note = f" ({self.note})" if self.note else ""
        return f"{self.move}{value}{proved}{note}"


class MoveService:
    """Plays one role of one match: legal moves from the referee, choices from the search."""

    def __init__(self, setup: Setup, pool: Pool) -> None:
        self._name = f"match {setup.start.match_id}"
        self._referee = TrackerSupervisor(setup, pool, self._nudge)
        self._search = SearchSupervisor(setup, pool, self._nudge)
        self._patience: CancellableDeadline | None = None

    async def prepare(self, patience: CancellableDeadline) -> str:
        """Read the rules and search the initial state. Return why they are unplayable, or nothing.

        The search goes on afterwards, until the first move is chosen.
        """
        self._patience = patience
        await self._referee.open()
        await self._search.open()
        self._search.search()
        await patience.wait(lambda: self._has_failed() or self._is_prepared())
        return self._referee.unplayable

    async def choose(self, moves: Sequence[str], patience: CancellableDeadline) -> Decision:
        """Apply the joint move, empty before the first step, and return the best move."""
        self._patience = patience
        if moves:
            self._search.stop()
            self._referee.follow(moves)
            self._search.follow(moves)
            self._search.search()
        await patience.wait(self._is_settled)
        if not patience.deadline.has_passed:
            last_moment = CancellableDeadline(Deadline.after(HURRY_GRACE, patience.deadline.clock))
            await self._wait_for_legal_moves(last_moment)
        decision = self._decide()
        if not self._search.is_to_ponder:
            self._search.stop()
        return decision

    async def finish(
        self, moves: Sequence[str], patience: CancellableDeadline
    ) -> MatchStatus | None:
        """Apply the last joint move, and return how the match ended, None if it is not known."""
        self._patience = patience
        self._search.close()
        if moves:
            self._referee.follow(moves)
        await self._wait_for_legal_moves(patience)
        return self._referee.standing

    def close(self) -> None:
        """Kill the workers."""
        self._search.close()
        self._referee.close()

    async def closed(self) -> None:
        """Wait until no worker can come any more."""
        await self._search.closed()
        await self._referee.closed()

    async def _wait_for_legal_moves(self, patience: CancellableDeadline) -> None:
        self._patience = patience
        await patience.wait(lambda: self._has_failed() or self._referee.standing is not None)

    def _nudge(self) -> None:
        if self._patience is not None:
            self._patience.nudge()

    def _has_failed(self) -> bool:
        return self._referee.is_given_up

    def _is_prepared(self) -> bool:
        return self._referee.standing is not None and self._search.has_ended

    def _is_settled(self) -> bool:
        """Tell whether waiting on could not make the reply any better."""
        standing = self._referee.standing
        if standing is not None and len(standing.legal_moves) < 2:
            return True
        return self._search.has_ended and (standing is not None or self._has_failed())

    def _decide(self) -> Decision:
        standing, found = self._referee.standing, self._search.best()
        legal_moves = standing.legal_moves if standing is not None else ()
        if len(legal_moves) == 1:
            return Decision(legal_moves[0], note="the only legal move")
        if found is not None and (standing is None or found.move in legal_moves):
            return Decision(found.move, found.value, found.proved, found.note)
        if found is not None:
            _log.error("%s: the search's choice %s is illegal", self._name, found.move)
        if legal_moves:
            _log.warning("%s: no choice from the search", self._name)
            return Decision(legal_moves[0], note="the first legal move")
        _log.error("%s: not one legal move is known, %s is a guess", self._name, LAST_RESORT)
        return Decision(LAST_RESORT, note="a guess")
