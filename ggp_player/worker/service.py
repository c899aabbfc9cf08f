"""The move service: chooses moves in time, with two worker processes, whatever happens to them.

The *tracker* follows the match and reports our legal moves of each turn, which takes moments. The
*search* runs the strategy on the same rules and writes its best choice so far to shared memory. So
a reply waits for no process: at the deadline the best choice is read, checked against the legal
moves, and sent. If there is none, the first legal move is sent; if the rules are too heavy for the
tracker too, the search's choice is sent unchecked; and if nothing is known of the turn, a move is
guessed from what is known of the match (:mod:`.fallback_moves`) rather than sending nothing.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

from ggp_player.clock import Deadline
from ggp_player.events import BestMove, ObservedStep, Step
from ggp_player.logs import shown
from ggp_player.strategies import Method
from ggp_player.worker.messages import MatchStatus
from ggp_player.worker.pool import Pool
from ggp_player.worker.supervisor import SearchSupervisor, Setup, TrackerSupervisor

LEGAL_MOVES_GRACE = 0.1
"""Seconds that a reply which is cut short waits for the legal moves, if they are not yet known."""

NO_CLOCK_GRACE = 1.0
"""Seconds that a reply on a play clock of 0 or below waits for the legal moves."""

STOPPED_CHECK = 0.1
"""Seconds between two looks, while a reply is awaited, whether somebody has stopped a worker."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, eq=False)
class CancellableDeadline(Deadline):
    """A deadline that can be cut short: then no time is left. It is waited for here."""

    _cut: asyncio.Event = field(default_factory=asyncio.Event, init=False)
    _changed: asyncio.Event = field(default_factory=asyncio.Event, init=False)

    @property
    def remaining(self) -> float:
        """Seconds until the deadline, 0 when it has passed or was cut short."""
        return 0.0 if self._cut.is_set() else max(0.0, self.at - self.clock())

    @property
    def is_cut_short(self) -> bool:
        """Whether it was cut short before its time, and that has not come yet."""
        return self._cut.is_set() and self.at > self.clock()

    def cut_short(self) -> None:
        """End the wait now."""
        self._cut.set()
        self._changed.set()

    def notify(self) -> None:
        """Wake whoever waits, to check the condition again."""
        self._changed.set()

    async def wait(self, condition: Callable[[], bool]) -> None:
        """Wait until the condition holds, or until no time is left."""
        while self.remaining and not condition():
            self._changed.clear()
            with suppress(TimeoutError):
                async with asyncio.timeout(self.remaining):
                    await self._changed.wait()


