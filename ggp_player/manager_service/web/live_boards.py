"""Boards of all matches under way, drawn from the moves that spectators may know.

A board follows from the rules and these moves alone, so it shows nothing that is hidden, and is as
late as the event is shown. It is drawn once, however many look, and what is said beside it is of
the same step. On a busy machine matches are faster than drawings: then steps are left out.

Apart from the pages, which know nothing of drawings.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import zip_longest

from gdl.language import RANDOM_ROLE
from ggp_player.manager_service.scheduling.public_view import RunningMatch
from ggp_player.manager_service.scheduling.scheduler import Scheduler
from ggp_player.manager_service.storage.store import EventMatch
from ggp_player.pages.drawer import Drawer
from ggp_player.pages.drawing_messages import Drawing, DrawMoves

MAX_BOARDS = 24
"""Boards on the page: those of the matches that began first."""

DRAWING_SECONDS = 2.0
"""How long a page waits for new drawings; until then it has the earlier ones."""


@dataclass(frozen=True, slots=True)
class LiveBoard:
    """A match under way, or one that is just over; ``drawing`` is of its ``step``.

    It is None where that is not shown, or not drawn yet. A newer one is on its way where it
    ``is_due``; before the last one ``is_last`` is false, and there are no ``goals``, unless it
    cannot be drawn. ``seats`` has each player, and the role that it plays where that is known.
    ``last_moves`` has who made which, without those that wait.
    """

    match: EventMatch
    step: int
    is_hidden: bool = False
    drawing: Drawing | None = None
    goals: tuple[int | None, ...] = ()
    is_last: bool = False
    is_due: bool = False

    @property
    def seats(self) -> list[tuple[str, str]]:
        """Each player with its role, empty where that is not known."""
        return list(zip_longest(self.match.players, self._roles, fillvalue=""))

    @property
    def last_moves(self) -> list[tuple[str, str]]:
        """What each role has done in the last step, with its player; nothing for who waited."""
        if self.drawing is None:
            return []
        player = dict(zip(self._roles, self.match.players, strict=False))
        return [(player.get(role, role), said) for role, said in self.drawing.last_moves if said]

    @property
    def _roles(self) -> tuple[str, ...]:
        roles = () if self.drawing is None else self.drawing.roles
        persons = tuple(role for role in roles if role.lower() != RANDOM_ROLE)
        return persons if len(persons) == len(self.match.players) else ()


@dataclass(slots=True)
class _Drawn:
    """What is drawn of a match: its ``step``, and the last one that was tried."""

    step: int = -1
    tried: int = -1
    drawing: Drawing | None = None
    task: asyncio.Task[None] | None = field(default=None, repr=False)


class LiveBoards:
    """Draws the boards, each as often as there is somebody who looks."""

    def __init__(self, scheduler: Scheduler, drawer: Drawer) -> None:
        self._scheduler = scheduler
        self._drawer = drawer
        self._drawn: dict[str, _Drawn] = {}
        self._turn = asyncio.Lock()
        self._tasks: set[asyncio.Task[None]] = set()

    async def boards(self) -> list[LiveBoard]:
        """Return the boards; those that are not drawn in time are of an earlier step."""
        public = self._scheduler.public
        recent = public.recent()
        self._forget({one.match.match_id for one in (*public.running.values(), *recent)})
        running = [*public.running.values(), *recent][:MAX_BOARDS]
        tasks = [task for one in running if (task := self._draw(one)) is not None]
        if tasks:
            await asyncio.wait(tasks, timeout=DRAWING_SECONDS)
        return [self._board(one) for one in running]

    def _board(self, running: RunningMatch) -> LiveBoard:
        match, goals = running.match, running.goals
        if running.is_hidden:
            return LiveBoard(match, running.step, is_hidden=True, goals=goals, is_last=bool(goals))
        drawn = self._drawn.get(match.match_id, _Drawn())
        is_due = drawn.tried != running.step or drawn.task is not None
        step = running.step if drawn.drawing is None else drawn.step
        return LiveBoard(
            match,
            step,
            drawing=drawn.drawing,
            goals=() if is_due and step != running.step else goals,
            is_last=bool(goals) and step == running.step,
            is_due=is_due,
        )

    def _draw(self, running: RunningMatch) -> asyncio.Task[None] | None:
        """Begin to draw a match's latest position, unless that is done or under way."""
        if running.is_hidden:
            return None
        drawn = self._drawn.setdefault(running.match.match_id, _Drawn())
        if drawn.task is None and drawn.tried != running.step:
            drawn.task = asyncio.create_task(self._drawing(running, drawn))
            self._tasks.add(drawn.task)
            drawn.task.add_done_callback(self._tasks.discard)
        return drawn.task

    async def _drawing(self, running: RunningMatch, drawn: _Drawn) -> None:
        """Draw the position that is the latest when it is this match's turn."""
        match = running.match
        try:
            rules, _ = await self._scheduler.call(self._scheduler.store.rules, match.digest)
            async with self._turn:
                moves = tuple(running.moves)
                drawn.tried = len(moves)
                found = await self._drawer.draw(DrawMoves(rules, moves, f"m{match.id}-"))
            if found:
                drawn.drawing, drawn.step = found[0], len(moves)
        finally:
            drawn.task = None

    def _forget(self, running: Iterable[str]) -> None:
        for gone in self._drawn.keys() - set(running):
            del self._drawn[gone]
