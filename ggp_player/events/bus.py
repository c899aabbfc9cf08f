"""The event bus: hands every event to all who have subscribed, and waits for none of them.

Publishing appends to the queue of each subscription; readers take from theirs when they like, in
any thread. A reader that is too slow loses thoughts: it gets the newest before each other event of
the match, and every other event. One that does not read at all is cut off after
:data:`MAX_WAITING` events: what it would get later would have a gap.

The bus remembers the events of running matches, so that a reader that comes late can be told.
"""

from __future__ import annotations

import logging
import threading
from collections import deque
from collections.abc import Callable

from ggp_player.events.match_events import Event, MatchEnded, MatchStarted, StateReached, Thoughts

MAX_WAITING = 10_000
"""Events that wait for a reader, before it is cut off."""

MAX_REMEMBERED = 10_000
"""Events of a running match that are remembered; the oldest but the first are forgotten."""

_log = logging.getLogger(__name__)


class SubscriptionOverrunError(Exception):
    """The reader was too slow: events are lost, and there will be no more."""


class Subscription:
    """The events that wait for one reader; close it when it is no longer read.

    ``on_news`` is called by the publisher, in its thread, whenever there is something to read where
    there was nothing; it must return at once.
    """

    def __init__(
        self, bus: EventBus, wants_thoughts: bool, on_news: Callable[[], None], name: str
    ) -> None:
        self.wants_thoughts = wants_thoughts
        self.name = name
        self._bus = bus
        self._on_news = on_news
        self._lock = threading.Lock()
        self._waiting: dict[int, Event] = {}
        self._count = 0
        self._newest_thoughts: dict[str, int] = {}
        self._is_overrun = False

    def take(self) -> list[Event]:
        """Take what waits, in the order of publication; nothing where there is nothing.

        Raises :class:`SubscriptionOverrunError` where the events after those taken are lost.
        """
        with self._lock:
            taken = list(self._waiting.values())
            self._waiting.clear()
            self._newest_thoughts.clear()
        if self._is_overrun and not taken:
            raise SubscriptionOverrunError(f"{self.name} reads too slowly, and is cut off")
        return taken

    def put(self, event: Event) -> None:
        """Append an event, and never wait for long. Called by the bus."""
        if isinstance(event, Thoughts) and not self.wants_thoughts:
            return
        with self._lock:
            if self._is_overrun:
                return
            was_empty = not self._waiting
            if len(self._waiting) >= MAX_WAITING:
                self._is_overrun = True
                _log.error("%s reads events too slowly, and is cut off", self.name)
            else:
                self._append(event)
        if was_empty or self._is_overrun:
            self._on_news()

    def _append(self, event: Event) -> None:
        """Append an event; thoughts take the place of those after which nothing has happened."""
        older = self._newest_thoughts.pop(event.match, None)
        self._count += 1
        self._waiting[self._count] = event
        if isinstance(event, Thoughts):
            self._newest_thoughts[event.match] = self._count
            if older is not None:
                del self._waiting[older]

    def close(self) -> None:
        """Want no more events."""
        self._bus.unsubscribe(self)


class _Memory:
    """What is remembered of a running match: the newest state and thoughts, and all the rest."""

    def __init__(self, start: MatchStarted) -> None:
        self._start = start
        self._events: deque[Event] = deque(maxlen=MAX_REMEMBERED)
        self._newest: dict[type[Event], Event] = {}

    def add(self, event: Event) -> None:
        if isinstance(event, StateReached | Thoughts):
            self._newest[type(event)] = event
        else:
            self._events.append(event)

    def events(self) -> list[Event]:
        return [self._start, *self._events, *self._newest.values()]


class EventBus:
    """Delivers events; all methods can be called from any thread."""

    def __init__(self) -> None:
        self._publishers: tuple[Callable[[bool], None], ...] = ()
        self._lock = threading.Lock()
        self._subscriptions: tuple[Subscription, ...] = ()
        self._running: dict[str, _Memory] = {}

    @property
    def wants_thoughts(self) -> bool:
        """Whether anybody wants thoughts, which cost a search some time."""
        return any(one.wants_thoughts for one in self._subscriptions)

    @property
    def has_subscriptions(self) -> bool:
        """Whether anybody reads the events."""
        return bool(self._subscriptions)

    def subscribe(
        self,
        name: str,
        *,
        thoughts: bool = True,
        running: bool = False,
        on_news: Callable[[], None] = lambda: None,
    ) -> Subscription:
        """Begin to collect events for a reader, whose name is for the log.

        With ``running`` it first gets what is remembered of the running matches.
        """
        subscription = Subscription(self, thoughts, on_news, name)
        with self._lock:
            if running:
                for memory in self._running.values():
                    for event in memory.events():
                        subscription.put(event)
            before = self.wants_thoughts
            self._subscriptions = (*self._subscriptions, subscription)
        self._tell_interest(before)
        return subscription

    def unsubscribe(self, subscription: Subscription) -> None:
        """Collect no more events for a reader."""
        with self._lock:
            before = self.wants_thoughts
            others = (one for one in self._subscriptions if one is not subscription)
            self._subscriptions = tuple(others)
        self._tell_interest(before)

    def publish(self, event: Event) -> None:
        """Hand an event to all subscriptions. Never waits for a reader, and never raises."""
        try:
            with self._lock:
                self._remember(event)
                for subscription in self._subscriptions:
                    subscription.put(event)
        except Exception:
            _log.exception("an event is lost: %s", type(event).__name__)

    def call_on_interest(self, publisher: Callable[[bool], None]) -> None:
        """Call with whether anybody wants thoughts, whenever that changes, in any thread."""
        with self._lock:
            self._publishers = (*self._publishers, publisher)

    def call_no_more(self, publisher: Callable[[bool], None]) -> None:
        """Undo :meth:`call_on_interest`."""
        with self._lock:
            self._publishers = tuple(one for one in self._publishers if one != publisher)

    def _remember(self, event: Event) -> None:
        if isinstance(event, MatchStarted):
            self._running[event.match] = _Memory(event)
        elif isinstance(event, MatchEnded):
            self._running.pop(event.match, None)
        elif (memory := self._running.get(event.match)) is not None:
            memory.add(event)

    def _tell_interest(self, before: bool) -> None:
        now = self.wants_thoughts
        if now != before:
            for publisher in self._publishers:
                publisher(now)
