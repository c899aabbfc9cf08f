"""The two places that workers fill in a match, and who takes over when one dies.

A station outlives its workers: it knows the history of the match, and tells it to each new worker.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from ggp_player.move_service.pool import Pool, Worker
from ggp_player.protocol import Start
from ggp_player.worker import (
    ApplyMoves,
    BeginMatch,
    BeginSearch,
    FoundChoice,
    MatchStatus,
    MessageToServer,
    MessageToWorker,
    SearchEnded,
    SearchReady,
    Unplayable,
)

STOP_GRACE = 5.0
"""Seconds for a search to stop of its own accord, before it is killed and replaced.

On a machine with five times as many busy processes as cores, what takes a second of processor time,
such as the analysis of a large game, takes this long; and a search that is replaced begins anew.
"""

COMPILE_SHARE = 0.6
"""The share of a clock for which a search waits until the rules are compiled."""

MAX_COMPILE_SECONDS = 30.0

MAX_REPLACEMENTS = 2
"""How many workers may die in a turn and be replaced, for each of the two places."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Setup:
    """What a match is played with.

    ``seed`` makes the search's random choices repeatable. With ``ponder`` strategies that gain
    from it think on the others' time too.
    """

    start: Start
    strategy: str
    seed: str
    ponder: bool = True


class Station:
    """A place that a worker fills; where one dies, a spare takes over.

    ``on_change`` is called after everything that happens to the worker.
    """

    duty: ClassVar[str]

    def __init__(self, setup: Setup, pool: Pool, on_change: Callable[[], None]) -> None:
        self.worker: Worker | None = None
        self.unplayable = ""
        self.setup = setup
        self.history: list[Sequence[str]] = []
        self._name = f"match {setup.start.match_id}, {self.duty}"
        self._pool = pool
        self._on_change = on_change
        self._replacements = 0
        self._is_closed = False
        self._opening: asyncio.Task[None] | None = None

    @property
    def is_given_up(self) -> bool:
        """Whether nothing more can come from here in this turn."""
        is_empty = self.worker is None and (self._opening is None or self._opening.done())
        return bool(self.unplayable) or is_empty

    async def open(self) -> None:
        """Put the first worker in the place. Where none can be started, the place stays empty."""
        self._opening = asyncio.create_task(self._open())
        await self._opening

    async def _open(self) -> None:
        try:
            worker = await self._pool.take()
        except OSError as error:
            _log.error("%s: no worker can be started: %s", self._name, error)
            self._on_change()
            return
        worker.on_report = self._hear
        worker.on_death = lambda: self._lose(worker)
        self.worker = worker
        for order in self.first_orders():
            worker.order(order)
        if self._is_closed:
            worker.kill()

    def first_orders(self) -> Sequence[MessageToWorker]:
        """Return what a new worker has to be told: the whole match so far."""
        raise NotImplementedError

    def take_in(self, report: MessageToServer) -> None:
        """Take note of a report."""
        raise NotImplementedError

    def follow(self, moves: Sequence[str]) -> None:
        """Begin a turn with a joint move. Failures of the last turn are forgiven."""
        self.history.append(moves)
        self.order(ApplyMoves(moves))
        self._replacements = 0
        if self.is_given_up and not self.unplayable:
            self._replace()

    def order(self, order: MessageToWorker) -> None:
        """Give an order. A worker that is yet to come learns of it in its first orders."""
        if self.worker is not None:
            self.worker.order(order)

    def begin(self, strategy: str | None = None) -> BeginMatch:
        """Return the first order to a new worker; without a strategy it is a referee."""
        start, history = self.setup.start, tuple(self.history)
        # A search that comes to a match that has begun is in a hurry.
        clock = start.play_clock if history else start.start_clock
        seconds = min(MAX_COMPILE_SECONDS, COMPILE_SHARE * clock)
        return BeginMatch(start.rules, start.role, history, strategy, self.setup.seed, seconds)

    def close(self) -> None:
        """Kill the worker. The place stays empty."""
        self._is_closed = True
        if self.worker is not None:
            self.worker.kill()

    async def closed(self) -> None:
        """Wait until no new worker is on its way."""
        if self._opening is not None:
            await self._opening

    def _hear(self, report: MessageToServer) -> None:
        if isinstance(report, Unplayable):
            self.unplayable = report.reason
            _log.error("%s: the game cannot be played: %s", self._name, report.reason)
        else:
            self.take_in(report)
        self._on_change()

    def _lose(self, worker: Worker) -> None:
        self.worker = None
        if self._is_closed:
            return
        if worker.was_killed:
            self._replace()
        elif self._replacements < MAX_REPLACEMENTS:
            _log.warning("%s: worker %d is gone, another takes over", self._name, worker.pid)
            self._replacements += 1
            self._replace()
        else:
            _log.error("%s: worker %d is gone, the last in this turn", self._name, worker.pid)
        self._on_change()

    def _replace(self) -> None:
        self._opening = asyncio.create_task(self._open())


