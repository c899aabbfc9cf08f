"""An engine: a search for one role that can be asked about any position of a match.

It is the search of the move service, with the same worker process and the same supervisor, but it
needs no match tracker: the table knows the legal moves. The strategy keeps what it knows of states
when the match goes back to an earlier one.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from gdl import Constant
from ggp_player.clock import Deadline, WallClock, monotonic
from ggp_player.events import BestMove, History, MatchStarted
from ggp_player.strategies import Method
from ggp_player.strategies.selection.registry import strategy_class
from ggp_player.worker.pool import Pool
from ggp_player.worker.service import CancellableDeadline
from ggp_player.worker.supervisor import SearchSupervisor, Setup

FIRST_RESULT_SECONDS = 20.0
"""How much longer than its clock a search may take for a first result; no manager waits for it."""

WARM_UP_SECONDS = 15.0
"""How long a first move waits until the searches are compiled for this machine."""


class RoleEngine:
    """Searches for one role, from the start of a match. ``key`` is that of its events."""

    def __init__(self, setup: Setup, pool: Pool) -> None:
        self._setup = setup
        self._publisher = setup.events
        self._deadline: CancellableDeadline | None = None
        self._may_ponder = True
        self._is_choosing = False
        self._paused: History | None = None
        self._search = SearchSupervisor(setup, pool.take, self._notify)

    @property
    def key(self) -> str:
        """The key of its events."""
        return self._publisher.match

    @property
    def problem(self) -> str:
        """Why it cannot search, or nothing."""
        return self._search.unplayable

    def open(self, is_player: bool) -> None:
        """Start the search's process. That of a player tells its moves."""
        if is_player:
            self._publisher.started(_started(self._setup))
        self._search.open()

    def think(self, history: History, seconds: float | None = None) -> None:
        """Search a position, for so many seconds if that is known, unless that goes on already."""
        if list(history) == self._search.history and self._search.is_wanted:
            return
        self.rest()
        self._search.go_to(history)
        deadline = None if seconds is None else Deadline.after(seconds)
        self._search.search(deadline)
        if seconds is None and not self._may_ponder:
            self._pause()

    def rest(self) -> None:
        """Search no more."""
        self._paused = None
        self._search.stop()

    def let_ponder(self, may_ponder: bool) -> None:
        """Search on others' time, too, where that gains, or else when asked for a move only."""
        self._may_ponder, paused = may_ponder, self._paused
        if self._is_choosing:
            return
        if may_ponder and paused is not None:
            self.think(paused)
        elif not may_ponder:
            self._pause()

    def _pause(self) -> None:
        """Stop a search that goes on later, where it was."""
        if self._search.is_wanted:
            self.rest()
            self._paused = tuple(self._search.history)

    async def choose(self, history: History, legal: Sequence[str], seconds: float) -> BestMove:
        """Return the best of the legal moves, after so many seconds or as soon as it is proved.

        The only legal move comes at once, and the search goes on if it gains from that.
        """
        began = monotonic()
        if len(legal) > 1 or self._search.ponders:
            self.think(history, seconds)
        if len(legal) == 1:
            found = BestMove(legal[0])
        else:
            found = await self._found(legal, seconds)
            self._publisher.move_chosen(len(history), found, round(monotonic() - began, 3))
        if not self._search.ponders:
            self.rest()
        elif not self._may_ponder:
            self._pause()
        return found

    async def _found(self, legal: Sequence[str], seconds: float) -> BestMove:
        self._is_choosing = True
        try:
            await self._wait(seconds, lambda: self._search.has_ended)
            await self._wait(
                FIRST_RESULT_SECONDS, lambda: self._search.has_ended or self._has_value()
            )
            return self._best(legal)
        finally:
            self._is_choosing = False

    async def _wait(self, seconds: float, condition: Callable[[], bool]) -> None:
        self._deadline = CancellableDeadline.after(seconds)
        await self._deadline.wait(condition)

    def _has_value(self) -> bool:
        found = self._search.best()
        return found is not None and found.value is not None

    def _best(self, legal: Sequence[str]) -> BestMove:
        found = self._search.best()
        if found is not None and found.move in legal:
            return found
        reason = self.problem or "the search has found no legal move in time"
        self._publisher.problem(reason)
        return BestMove(legal[0], note=f"{Method.FIRST_MOVE}; {reason}", source="tracker")

    def _notify(self) -> None:
        if self._deadline is not None:
            self._deadline.notify()

    async def close(self) -> None:
        """End the search's process."""
        self._publisher.ended("completed")
        self._search.close()
        await self._search.closed()


class Engines:
    """The engines of a match, by role: ``playing`` for opponents, ``advising`` for people.

    ``warming`` ends when the searches are compiled for this machine; None where they are.
    """

    def __init__(
        self,
        new: Callable[[Constant, str], RoleEngine],
        clock: WallClock,
        warming: asyncio.Future[None] | None = None,
    ) -> None:
        self.playing: dict[Constant, RoleEngine] = {}
        self.advising: dict[Constant, RoleEngine] = {}
        self._warming = warming
        self._may_ponder = True
        self._new = new
        self._cold: set[RoleEngine] = set()
        self._clock, self._begun = clock, clock()

    async def player(self, role: Constant, strategy: str) -> RoleEngine:
        """Return the engine that plays a role; it is started where it is not."""
        return await self._opened(self.playing, role, strategy, is_player=True)

    async def adviser(self, role: Constant, strategy: str) -> RoleEngine:
        """Return the engine that advises a person; it is started where it is not."""
        return await self._opened(self.advising, role, strategy, is_player=False)

    async def _opened(
        self, engines: dict[Constant, RoleEngine], role: Constant, strategy: str, is_player: bool
    ) -> RoleEngine:
        """Return a role's engine; one that began with interpreted rules is replaced.

        Searches that begin before the kernels are compiled do without them for the whole match.
        """
        is_warm = not strategy_class(strategy).looks_ahead or await self._is_warm()
        engine = engines.get(role)
        if engine is not None and is_warm and engine in self._cold:
            self._cold.discard(engine)
            del engines[role]
            await engine.close()
        if role not in engines:
            engines[role] = self._new(role, strategy)
            engines[role].let_ponder(self._may_ponder)
            engines[role].open(is_player)
            if not is_warm:
                self._cold.add(engines[role])
        return engines[role]

    async def _is_warm(self) -> bool:
        """Wait a while until the searches are compiled; return whether they are."""
        if self._warming is None:
            return True
        left = WARM_UP_SECONDS - (self._clock() - self._begun) / 1000
        await asyncio.wait([self._warming], timeout=max(0.0, left))
        return self._warming.done()

    def let_ponder(self, may_ponder: bool) -> None:
        """Have all search on others' time, too, or only when they are asked for a move."""
        self._may_ponder = may_ponder
        for engine in (*self.playing.values(), *self.advising.values()):
            engine.let_ponder(may_ponder)

    async def close(self) -> None:
        """End all processes."""
        engines = [*self.playing.values(), *self.advising.values()]
        self.playing.clear()
        self.advising.clear()
        self._cold.clear()
        await asyncio.gather(*(engine.close() for engine in engines))


def _started(setup: Setup) -> MatchStarted:
    start = setup.start
    return MatchStarted(
        match_id=start.match_id,
        rules=start.rules,
        start_clock=start.start_clock,
        play_clock=start.play_clock,
        role=start.role,
        player=setup.strategy,
        strategy=setup.strategy,
        manager="play",
    )
