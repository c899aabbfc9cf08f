"""The matches of a server as its pages show them, live.

One reader of the events serves all viewers: a match is followed, drawn and encoded once, whoever
looks at it, so that a viewer costs the server no more than sending bytes. Searches report what they
think only while somebody looks.
"""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager

from pydantic_core import to_json

from ggp_player.clock import WallClock, wall_clock
from ggp_player.events import (
    EventBus,
    MatchStarted,
    StateReached,
    Subscription,
    SubscriptionOverrunError,
    Thoughts,
)
from ggp_player.pages.drawer import Drawer
from ggp_player.pages.drawing_messages import MAX_LINE, DrawState, Line
from ggp_player.pages.match_view import MatchView, ShownMatch

MAX_MATCHES = 50
"""Matches that are kept, running and ended; the oldest that have ended are forgotten first."""

DRAWING_SECONDS = 1.0
"""How long a position waits for its drawing; then it is shown without, until that comes."""

BATCH = 64
"""Events that are followed before others get their turn in the event loop."""

_log = logging.getLogger(__name__)


class LiveMatches:
    """Follows the events of a bus, while it is entered, and tells viewers that there is news."""

    def __init__(
        self, bus: EventBus, drawer: Drawer | None = None, clock: WallClock = wall_clock
    ) -> None:
        self.matches: OrderedDict[str, MatchView] = OrderedDict()
        self.viewers = 0
        self.is_closing = False
        self._bus = bus
        self.drawer = drawer or Drawer()
        self._clock = clock
        self._events: Subscription | None = None
        self._thoughts: Subscription | None = None
        self._wake = asyncio.Event()
        self._on_news: Callable[[], None] = self._wake.set
        self._news = asyncio.Event()
        self._looked_at: dict[str, int] = {}
        self._drawn: dict[str, object] = {}
        self._shown: dict[str, ShownMatch] = {}
        self._waiting: dict[str, asyncio.TimerHandle] = {}
        self._messages: dict[tuple[str, int], tuple[int, bytes]] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._drawing: set[str] = set()

    async def __aenter__(self) -> LiveMatches:
        loop = asyncio.get_running_loop()
        self._on_news = lambda: _call(loop, self._wake.set)
        self._events = self._bus.subscribe(
            "the pages", thoughts=False, running=True, on_news=self._on_news
        )
        self._begin(self._follow())
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """End all streams, and follow no longer."""
        self.is_closing = True
        self._tell()
        for waiting in self._waiting.values():
            waiting.cancel()
        for subscription in (self._events, self._thoughts):
            if subscription is not None:
                subscription.close()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self.drawer.close()

    # ---------------------------------------------------------------------- viewers

    def expect_viewers(self) -> None:
        """Prepare for drawings: somebody has opened a page."""
        if self.drawer.helper.process is None and not self.is_closing:
            self._begin(self.drawer.warm_up())

    @contextmanager
    def look(self, match: str = "") -> Iterator[None]:
        """Count a viewer while the result is entered: of a match, or of the list."""
        self.viewers += 1
        if match:
            self._looked_at[match] = self._looked_at.get(match, 0) + 1
            if self._thoughts is None:
                self._thoughts = self._bus.subscribe("the viewers", on_news=self._on_news)
            self._draw_soon(match)
        try:
            yield
        finally:
            self._end_looking(match)

    def _end_looking(self, match: str) -> None:
        self.viewers -= 1
        if not match:
            return
        self._looked_at[match] -= 1
        if not self._looked_at[match]:
            del self._looked_at[match]
            self._forget_shown(match)
        if not self._looked_at and self._thoughts is not None:
            self._thoughts.close()
            self._thoughts = None

    async def news(self) -> None:
        """Wait until something has changed."""
        await self._news.wait()

    def message(self, match: str, version: int) -> tuple[int, bytes]:
        """What has changed in a match since a version, as JSON, and the version that this is.

        It is empty where nothing has changed, and encoded once for all that have the same version.
        Board, moves and clock are always of the same turn: a new one waits for its board.
        """
        shown = self._newest_shown(match)
        if shown is None or shown.version == version:
            return version, b""
        known = self._messages.get((match, version))
        if known is None or known[0] != shown.version:
            self._forget_messages(match, shown.version)
            changes = {"now": self._clock(), **shown.changes_since(version)}
            known = self._messages[match, version] = shown.version, to_json(changes)
        return known

    def _newest_shown(self, match: str) -> ShownMatch | None:
        """What is shown of a match: the newest turn, once it is drawn."""
        view, shown = self.matches.get(match), self._shown.get(match)
        if view is None:
            return None
        if view.is_whole:
            if shown is None or shown.version != view.version:
                shown = self._shown[match] = view.shown()
            self._wait_no_longer(match)
        elif match not in self._waiting and not self.is_closing:
            loop = asyncio.get_running_loop()
            self._waiting[match] = loop.call_later(DRAWING_SECONDS, self._show_undrawn, match)
        return shown

    def _show_undrawn(self, match: str) -> None:
        """Show the newest turn without its board, unless that has come."""
        self._wait_no_longer(match)
        view = self.matches.get(match)
        if view is not None and not view.is_whole:
            view.do_without_drawing()
            self._tell()

    def _wait_no_longer(self, match: str) -> None:
        if (waiting := self._waiting.pop(match, None)) is not None:
            waiting.cancel()

    def _forget_shown(self, match: str) -> None:
        self._shown.pop(match, None)
        self._wait_no_longer(match)
        self._forget_messages(match)

    def list_message(self) -> bytes:
        """All matches, the latest first, as JSON."""
        return to_json({"matches": self.summaries()})

    def summaries(self) -> list[dict[str, object]]:
        """All matches, the latest first."""
        return [view.summary() for view in reversed(self.matches.values())]

    def _forget_messages(self, match: str, version: int = -1) -> None:
        for key in [key for key, known in self._messages.items() if key[0] == match]:
            if self._messages[key][0] != version:
                del self._messages[key]

    # ---------------------------------------------------------------------- events

    async def _follow(self) -> None:
        while True:
            await self._wake.wait()
            self._wake.clear()
            changed = await self._take()
            for match in changed & self._looked_at.keys():
                self._draw_soon(match)
            if changed:
                self._tell()

    async def _take(self) -> set[str]:
        """Follow all events that wait; return the matches that they are of."""
        assert self._events is not None
        changed: set[str] = set()
        try:
            events = self._events.take()
            if self._thoughts is not None:
                events += [one for one in self._thoughts.take() if isinstance(one, Thoughts)]
        except SubscriptionOverrunError:
            self._start_again()
            return set(self.matches)
        for number, event in enumerate(events, 1):
            if isinstance(event, MatchStarted):
                self._add(event)
            elif (view := self.matches.get(event.match)) is not None:
                view.apply(event)
            changed.add(event.match)
            if number % BATCH == 0:
                await asyncio.sleep(0)
        return changed

    def _start_again(self) -> None:
        """Subscribe again after events were lost, and follow what is still running."""
        _log.warning("the pages were too slow for the events, and show what is known now")
        for subscription in (self._events, self._thoughts):
            if subscription is not None:
                subscription.close()
        self._events = self._bus.subscribe(
            "the pages", thoughts=False, running=True, on_news=self._on_news
        )
        if self._thoughts is not None:
            self._thoughts = self._bus.subscribe("the viewers", on_news=self._on_news)
        self._wake.set()

    def _add(self, start: MatchStarted) -> None:
        self.matches[start.match] = MatchView(start)
        ended = [key for key, view in self.matches.items() if view.is_over]
        while len(self.matches) > MAX_MATCHES and ended:
            self._drop(ended.pop(0))
        while len(self.matches) > 2 * MAX_MATCHES:
            self._drop(next(iter(self.matches)))

    def _drop(self, match: str) -> None:
        del self.matches[match]
        self._drawn.pop(match, None)
        self._forget_shown(match)

    def _tell(self) -> None:
        """Wake all who wait for news; those who come later wait for the next."""
        self._news.set()
        self._news = asyncio.Event()

    # ---------------------------------------------------------------------- drawings

    def _draw_soon(self, match: str) -> None:
        """Have the newest state of a match drawn, unless that goes on already."""
        if match in self.matches and match not in self._drawing and not self.is_closing:
            self._drawing.add(match)
            self._begin(self._draw(match))

    async def _draw(self, match: str) -> None:
        """Draw until there is nothing newer to draw."""
        view = self.matches[match]
        try:
            while match in self._looked_at and await self._draw_next(view):
                self._tell()
        finally:
            self._drawing.discard(match)

    async def _draw_next(self, view: MatchView) -> bool:
        """Draw a state, or place a line on it; return whether there was something to do."""
        state, match = view.state, view.start.match
        if state is None:
            return False
        line = _line(view, state)
        is_new = self._drawn.get(match) is not state
        if not is_new and line == view.placed_line:
            return False
        request = DrawState(
            view.start.rules, state.state, view.before, line=line, with_drawing=is_new
        )
        draft = view.begin_drawing() if is_new and state.turn == view.turn else None
        drawings = await self.drawer.draw(request)
        self._drawn[match] = state
        if drawings and is_new:
            view.set_drawing(state, drawings[0])
            if draft is not None and not view.is_whole:  # it has gone on, and this was whole
                self._show(match, draft.with_board(view.board()))
        view.set_places(line, drawings[0].line if drawings else ())
        if view.names is None:
            view.set_names(await self.drawer.names(view.start.rules))
        return True

    def _show(self, match: str, shown: ShownMatch) -> None:
        """Show what is not the newest any more, unless something newer is shown."""
        known = self._shown.get(match)
        if known is None or known.version < shown.version:
            self._shown[match] = shown
            self._wait_no_longer(match)

    def _begin(self, work: Coroutine[None, None, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._done)

    def _done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            _log.error("the pages have failed", exc_info=error)


def _line(view: MatchView, state: StateReached) -> Line:
    """The beginning of the line that is expected from a state on."""
    thoughts = view.thoughts
    return thoughts.line[:MAX_LINE] if thoughts is not None and thoughts.turn == state.turn else ()


def _call(loop: asyncio.AbstractEventLoop, function: Callable[[], None]) -> None:
    """Call in the event loop, in any thread, unless it has ended."""
    try:
        loop.call_soon_threadsafe(function)
    except RuntimeError:
        _log.debug("the pages have ended")