class MoveService:
    """Plays one role of one match: legal moves from the tracker, choices from the search."""

    def __init__(self, setup: Setup, pool: Pool) -> None:
        self._name = setup.name
        self._metrics = setup.metrics
        self._on_illegal_choice = setup.on_illegal_choice
        self.events = setup.events
        """Where the match tells what happens in it."""
        self._pool = pool
        self._tracker = TrackerSupervisor(setup, pool.take, self._notify)
        self._search = SearchSupervisor(setup, pool.take, self._notify)
        self._deadline: CancellableDeadline | None = None
        self._play_clock = setup.start.play_clock
        self._roles = 1

    @property
    def unplayable(self) -> str:
        """Why the rules cannot be played, or nothing."""
        return self._tracker.unplayable

    async def prepare(self, deadline: CancellableDeadline) -> str:
        """Parse the rules and search the initial state. Return why they are unplayable, or nothing.

        The search goes on afterwards, until the first move is chosen.
        """
        self._open()
        tracker, search = self._tracker, self._search
        search.search(deadline)
        with self._replacing_stopped_workers():
            await self._wait(
                deadline,
                lambda: tracker.has_given_up or (tracker.status is not None and search.has_ended),
            )
        return tracker.unplayable

    async def resume(self, deadline: CancellableDeadline) -> None:
        """Go on with a match that has a history: search its state, and wait for the legal moves."""
        self._open()
        self._search.search()
        with self._replacing_stopped_workers():
            await self._wait_for_status(deadline)

    def _open(self) -> None:
        self._tracker.open()
        self._search.open()

    async def choose(self, steps: Sequence[Step], deadline: CancellableDeadline) -> BestMove:
        """Apply the steps made since the last move, and return the best move.

        There are none before the first step, and more than one where the manager has skipped some.
        """
        if steps:
            self._search.stop()
        for step in steps:
            self._roles = self._roles if isinstance(step, ObservedStep) else len(step)
            self._tracker.apply_step(step)
            self._search.apply_step(step)
        if steps or not self._search.is_wanted:
            self._search.search(deadline)
        with self._replacing_stopped_workers():
            await self._wait(deadline, self._is_decided)
            if self._play_clock <= 0 or deadline.is_cut_short:
                seconds = NO_CLOCK_GRACE if self._play_clock <= 0 else LEGAL_MOVES_GRACE
                await self._wait_for_status(CancellableDeadline.after(seconds, deadline.clock))
        best = self._decide()
        self._tracker.known.made(best.move)
        self._metrics.moves.labels(best.source).inc()
        if not self._search.ponders:
            self._search.stop()
        return best

    async def finish(
        self, steps: Sequence[Step], deadline: CancellableDeadline
    ) -> MatchStatus | None:
        """Apply the last steps, and return how the match ended, None if it is not known."""
        self._search.close()
        for step in steps:
            self._tracker.apply_step(step)
        await self._wait_for_status(deadline)
        return self._tracker.status

    def watch(self, is_watched: bool) -> None:
        """Have the search report what it thinks, or no longer."""
        self._search.watch(is_watched)

    def rest(self) -> None:
        """Search no more, until a move is asked for."""
        self._search.stop()

    def close(self) -> None:
        """Kill the workers."""
        self._search.close()
        self._tracker.close()

    async def closed(self) -> None:
        """Wait until no new worker is on its way, and nothing is left of those that there were."""
        await self._search.closed()
        await self._tracker.closed()
        await self._pool.sweep()

    @contextmanager
    def _replacing_stopped_workers(self) -> Iterator[None]:
        """Have spares take over from workers that are stopped, while a reply is awaited."""
        loop = asyncio.get_running_loop()
        timer = loop.call_soon(lambda: None)

        def look() -> None:
            nonlocal timer
            self._tracker.replace_if_stopped()
            self._search.replace_if_stopped()
            timer = loop.call_later(STOPPED_CHECK, look)

        look()
        try:
            yield
        finally:
            timer.cancel()

    async def _wait_for_status(self, deadline: CancellableDeadline) -> None:
        tracker = self._tracker
        await self._wait(deadline, lambda: tracker.has_given_up or tracker.status is not None)

    async def _wait(self, deadline: CancellableDeadline, condition: Callable[[], bool]) -> None:
        """Wait until the condition holds, or until no time is left."""
        self._deadline = deadline
        await deadline.wait(condition)

    def _notify(self) -> None:
        if self._deadline is not None:
            self._deadline.notify()

    def _is_decided(self) -> bool:
        """Whether no further waiting could improve the reply."""
        status = self._tracker.status
        if status is not None and len(status.legal_moves) < 2:
            return True
        return self._search.has_ended and (status is not None or self._tracker.has_given_up)

    def _decide(self) -> BestMove:
        status, found = self._tracker.status, self._search.best()
        legal_moves = status.legal_moves if status is not None else ()
        if len(legal_moves) == 1:
            return BestMove(legal_moves[0], note=Method.ONLY_MOVE, source="tracker")
        if found is not None and (status is None or found.move in legal_moves):
            return found
        if found is not None:
            _log.error("%s: the search's choice %s is illegal", self._name, found.move)
            self.events.problem(f"the search's choice {shown(found.move)} is illegal")
            self._metrics.illegal.inc()
            self._on_illegal_choice(found.move)
        if legal_moves:
            _log.warning("%s: no choice from the search", self._name)
            self.events.problem("no choice from the search")
            return BestMove(legal_moves[0], note=Method.FIRST_MOVE, source="tracker")
        move, reason = self._tracker.known.guess(self._tracker.turn, self._roles)
        message = "%s: not one legal move is known, %s is a guess: %s"
        _log.error(message, self._name, move, reason)
        self.events.problem(f"not one legal move is known, {shown(move)} is a guess")
        return BestMove(move, note=f"{Method.GUESS}; {reason}", source="guess")
