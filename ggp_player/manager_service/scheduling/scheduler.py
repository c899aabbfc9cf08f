"""The scheduler: it plays what waits as soon as the players are free, and goes on after a restart.

Matches wait in the order of their events' plans; the first whose players are free is played. A
match goes on when a player dies in it: the game manager moves at random in its place. A match that
cannot be played to its end, as its rules take too long or have no legal move, has failed, and the
event goes on. When the last match of a round is over, the next round is planned.

The order of transactions makes a kill harmless at any instant: an attempt is written before START
leaves, and the result with the record in one transaction before STOP does. What was under way at a
kill is found as an attempt without an end; its players get ABORT, and the match waits again.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Callable, Mapping, Sequence, Set
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any, ParamSpec, TypeVar

from sqlalchemy.exc import SQLAlchemyError

import gdl
from gdl import Ruleset
from gdl.language import moves_by_chance
from gdl.system import available_cpus
from ggp_player.clock import WallClock, wall_clock
from ggp_player.errors import ManagerError, StoppingError
from ggp_player.events import EventBus
from ggp_player.manager.tournament.ratings import rate
from ggp_player.manager.tournament.results import MatchResult
from ggp_player.manager.tournament.schedule import PlannedMatch
from ggp_player.manager_service.rules.rules_pool import RemoteRules, RulesPool
from ggp_player.manager_service.scheduling.clients import is_strategy, polls
from ggp_player.manager_service.scheduling.event_formats import EventPlan, next_matches
from ggp_player.manager_service.scheduling.match_in_service import (
    MAX_LACKS,
    Decision,
    MatchInService,
    decided,
    result_of,
)
from ggp_player.manager_service.scheduling.news import News
from ggp_player.manager_service.scheduling.public_view import PublicView, delay_of
from ggp_player.manager_service.scheduling.roster import CHECK_PAUSE, Presence, Roster
from ggp_player.manager_service.scheduling.seeds import EventSecrets
from ggp_player.manager_service.scheduling.sequential_events import sequential_test_of
from ggp_player.manager_service.storage.faces import ENDED
from ggp_player.manager_service.storage.store import (
    OPEN,
    EventMatch,
    Store,
    StoredEvent,
    StoredPlayer,
)
from ggp_player.match_runner.own_faults import LackError, SelfWatch

RETRY_SECONDS = 1.0
"""Seconds before what the database could not take is tried again."""

LACK_PAUSE = 2.0
"""Seconds before such a match waits again, times how often it was broken off."""

RATED_MATCHES = 50
"""After so many results the ratings of an event are computed anew, but see below."""

RATED_SHARE = 0.1
"""So much of all results of an event is new when its ratings are computed anew."""

_Given = ParamSpec("_Given")
_Found = TypeVar("_Found")

_log = logging.getLogger(__name__)


@dataclass(slots=True)
class _OpenEvent:
    """An event that is not over; ``waiting`` has its matches in their order."""

    event: StoredEvent
    waiting: dict[int, EventMatch] = field(default_factory=dict)
    names: frozenset[str] = frozenset()
    running: int = 0
    unrated: int = 0
    rated: int = 0
    is_planning: bool = False
    lacks: Counter[int] = field(default_factory=Counter)

    def wait_for(self, matches: Sequence[EventMatch]) -> None:
        """Have these matches wait."""
        self.waiting = {match.id: match for match in matches}
        self.names = frozenset(name for match in matches for name in match.players)

    @property
    def may_be_planned(self) -> bool:
        """Whether it is time for the next round."""
        is_idle = not (self.is_planning or self.waiting or self.running)
        return self.is_running and is_idle

    @property
    def is_running(self) -> bool:
        """Whether matches of it may begin."""
        return self.event.status == "running"

    def is_rating_due(self) -> bool:
        """Count a result; return whether there are enough new ones for new ratings."""
        self.unrated += 1
        if self.unrated < max(RATED_MATCHES, RATED_SHARE * self.rated):
            return False
        self.rated, self.unrated = self.rated + self.unrated, 0
        return True


class Scheduler:
    """Plays the matches of all running events. ``start`` it, and ``close`` it at the end.

    At most ``concurrency`` matches are played at a time. ``archive`` is told what happens in them.
    """

    def __init__(
        self,
        store: Store,
        rules: RulesPool,
        concurrency: int,
        archive: EventBus | None = None,
        now: WallClock = wall_clock,
    ) -> None:
        self.news = News(now)
        self.roster = Roster(now=now)
        self.public = PublicView(store, self.news, now)
        self.store = store
        self.now = now
        self._running: dict[int, int] = {}
        """The matches under way, with how many of their seats have strategies of our own."""
        self._in_service: dict[int, MatchInService] = {}
        self._cores = available_cpus()
        self._rules = rules
        self._concurrency = concurrency
        self.archive = archive or EventBus()
        self._events: dict[int, _OpenEvent] = {}
        self._rulesets: dict[str, tuple[Ruleset, str]] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._threads = ThreadPoolExecutor(1, "database")
        self._is_closing = self._is_closed = False
        self.own = SelfWatch()

    async def call(
        self, function: Callable[_Given, _Found], *given: _Given.args, **named: _Given.kwargs
    ) -> _Found:
        """Call what uses the database, one call after the other, in a thread, until closed."""
        if self._is_closed:
            raise StoppingError("the manager is being stopped")
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._threads, lambda: function(*given, **named))

    async def start(self) -> None:
        """Go on where the last manager ended."""
        self.roster.clients.people.on_change = self._person_changed
        for player in await self.call(self.store.players):
            self.roster.put(player)
        open_attempts = await self.call(self.store.recover)
        known = self.roster.presences
        await asyncio.gather(
            *(
                self.roster.clients.abort(known[name].player, match_id)
                for match_id, players in open_attempts
                for name in players
                if name in known
            )
        )
        for event in await self.call(self.store.events, OPEN):
            waiting = await self.call(self.store.matches, event.id, ("waiting",))
            self._events[event.id] = _OpenEvent(event)
            self._events[event.id].wait_for(waiting)
        self._spawn(self.own.run())
        self._spawn(self._watch_players())
        for number in list(self._events):
            self._spawn(self._plan(number))

    async def close(self) -> None:
        """Abort what is under way; it is played again by the next manager."""
        self._is_closing = True
        for task in list(self._tasks):
            task.cancel()
        # Else each match would wait for a step of its game, maybe a long one, to give up its rules.
        await asyncio.to_thread(self._rules.close)
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self.roster.clients.people.close()
        self.public.close()
        self.news.close()
        self._is_closed = True
        await asyncio.to_thread(self._threads.shutdown)

    async def add_event(
        self,
        name: str,
        settings: Mapping[str, Any],
        digests: Mapping[str, str],
        status: str = "running",
    ) -> StoredEvent:
        """Begin an event, or plan one that :meth:`start_event` begins."""
        event = await self.call(self.store.add_event, name, settings, digests, status)
        self._events[event.id] = _OpenEvent(event)
        self.public.add_event(event)
        if event.status == "running":
            self.public.event_started(event)
            self._spawn(self._plan(event.id))
        return event

    async def start_event(self, number: int) -> bool:
        """Begin an event that is planned, or go on with one that is paused."""
        open_event = await self._turn_event(number, ("planned", "paused"), "running")
        if open_event is None:
            return False
        self.public.event_started(open_event.event)
        self._spawn(self._plan(number))
        return True

    async def pause_event(self, number: int) -> bool:
        """Begin no match of an event; what is under way is played to its end."""
        open_event = await self._turn_event(number, ("running",), "paused")
        if open_event is not None:
            self.news.publish("event_paused", event=number)
        return open_event is not None

    async def _turn_event(
        self, number: int, before: Sequence[str], status: str
    ) -> _OpenEvent | None:
        found = self._events.get(number)
        done = await self.call(self.store.turn_event, number, before, status)
        if not done or found is None:
            return None
        found.event = replace(found.event, status=status)
        return found

    async def withdraw(self, number: int, player: str) -> bool:
        """Withdraw a player from an event: what waits with it is not played."""
        event = await self.call(self.store.withdraw, number, player)
        open_event = self._events.get(number)
        if event is None or open_event is None:
            return False
        open_event.event = event
        waiting = [one for one in open_event.waiting.values() if player not in one.players]
        open_event.wait_for(waiting)
        self.news.publish("player_withdrawn", event=number, name=player)
        self._spawn(self._plan(number))
        return True

    async def decide(self, number: int, decision: Decision) -> bool:
        """Give a match a result by decision; return whether it could be given one.

        One that is under way is broken off, and its players get ABORT.
        """
        match = await self.call(self.store.match, number)
        if match is None or match.status not in {"waiting", "running", *ENDED}:
            return False
        if (playing := self._in_service.get(number)) is not None:
            return playing.decide(decision)
        _, roles = await self.call(self.store.rules, match.digest)
        result = decided(match, player_roles(roles), decision)
        if not await self.call(self.store.decide, number, match.status, result):
            return False
        if (open_event := self._events.get(match.event)) is not None:
            open_event.waiting.pop(number, None)
            self._spawn(self._rate(match.event))
            self._spawn(self._plan(match.event))
        self.public.match_ended(match, result_of(result))
        return True

    async def cancel_event(self, number: int) -> bool:
        """Cancel an event: what waits is not played, what is under way is played to its end."""
        done = await self.call(self.store.end_event, number, "cancelled")
        if done:
            self._events.pop(number, None)
            self.public.event_ended(number, "cancelled")
        return done

    async def put_player(self, player: StoredPlayer) -> None:
        """Add or renew a player, and find out whether it can be reached."""
        await self.call(self.store.put_player, player)
        is_new = player.name not in self.roster.presences
        presence = self.roster.put(player)
        if is_new or presence.status != "available":
            if polls(player):  # it polls again when this has been answered
                self._spawn(self._check(presence))
            else:
                await self._check(presence)
        self._play_what_can()

    async def _check(self, presence: Presence) -> None:
        await self.roster.check(presence.player.name)
        self.news.publish("player", name=presence.player.name, status=presence.status)
        self._play_what_can()

    def _person_changed(self, name: str) -> None:
        """Find out whether somebody is here, who has opened or left the page."""
        presence = self.roster.presences.get(name)
        if presence is not None:
            self._spawn(self._check(presence))

    async def remove_player(self, name: str) -> bool:
        """Remove a player; a match that it is in goes on without it."""
        found = await self.call(self.store.remove_player, name)
        presence = self.roster.remove(name)
        if presence is not None and not presence.match_id:
            await self.roster.clients.forget(presence.player)
        if found:
            self.news.publish("player", name=name, status="removed")
        return found

    async def _watch_players(self) -> None:
        """Find out again and again who can be reached, and whose registration has expired."""
        while True:
            await self.roster.check_all()
            for name in self.roster.expired():
                _log.info("the registration of %s has expired", name)
                await self.remove_player(name)
            self._play_what_can()
            await asyncio.sleep(CHECK_PAUSE)

    def _play_what_can(self) -> None:
        """Begin the matches whose players are free."""
        if self._is_closing:
            return
        open_events = [one for one in self._events.values() if one.is_running and one.waiting]
        named = {name for one in open_events for name in one.names}
        free = {name for name in named if self.roster.can_begin(name)}
        own = {name for name in free if self._is_own(name)}
        for open_event in open_events:
            for match in list(open_event.waiting.values()):
                if len(self._running) >= self._concurrency:
                    return
                if self._own_seats >= self._cores:
                    free -= own
                if not free:
                    return
                if free.issuperset(match.players) and self._has_cores(match, own):
                    free.difference_update(set(match.players) - own)
                    self._begin(open_event, match, own)

    def _is_own(self, name: str) -> bool:
        found = self.roster.presences.get(name)
        return found is not None and is_strategy(found.player)

    @property
    def _own_seats(self) -> int:
        """The seats under way that have strategies of our own, which compute on this machine."""
        return sum(self._running.values())

    def _has_cores(self, match: EventMatch, own: Set[str]) -> bool:
        """Whether strategies of our own have a core each; where too few are there, all of them."""
        wanted, taken = sum(name in own for name in match.players), self._own_seats
        return not wanted or not taken or taken + wanted <= self._cores

    def _begin(self, open_event: _OpenEvent, match: EventMatch, own: Set[str]) -> None:
        del open_event.waiting[match.id]
        open_event.running += 1
        self._running[match.id] = sum(name in own for name in match.players)
        for name in match.players:
            self.roster.enter(name, f"match {match.id}")
        self._spawn(self._play(open_event, match))

    async def _play(self, open_event: _OpenEvent, match: EventMatch) -> None:
        """Play a match and keep its result."""
        try:
            await self._attempt(open_event, match)
        finally:
            self._running.pop(match.id, None)
            self.public.match_left(match)
            open_event.running -= 1
            for name in match.players:
                self.roster.leave(name, f"match {match.id}")
            self._play_what_can()
            if not open_event.waiting and not open_event.running:
                self._spawn(self._plan(open_event.event.id))

    async def _attempt(self, open_event: _OpenEvent, waiting: EventMatch) -> None:
        secrets = EventSecrets.of(open_event.event.settings)
        seed = secrets.of_match(waiting.place, waiting.attempts + 1).seed
        match = replace(waiting, seed=seed)
        match_id = await self.written("an attempt", self.store.begin_attempt, match)
        if match_id is None:  # cancelled meanwhile
            return
        match = replace(match, match_id=match_id)
        self.public.match_started(match)
        try:
            is_last = open_event.lacks[match.id] >= MAX_LACKS - 1
            playing = MatchInService(self, open_event.event, match, is_last)
            self._in_service[match.id] = playing
            result = await playing.run()
        except asyncio.CancelledError:
            with suppress(ManagerError):  # its result may have been written
                await self.call(self.store.give_back, match.id, match_id, "the manager was stopped")
            raise
        except LackError as lack:
            await self._give_back(open_event, match, lack)
            return
        finally:
            self._in_service.pop(match.id, None)
        self.public.match_ended(match, result)
        if open_event.is_rating_due():
            self._spawn(self._rate(match.event))

    async def _give_back(self, open_event: _OpenEvent, match: EventMatch, lack: LackError) -> None:
        """Have a match wait again that was broken off for a lack of the manager's own."""
        self.own.note(lack.what)
        open_event.lacks[match.id] += 1
        attempt = match.id, match.match_id
        await self.written("an attempt", self.store.give_back, *attempt, str(lack))
        await asyncio.sleep(LACK_PAUSE * open_event.lacks[match.id])
        again = await self.call(self.store.match, match.id)
        if again is not None and again.status == "waiting":
            open_event.waiting[match.id] = again

    async def written(
        self,
        what: str,
        function: Callable[_Given, _Found],
        *given: _Given.args,
        **named: _Given.kwargs,
    ) -> _Found:
        """Call what writes to the database, until the disk has room, or the database is there.

        Nothing that was written is lost, and no match, as the others go on meanwhile.
        """
        while True:
            try:
                return await self.call(function, *given, **named)
            except (SQLAlchemyError, MemoryError) as error:
                reason = str(error).partition("\n")[0] or type(error).__name__
                _log.error("%s cannot be written: %s", what, reason)
                await asyncio.sleep(RETRY_SECONDS)

    async def _plan(self, number: int) -> None:
        """Plan the next round of an event, or end it."""
        open_event = self._events.get(number)
        if open_event is None or not open_event.may_be_planned:
            self._play_what_can()
            return
        open_event.is_planning = True
        try:
            planned = await self._planned(open_event.event)
            new = open_event.event, planned or ()
            added = await self.written("matches", self.store.add_matches, *new)
        finally:
            open_event.is_planning = False
        open_event.wait_for(added)
        if planned is None:
            self._spawn(self._plan_later(number))
        elif not added:  # also where all that was planned has been cancelled
            await self._end(number)
        self._play_what_can()

    async def _planned(self, event: StoredEvent) -> list[PlannedMatch] | None:
        """Plan the next round, nothing after the last one; None while players are too few."""
        results = await self.results(event.id)
        plan = await self.event_plan(event)
        is_over = max((result.round for result in results), default=0) >= plan.rounds > 0
        if plan.format == "ladder" and len(plan.here) < plan.group_size and not is_over:
            return None
        return await asyncio.to_thread(next_matches, plan, results)

    async def _plan_later(self, number: int) -> None:
        await asyncio.sleep(CHECK_PAUSE)
        await self._plan(number)

    async def _end(self, number: int) -> None:
        await self._rate(number)
        if await self.written("an end", self.store.end_event, number, "completed"):
            self.public.event_ended(number, "completed")
        self._events.pop(number, None)

    async def event_plan(self, event: StoredEvent) -> EventPlan:
        """Return what the matches of an event follow from."""
        settings = event.settings
        names = settings["players"] or sorted(self.roster.presences)
        roles = {game: await self._count_roles(digest) for game, digest in event.digests.items()}
        seed = EventSecrets.of(settings).seed
        withdrawn = settings.get("withdrawn", {})
        test = sequential_test_of(settings)
        rounds = settings["rounds"]
        return EventPlan(settings["format"], roles, names, rounds, seed, withdrawn, test)

    async def _count_roles(self, digest: str) -> int:
        _, roles = await self.call(self.store.rules, digest)
        return sum(role.lower() != "random" for role in roles)

    async def results(self, event: int) -> list[MatchResult]:
        """List the results of an event, also those that are not shown yet."""
        found = await self.call(self.store.results, event)
        return await asyncio.to_thread(lambda: list(map(result_of, found)))

    async def _rate(self, event: int) -> None:
        """Compute the ratings of an event, and keep them, unless they are to be shown late."""
        open_event = self._events.get(event)
        if open_event and delay_of(open_event.event):
            return
        results = await self.results(event)
        names = sorted({name for result in results for name in result.players})
        if len(names) > 1:
            found = await asyncio.to_thread(rate, results, names)
            await self.call(self.store.put_ratings, event, found)

    async def ruleset(self, digest: str) -> tuple[Ruleset, str]:
        """Return the rules with this digest, parsed and as text."""
        if digest not in self._rulesets:
            text, _ = await self.call(self.store.rules, digest)
            self._rulesets[digest] = await asyncio.to_thread(gdl.parse, text), text
        return self._rulesets[digest]

    async def open_rules(self, digest: str, session: str) -> RemoteRules:
        """Return the rules for a match; give them back with :meth:`release_rules`."""
        _, text = await self.ruleset(digest)
        return await asyncio.to_thread(self._rules.open, digest, text, session)

    async def release_rules(self, rules: RemoteRules) -> None:
        """Take back the rules of a match."""
        await asyncio.to_thread(self._rules.release, rules)

    def _spawn(self, work: Any) -> None:  # noqa: ANN401 - any coroutine
        if self._is_closing:
            work.close()
            return
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._done)

    def _done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            _log.error("what was under way has failed", exc_info=error)


def player_roles(roles: Sequence[str]) -> tuple[str, ...]:
    """Return the roles that players take."""
    return tuple(role for role in roles if not moves_by_chance(gdl.Constant(role)))
