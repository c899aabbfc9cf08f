"""Analyses: searches of positions that viewers ask for, beside the matches and after them.

Each has processes of its own, of low priority, one for each role that it has searched for, of which
one searches at a time. It ends with its viewer, at its limit of time, or with the server. Its
events go nowhere but to its viewer: they are of no match.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from pydantic_core import to_json

from gdl.analysis.move_names import MoveNames
from ggp_player.errors import AnalysisError
from ggp_player.events import EventBus, MatchProblem, MatchPublisher, Thoughts
from ggp_player.pages.drawer import Drawer
from ggp_player.pages.drawing_messages import MAX_LINE, DrawState, Line
from ggp_player.pages.positions import ShownPosition, role_to_search
from ggp_player.pages.told_moves import moves_of_view
from ggp_player.protocol import Start
from ggp_player.worker.pool import TakeWorker
from ggp_player.worker.supervisor import SearchSupervisor, Setup

STRATEGIES = ("auto", "mcts", "uct", "proof", "alpha_beta", "minimax")
"""The strategies that a viewer can choose; the first unless another is chosen."""

MAX_ANALYSES = 2
"""Analyses at a time, of all viewers."""

ANALYSIS_SECONDS = 180.0
"""How long an analysis goes on after the last position that its viewer led it to."""

UNSEEN_SECONDS = 10.0
"""How long one goes on that nobody looks at yet."""

MAX_ROLES = 2
"""Roles of an analysis that keep a process, with what its search has found out."""

CLOCK = 600
"""Seconds of the clocks that a search is told, which bound how long it compiles."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class AnalysisLimits:
    """``count`` analyses at a time, each for ``seconds`` after the viewer's last move.

    One that nobody looks at after ``unseen`` seconds ends. ``cores`` are those that matches and
    analyses share.
    """

    count: int = MAX_ANALYSES
    seconds: float = ANALYSIS_SECONDS
    unseen: float = UNSEEN_SECONDS
    cores: int = 1


@dataclass(frozen=True, slots=True)
class AnalysisSubject:
    """What is analysed: a match, and with which strategy."""

    match_id: str
    rules: str
    strategy: str


@dataclass(frozen=True, slots=True)
class Means:
    """What analyses work with: processes that search, and the one that draws."""

    workers: TakeWorker
    drawer: Drawer


class Analyses:
    """The analyses that run; ``running_matches`` tells how many matches are played now."""

    def __init__(
        self, means: Means, running_matches: Callable[[], int], limits: AnalysisLimits
    ) -> None:
        self._means = means
        self._running_matches = running_matches
        self._limits = limits
        self._running: dict[str, PositionAnalysis] = {}
        self._ending: set[asyncio.Task[None]] = set()

    def begin(self, subject: AnalysisSubject, position: ShownPosition) -> PositionAnalysis:
        """Begin an analysis. Raises :class:`AnalysisError` where there is no room for it."""
        if subject.strategy not in STRATEGIES:
            raise AnalysisError(f"analyses know the strategies {', '.join(STRATEGIES)}")
        if position.is_over:
            raise AnalysisError("the match is over here: there is nothing to search")
        limits, matches = self._limits, self._running_matches()
        if matches and matches + len(self._running) >= limits.cores:
            raise AnalysisError("the server needs all its cores for the matches that it plays now")
        if len(self._running) >= limits.count:
            raise AnalysisError(f"there are {limits.count} analyses already, and no more at a time")
        analysis = PositionAnalysis(subject, self._means, limits, self._forget)
        self._running[analysis.key] = analysis
        analysis.go_to(position)
        return analysis

    def find(self, key: str) -> PositionAnalysis:
        """The running analysis of a key. Raises :class:`AnalysisError` where there is none."""
        found = self._running.get(key)
        if found is None:
            raise AnalysisError("this analysis has ended")
        return found

    @property
    def count(self) -> int:
        """How many run."""
        return len(self._running)

    async def close(self) -> None:
        """End all, and wait until no process of theirs is on its way."""
        for analysis in list(self._running.values()):
            analysis.end("the server is stopping")
        await asyncio.gather(*self._ending, return_exceptions=True)

    def _forget(self, analysis: PositionAnalysis) -> None:
        self._running.pop(analysis.key, None)
        task = asyncio.create_task(analysis.ended())
        self._ending.add(task)
        task.add_done_callback(self._ending.discard)