class TrackerSupervisor(Station):
    """Knows the legal moves of the turn, moments after it has begun."""

    duty = "referee"
    _standing: MatchStatus | None = None

    @property
    def standing(self) -> MatchStatus | None:
        """How the match stands, None where that is not known yet."""
        standing = self._standing
        return standing if standing is not None and standing.turn == len(self.history) else None

    def first_orders(self) -> Sequence[MessageToWorker]:
        """Return the rules and the history."""
        return (self.begin(),)

    def take_in(self, report: MessageToServer) -> None:
        """Take note of how the match stands."""
        if isinstance(report, MatchStatus):
            if self._standing is None:
                _log.info("%s: the rules are read", self._name)
            self._standing = report


class SearchSupervisor(Station):
    """Runs the strategy. Searches are numbered from 1; at most one is wanted at a time."""

    duty = "search"
    _number = 0
    _ended = 0
    _is_wanted = False
    _has_begun = False
    _kept: FoundChoice | None = None
    _ponders = False

    @property
    def is_to_ponder(self) -> bool:
        """Whether the search is to go on while others choose."""
        return self._ponders and self.setup.ponder

    @property
    def has_ended(self) -> bool:
        """Whether nothing better is to be expected in this turn."""
        return self._ended == self._number or self.is_given_up

    def best(self) -> FoundChoice | None:
        """Return the best choice so far, also of a worker that died in this turn."""
        found = self.worker.choice.newest(self._number) if self.worker else None
        return found or self._kept

    def search(self) -> None:
        """Begin a new search in the present state."""
        self._number += 1
        self._is_wanted = True
        self._kept = None
        if self.worker is not None:
            self.worker.choice.wanted = self._number
        self.order(self._search_order())

    def stop(self) -> None:
        """Ask the search to stop; after a grace it is killed if it has not.

        A worker that still learns the rules is spared: another would have to learn them too.
        """
        worker = self.worker
        if self._is_wanted and worker is not None and self._ended != self._number:
            worker.choice.wanted = 0
            if self._has_begun:
                self._insist_soon()
        self._is_wanted = False

    def first_orders(self) -> Sequence[MessageToWorker]:
        """Return the rules, the history, and the search that is wanted, if any is."""
        self._has_begun = False
        begin = self.begin(self.setup.strategy)
        if not self._is_wanted or self.worker is None:
            return (begin,)
        self.worker.choice.wanted = self._number
        return begin, self._search_order()

    def take_in(self, report: MessageToServer) -> None:
        """Take note of what the search has done."""
        if isinstance(report, SearchReady):
            self._ponders = report.ponders
            if not self._has_begun:
                self._has_begun = True
                _log.info("%s: the rules are read", self._name)
                if not self._is_wanted:
                    self._insist_soon()
        elif isinstance(report, SearchEnded):
            self._ended = report.number
            if report.failure:
                _log.error("%s: search %d: %s", self._name, report.number, report.failure)

    def _lose(self, worker: Worker) -> None:
        if self._is_wanted:
            self._kept = worker.choice.newest(self._number) or self._kept
        super()._lose(worker)

    def _search_order(self) -> BeginSearch:
        return BeginSearch(self._number, thorough=not self.history)

    def _insist_soon(self) -> None:
        loop = asyncio.get_running_loop()
        loop.call_later(STOP_GRACE, self._insist, self.worker, self._number)

    def _insist(self, worker: Worker | None, number: int) -> None:
        if self._ended < number and worker is not None and self.worker is worker:
            _log.info("%s: search %d does not stop and is replaced", self._name, number)
            worker.kill()
