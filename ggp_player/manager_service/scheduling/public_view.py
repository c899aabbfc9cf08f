"""What spectators may know of events and matches: all that is shown of them goes through here.

Of a match that goes on, only what hides nothing is told: where its rules say what roles see, the
numbers of its steps and who was late, and no moves. An event may have a delay: then everything of
it is shown so many seconds after it has happened, all at once: live events, pages and API agree.
The scheduler itself waits for none of this.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from heapq import heappop, heappush
from typing import Any

from ggp_player.clock import WallClock, wall_clock
from ggp_player.manager.tournament.results import MatchResult
from ggp_player.manager.tournament.standings import Interval
from ggp_player.manager_service.scheduling.match_in_service import result_of
from ggp_player.manager_service.scheduling.news import News
from ggp_player.manager_service.scheduling.seeds import EventSecrets, MatchSecrets
from ggp_player.manager_service.storage.faces import ENDED, Faces
from ggp_player.manager_service.storage.store import OPEN, EventMatch, Store, StoredEvent
from ggp_player.match_runner.game_manager import MatchStep
from ggp_player.protocol import CONNECTION_ERROR, TIMEOUT

RECENT_MS = 20_000
"""How long the last position of a match is shown with those under way, in milliseconds."""

MAX_RECENT = 24
"""The most such matches; those that ended first are left out."""

MAX_DELAYED = 100_000
"""Things to be told later; of more, steps are not told at all."""


@dataclass(slots=True)
class RunningMatch:
    """A match under way as spectators see it; ``step`` is the latest.

    ``moves`` are the joint moves so far: where some are hidden, or were not told, they are fewer
    than steps. ``goals`` are there when it is over, which it was when ``ended``, in milliseconds.
    """

    match: EventMatch
    step: int = 0
    moves: list[tuple[str, ...]] = field(default_factory=list)
    goals: tuple[int | None, ...] = ()
    ended: int = 0

    @property
    def is_hidden(self) -> bool:
        """Whether moves are missing, so that the position is not known."""
        return self.step != len(self.moves)

    def take(self, number: int, values: Mapping[str, Any]) -> None:
        """Take what is told of a step."""
        self.step = number
        if "moves" in values and number == len(self.moves) + 1:
            self.moves.append(tuple(values["moves"]))


class PublicView:
    """Tells what happens when it may be known, and reads what may be seen.

    ``running`` has the matches under way by number. The methods that read the database are called
    in its thread, the others in the event loop.
    """

    def __init__(self, store: Store, news: News, now: WallClock = wall_clock) -> None:
        self.running: dict[int, RunningMatch] = {}
        self._recent: list[RunningMatch] = []
        self._store = store
        self._news = news
        self._now = now
        self._late: dict[int, StoredEvent] = {}
        self._over: set[int] = set()
        self._waiting: list[tuple[int, int, Callable[[], object]]] = []
        self._count = 0
        self._timer: asyncio.TimerHandle | None = None
        for event in store.events():
            if delay_of(event) and not self._is_all_shown(event):
                self.add_event(event)

    # What happens

    def add_event(self, event: StoredEvent) -> None:
        """Note that an event is shown late, if it is."""
        if delay_of(event):
            self._late[event.id] = event

    def event_started(self, event: StoredEvent) -> None:
        """Tell that an event begins, which is no secret at any time."""
        self.add_event(event)
        self._news.publish("event_started", event=event.id, name=event.name)

    def event_ended(self, number: int, status: str) -> None:
        """Tell that an event is over."""
        self._tell(number, partial(self._event_ended, number, status))

    def match_started(self, match: EventMatch) -> None:
        """Tell that a match begins."""
        self._tell(match.event, partial(self._match_started, match))

    def step_made(self, match: EventMatch, step: MatchStep, hides: bool) -> None:
        """Tell a step of a match; ``hides`` is whether something is hidden in it."""
        if match.event in self._late and len(self._waiting) >= MAX_DELAYED:
            return
        values = step_shown(step, hides)
        self._tell(match.event, partial(self._step_made, match, step.number, values))

    def match_ended(self, match: EventMatch, result: MatchResult) -> None:
        """Tell the result of a match."""
        self._tell(match.event, partial(self._match_ended, match, result))

    def match_left(self, match: EventMatch) -> None:
        """Note that an attempt of a match is over, whether it has a result or not."""
        self._tell(match.event, partial(self._match_left, match))

    def _event_ended(self, number: int, status: str) -> None:
        self._news.publish("event_ended", event=number, status=status)
        if number in self._late:
            self._over.add(number)
            self._forget(number)

    def _match_ended(self, match: EventMatch, result: MatchResult) -> None:
        if match.id in self.running:
            self.running[match.id].goals = result.goals
        values = {"players": match.players, "goals": result.goals, "failure": result.failure}
        self._publish("match_ended", match, values)

    def _match_left(self, match: EventMatch) -> None:
        left = self.running.pop(match.id, None)
        if left is not None and left.goals and not left.is_hidden:
            left.ended = self._now()
            self._recent = [*self._recent, left][-MAX_RECENT:]
        self._forget(match.event)

    def _forget(self, number: int) -> None:
        """Show an event as it is when it is over, and all its matches are."""
        if number in self._over and all(one.match.event != number for one in self.running.values()):
            self._over.discard(number)
            self._late.pop(number, None)

    def _match_started(self, match: EventMatch) -> None:
        self.running[match.id] = RunningMatch(match)
        self._publish("match_started", match, {})

    def _step_made(self, match: EventMatch, number: int, values: Mapping[str, Any]) -> None:
        if match.id in self.running:
            self.running[match.id].take(number, values)
        self._news.publish("match_step", match=match.id, step=number, **values)

    def _publish(self, kind: str, match: EventMatch, values: Mapping[str, object]) -> None:
        self._news.publish(
            kind, match=match.id, match_id=match.match_id, event=match.event, **values
        )

    def _tell(self, event: int, tell: Callable[[], object]) -> None:
        """Do at once what tells something of an event, or when its delay is over."""
        late = self._late.get(event)
        if late is None:
            tell()
            return
        self._count += 1
        heappush(self._waiting, (self._now() + 1000 * delay_of(late), self._count, tell))
        self.release()

    def release(self) -> None:
        """Tell what is due, and come back for the rest."""
        while self._waiting and self._waiting[0][0] <= self._now():
            heappop(self._waiting)[2]()
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._waiting:
            seconds = (self._waiting[0][0] - self._now()) / 1000
            self._timer = asyncio.get_running_loop().call_later(max(0.0, seconds), self.release)

    def close(self) -> None:
        """Tell nothing more."""
        self._waiting.clear()
        if self._timer is not None:
            self._timer.cancel()

    def recent(self) -> list[RunningMatch]:
        """List the matches that were shown to their ends, and ended a moment ago."""
        since = self._now() - RECENT_MS
        self._recent = [one for one in self._recent if one.ended > since]
        return list(self._recent)

    def matches_of_players(self) -> dict[str, str]:
        """Return for each player that is in a match which one."""
        return {
            name: f"match {number}"
            for number, running in self.running.items()
            for name in running.match.players
        }

    # What is kept

    def events(self) -> list[StoredEvent]:
        """List the events, the oldest first."""
        return [self._shown(event) for event in self._store.events()]

    def event(self, number: int) -> StoredEvent | None:
        """Return an event."""
        found = self._store.event(number)
        return None if found is None else self._shown(found)

    def counts(self, event: int | None = None) -> dict[str, int]:
        """Count matches by status."""
        return self._store.counts(event, self._faces())

    def matches(
        self,
        event: int | None = None,
        statuses: Sequence[str] = (),
        after: int = 0,
        limit: int | None = None,
        latest: bool = False,
    ) -> list[EventMatch]:
        """List matches in their order, or the latest first."""
        return self._store.matches(event, statuses, after, limit, latest, self._faces())

    def match(self, number: int) -> EventMatch | None:
        """Return a match."""
        return self._store.match(number, self._faces())

    def record(self, match: EventMatch) -> str | None:
        """Return the record of a match that has ended; None if there is none."""
        return self._store.record(match.id) if match.status in ENDED else None

    def results(self, event: int | None = None) -> list[MatchResult]:
        """List the results of an event, or of all."""
        found = self._store.results(event, self._faces())
        return list(map(result_of, found))

    def ratings(self, event: int) -> dict[str, Interval]:
        """Return the ratings that were kept of an event; none where they may tell too much."""
        return {} if event in self._late else self._store.ratings(event)

    def secrets(self, matches: Sequence[EventMatch]) -> dict[int, MatchSecrets]:
        """Return the secrets of the attempt, under way or next, that each match is shown with."""
        events = {match.event: self._store.event(match.event) for match in matches}
        of = {number: EventSecrets.of(event.settings) for number, event in events.items() if event}
        return {
            match.id: of[match.event].of_match(
                match.place, match.attempts + (match.status == "waiting")
            )
            for match in matches
        }

    def _is_all_shown(self, event: StoredEvent) -> bool:
        if self._shown(event).status in OPEN:
            return False
        counts = self._store.counts(event.id, Faces({event.id: self._instant(event)}))
        return not counts.keys() & {"running", "waiting"}

    def _faces(self) -> Faces:
        late = dict(self._late)
        instants = {number: self._instant(event) for number, event in late.items()}
        rounds = {
            number: first
            for number, event in late.items()
            if event.settings["format"] != "round_robin"  # all rounds are known beforehand
            and (first := self._store.open_round(number, instants[number])) is not None
        }
        return Faces(instants, rounds)

    def _instant(self, event: StoredEvent) -> int:
        return self._now() - 1000 * delay_of(event)

    def _shown(self, event: StoredEvent) -> StoredEvent:
        is_seen = event.ended is None or event.ended <= self._instant(event)
        if is_seen or not self._store.counts(event.id):  # an event that never began hides nothing
            return event
        return replace(event, status="running", ended=None)


def delay_of(event: StoredEvent) -> int:
    """Return after how many seconds spectators are shown what happens in an event."""
    return int(event.settings.get("spectator_delay", 0))


def step_shown(step: MatchStep, hides: bool) -> dict[str, Any]:
    """Return the step as spectators see it; in a game with percepts, only who was late."""
    if hides:
        late = [error if error in {TIMEOUT, CONNECTION_ERROR} else "" for error in step.errors]
        return {"errors": late}
    return {
        "moves": [str(move) for move in step.joint_move],
        "errors": step.errors,
        "seconds": [round(one, 4) for one in step.seconds],
        "overheads": [round(one, 4) for one in step.overheads],
    }