class PositionAnalysis:
    """A search that goes where its viewer goes. ``key`` is known to nobody else."""

    def __init__(
        self,
        subject: AnalysisSubject,
        means: Means,
        limits: AnalysisLimits,
        on_end: Callable[[PositionAnalysis], None],
    ) -> None:
        self.key = secrets.token_hex(16)
        self.is_over = False
        self._subject = subject
        self._means = means
        self._limits = limits
        self._on_end = on_end
        self._searches: OrderedDict[str, SearchSupervisor] = OrderedDict()
        self._old: list[SearchSupervisor] = []
        self._bus = EventBus()
        self._events = self._bus.subscribe("an analysis", on_news=self._take)
        self._position: ShownPosition | None = None
        self._role = ""
        self._thoughts: Thoughts | None = None
        self._places: Line = ()
        self._names: MoveNames | None = None
        self._notice = ""
        self._version = 0
        self._news = asyncio.Event()
        self._placing: asyncio.Task[None] | None = None
        self._limit: asyncio.TimerHandle | None = None
        self._unseen = asyncio.get_running_loop().call_later(limits.unseen, self.end)

    # ---------------------------------------------------------------------- for the viewer

    def go_to(self, position: ShownPosition) -> None:
        """Search another position; where the match is over, none."""
        if self.is_over:
            raise AnalysisError("this analysis has ended")
        self._restart_limit()
        if self._position is not None and self._position.history == position.history:
            return
        if self._role in self._searches:
            self._searches[self._role].stop()
        self._position, self._role = position, role_to_search(position)
        self._thoughts, self._places, self._notice = None, (), ""
        if not position.is_over:
            search = self._search_of(self._role)
            search.stop()
            search.go_to(position.history)
            search.search()
        self._tell()

    @contextmanager
    def looked_at(self) -> Iterator[None]:
        """End with the viewer, who looks while this is entered."""
        self._unseen.cancel()
        try:
            yield
        finally:
            self.end()

    async def news(self) -> None:
        """Wait until something changes."""
        await self._news.wait()

    def message(self, version: int) -> tuple[int, bytes]:
        """All that there is to see as JSON, and its version; nothing where that is known."""
        if version == self._version or self._position is None:
            return version, b""
        position = self._position
        shown = {
            "step": position.step,
            "line": position.line,
            "role": self._role,
            "is_over": self.is_over,
            "notice": self._notice,
            "thoughts": self._thoughts,
            "names": self._names.told(moves_of_view(self._thoughts)) if self._names else {},
            "places": self._places,
        }
        return self._version, to_json(shown)

    def end(self, notice: str = "") -> None:
        """End it; the notice says why."""
        if self.is_over:
            return
        self.is_over, self._notice = True, notice
        self._unseen.cancel()
        if self._limit is not None:
            self._limit.cancel()
        if self._placing is not None:
            self._placing.cancel()
        for search in self._searches.values():
            search.close()
        self._events.close()
        self._tell()
        self._on_end(self)

    async def ended(self) -> None:
        """Wait until none of its processes is on its way."""
        for search in (*self._old, *self._searches.values()):
            await search.closed()
        if self._placing is not None:
            await asyncio.wait([self._placing])

    # ---------------------------------------------------------------------- searching

    def _restart_limit(self) -> None:
        if self._limit is not None:
            self._limit.cancel()
        seconds = self._limits.seconds
        notice = f"the analysis has ended after {seconds:g} s without another position"
        self._limit = asyncio.get_running_loop().call_later(seconds, self.end, notice)

    def _search_of(self, role: str) -> SearchSupervisor:
        """The search for a role; the one that was not needed for the longest time makes room."""
        if role not in self._searches:
            if len(self._searches) >= MAX_ROLES:
                _, oldest = self._searches.popitem(last=False)
                oldest.close()
                self._old.append(oldest)
            self._searches[role] = self._new_search(role)
        self._searches.move_to_end(role)
        return self._searches[role]

    def _new_search(self, role: str) -> SearchSupervisor:
        subject, position = self._subject, self._position
        assert position is not None
        setup = Setup(
            Start(f"analysis of {subject.match_id}", role, subject.rules, CLOCK, CLOCK),
            subject.strategy,
            seed=self.key,
            history=position.history,
            events=MatchPublisher(self._bus),
        )
        search = SearchSupervisor(setup, self._means.workers, self._note_problem)
        search.open()
        return search

    def _note_problem(self) -> None:
        """Tell why the search can find nothing, where it says so."""
        search = self._searches.get(self._role)
        if search is not None and search.unplayable and search.unplayable != self._notice:
            self._notice = search.unplayable
            self._tell()

    def _take(self) -> None:
        """Follow the events of the searches; called in the event loop, where they come from."""
        for event in self._events.take():
            if isinstance(event, MatchProblem):
                self._notice = event.text
            elif isinstance(event, Thoughts) and self._is_of_position(event):
                self._thoughts = event
                self._place_soon()
        self._tell()

    def _is_of_position(self, thoughts: Thoughts) -> bool:
        search, position = self._searches.get(self._role), self._position
        is_ours = search is not None and search.setup.events.match == thoughts.match
        return is_ours and position is not None and thoughts.turn == len(position.history)

    # ---------------------------------------------------------------------- telling

    def _place_soon(self) -> None:
        if not self.is_over and (self._placing is None or self._placing.done()):
            self._placing = asyncio.create_task(self._place())

    async def _place(self) -> None:
        """Find where the line is on the board that the search expects now."""
        placed: Line | None = None
        if self._names is None:
            self._names = await self._means.drawer.names(self._subject.rules)
            self._tell()
        while (thoughts := self._thoughts) is not None and thoughts.line[:MAX_LINE] != placed:
            position, placed = self._position, thoughts.line[:MAX_LINE]
            assert position is not None
            request = DrawState(
                self._subject.rules, position.state, line=placed, with_drawing=False
            )
            drawings = await self._means.drawer.draw(request)
            if position is self._position:
                self._places = drawings[0].line if drawings else ()
                self._tell()

    def _tell(self) -> None:
        self._version += 1
        self._news.set()
        self._news = asyncio.Event()
