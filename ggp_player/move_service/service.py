"""The move service: chooses moves in time, with two worker processes, whatever happens to them.

The *tracker* follows the match and reports our legal moves of each turn, which takes moments. The
*search* runs the strategy on the same rules and writes its best choice so far to shared memory. So
a reply waits for no process: at the deadline the best choice is read, checked against the legal
moves, and sent. If there is none, the first legal move is sent; if the rules are too heavy for the
tracker too, the search's choice is sent unchecked; and if nothing is known, :data:`LAST_RESORT`
is sent rather than nothing.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from ggp_player.clock import Deadline
from ggp_player.logs import shown
from ggp_player.move_service.deadlines import LEGAL_MOVES_GRACE, CancellableDeadline
from ggp_player.move_service.pool import Pool
from ggp_player.move_service.supervisor import SearchSupervisor, Setup, TrackerSupervisor
from ggp_player.worker import MatchStatus

LAST_RESORT = "noop"
"""The move when not one legal move is known: the likeliest guess in an unknown game."""

_log = logging.getLogger(__name__)


class Source(StrEnum):
    """Where a move comes from."""

    SEARCH = "search"
    TRACKER = "tracker"
    """The only legal move, or the first."""
    GUESS = "guess"


@dataclass(frozen=True, slots=True)
class Decision:
    """The move to reply, and what to log about it; ``value`` and ``proved`` as in a choice."""

    move: str
    value: float | None = None
    proved: bool = False
    note: str = ""
    source: Source = field(default=Source.SEARCH, compare=False)

    def __str__(self) -> str:
        value = "" if self.value is None else f", value {self.value:g}"
        proved = ", proved" if self.proved else ""
        note = f" ({self.note})" if self.note else ""
        return f"{self.move}{value}{proved}{note}"


class MoveService:
    """Plays one role of one match: legal moves from the tracker, choices from the search."""

    def __init__(self, setup: Setup, pool: Pool) -> None:
        self._name = f"match {shown(setup.start.match_id)}"
        self._metrics = setup.metrics
        self._on_illegal_choice = setup.on_illegal_choice
        self._tracker = TrackerSupervisor(setup, pool, self._notify)
        self._search = SearchSupervisor(setup, pool, self._notify)
        self._deadline: CancellableDeadline | None = None

    async def prepare(self, deadline: CancellableDeadline) -> str:
        """Parse the rules and search the initial state. Return why they are unplayable, or nothing.

        The search goes on afterwards, until the first move is chosen.
        """
        await self._open(deadline)
        await deadline.wait(lambda: self._tracker.has_given_up or self._is_prepared())
        return self._tracker.unplayable

    async def resume(self, deadline: CancellableDeadline) -> None:
        """Go on with a match that has a history: search its state, and wait for the legal moves."""
        await self._open(deadline)
        await self._wait_for_status(deadline)

    async def _open(self, deadline: CancellableDeadline) -> None:
        self._deadline = deadline
        await self._tracker.open()
        await self._search.open()
        self._search.search()

    async def choose(self, moves: Sequence[str], deadline: CancellableDeadline) -> Decision:
        """Apply the joint move, empty before the first step, and return the best move."""
        self._deadline = deadline
        if moves:
            self._search.stop()
            self._tracker.apply_moves(moves)
            self._search.apply_moves(moves)
            self._search.search()
        await deadline.wait(self._is_decided)
        if not deadline.limit.has_passed:
            grace = Deadline.after(LEGAL_MOVES_GRACE, deadline.limit.clock)
            await self._wait_for_status(CancellableDeadline(grace))
        decision = self._decide()
        self._metrics.moves.labels(decision.source).inc()
        if not self._search.ponders:
            self._search.stop()
        return decision

    async def finish(
        self, moves: Sequence[str], deadline: CancellableDeadline
    ) -> MatchStatus | None:
        """Apply the last joint move, and return how the match ended, None if it is not known."""
        self._search.close()
        if moves:
            self._tracker.apply_moves(moves)
        await self._wait_for_status(deadline)
        return self._tracker.status

    def close(self) -> None:
        """Kill the workers."""
        self._search.close()
        self._tracker.close()

    async def closed(self) -> None:
        """Wait until no new worker is on its way."""
        await self._search.closed()
        await self._tracker.closed()

    async def _wait_for_status(self, deadline: CancellableDeadline) -> None:
        self._deadline = deadline
        tracker = self._tracker
        await deadline.wait(lambda: tracker.has_given_up or tracker.status is not None)

    def _notify(self) -> None:
        if self._deadline is not None:
            self._deadline.notify()

    def _is_prepared(self) -> bool:
        return self._tracker.status is not None and self._search.has_ended

    def _is_decided(self) -> bool:
        """Whether no further waiting could improve the reply."""
        status = self._tracker.status
        if status is not None and len(status.legal_moves) < 2:
            return True
        return self._search.has_ended and (status is not None or self._tracker.has_given_up)

    def _decide(self) -> Decision:
        status, found = self._tracker.status, self._search.best()
        legal_moves = status.legal_moves if status is not None else ()
        if len(legal_moves) == 1:
            return Decision(legal_moves[0], note="the only legal move", source=Source.TRACKER)
        if found is not None and (status is None or found.move in legal_moves):
            return Decision(found.move, found.value, found.proved, found.note)
        if found is not None:
            _log.error("%s: the search's choice %s is illegal", self._name, found.move)
            self._metrics.illegal.inc()
            self._on_illegal_choice(found.move)
        if legal_moves:
            _log.warning("%s: no choice from the search", self._name)
            return Decision(legal_moves[0], note="the first legal move", source=Source.TRACKER)
        _log.error("%s: not one legal move is known, %s is a guess", self._name, LAST_RESORT)
        return Decision(LAST_RESORT, note="a guess", source=Source.GUESS)
