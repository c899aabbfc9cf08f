"""What organisers do with games, events and matches, whether the API or a form asks for it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import asdict
from hashlib import sha256

from gdl.game_library import own_games
from ggp_player.errors import ManagerError
from ggp_player.manager_service.rules.rules_pool import RulesPool
from ggp_player.manager_service.scheduling.clients import is_strategy
from ggp_player.manager_service.scheduling.event_formats import check_plan
from ggp_player.manager_service.scheduling.match_in_service import Decision
from ggp_player.manager_service.scheduling.roster import check_known
from ggp_player.manager_service.scheduling.scheduler import Scheduler
from ggp_player.manager_service.scheduling.seeds import EventSecrets
from ggp_player.manager_service.scheduling.sequential_events import MOST_PAIRS
from ggp_player.manager_service.storage.faces import ENDED
from ggp_player.manager_service.storage.store import (
    OPEN,
    EventMatch,
    StoredEvent,
    StoredGame,
)
from ggp_player.manager_service.web.admission import ApiError
from ggp_player.manager_service.web.models import EventToPost, ResultToDecide

MAX_CHECKS = 2
"""Rulesheets that are checked at a time."""


class Organising:
    """Changes games, events and matches. Raises :class:`ApiError` for what cannot be done."""

    def __init__(self, scheduler: Scheduler, rules: RulesPool) -> None:
        self._scheduler = scheduler
        self._rules = rules
        self._checking = asyncio.Semaphore(MAX_CHECKS)

    async def add_game(self, name: str, rules: str) -> StoredGame:
        """Add or replace a game, whose rules are checked."""
        async with self._checking:
            try:
                roles = await asyncio.to_thread(self._rules.check, rules)
            except ManagerError as error:
                expected = "rules of a game that can be played"
                raise ApiError(422, str(error), "rules", expected) from error
        game = StoredGame(name, sha256(rules.encode()).hexdigest(), roles, rules)
        await self._scheduler.call(self._scheduler.store.put_game, game)
        return game

    async def known_game(self, name: str) -> StoredGame:
        """Return a game that was added, or one of our own."""
        game = await self._scheduler.call(self._scheduler.store.game, name)
        if game is not None:
            return game
        own = own_games().get(name)  # they need not be put first
        if own is None:
            raise ApiError(
                404, f"there is no game {name}", "games", "one of our games, or one that was added"
            )
        return await self.add_game(name, own.read_text(encoding="utf-8"))

    async def new_event(self, sent: EventToPost) -> StoredEvent:
        """Make an event, which begins at once unless it is only planned."""
        games = [await self.known_game(name) for name in sent.games]
        settings = sent.model_dump(mode="json", exclude={"name", "games", "start"})
        if sent.rounds is None:
            settings["rounds"] = MOST_PAIRS if sent.format == "sequential_test" else 1
        settings |= asdict(EventSecrets.new(sent.seed))
        digests = {game.name: game.digest for game in games}
        trial = StoredEvent(0, sent.name, settings, digests, "", 0)
        try:
            if len(digests) != len(sent.games):
                raise ManagerError("games: expected each once")
            check_known(sent.players, self._scheduler.roster)
            self._check_seats(sent.players)
            if not sent.players and sent.format != "ladder":
                raise ManagerError("players: expected names; only a ladder is for all there are")
            check_plan(await self._scheduler.event_plan(trial))
        except ManagerError as error:
            where, _, what = str(error).partition(": ")
            raise ApiError(422, what, where) from error
        status = "running" if sent.start else "planned"
        return await self._scheduler.add_event(sent.name, settings, digests, status)

    def _check_seats(self, players: Sequence[str]) -> None:
        """Raise :class:`ManagerError` where a server would have to play against itself."""
        for name in {name for name in players if players.count(name) > 1}:
            if not is_strategy(self._scheduler.roster.presences[name].player):
                raise ManagerError(f"players: {name} plays one role of a match only")

    async def turn(self, event: StoredEvent, action: str) -> None:
        """Start an event or go on with it, pause it, or cancel it.

        The matches under way of one that is paused or cancelled are played to their ends.
        """
        scheduler = self._scheduler
        turn, expected = {
            "start": (scheduler.start_event, "one planned or paused"),
            "pause": (scheduler.pause_event, "an event that is running"),
            "cancel": (scheduler.cancel_event, "one that is not over"),
        }[action]
        if not await turn(event.id):
            raise ApiError(409, f"the event is {event.status}", "id", expected)

    async def withdraw(self, event: StoredEvent, player: str) -> None:
        """Have a player meet nobody any more in an event."""
        if event.status not in OPEN:
            raise ApiError(409, f"the event is {event.status}", "id", "one that is not over")
        names = event.settings["players"] or self._scheduler.roster.presences
        if player not in names or player in event.settings.get("withdrawn", {}):
            raise ApiError(422, f"{player} does not play in this event", "player", "one who plays")
        if not await self._scheduler.withdraw(event.id, player):
            raise ApiError(409, "the event is over", "id", "one that is not over")

    async def decide(self, match: EventMatch, sent: ResultToDecide) -> None:
        """Give a match a result by decision, whatever its result was."""
        scheduler = self._scheduler
        if len(sent.goals) != len(match.players):
            count = len(match.players)
            raise ApiError(422, f"found {len(sent.goals)} goal values", "goals", f"{count} of them")
        event = await scheduler.call(scheduler.store.event, match.event)
        if match.status in ENDED and event and event.settings["format"] == "knockout":
            latest = await scheduler.call(scheduler.store.matches, match.event, (), 0, 1, True)
            if latest and latest[0].round > match.round:
                what = "who plays in the next round has followed from this result"
                raise ApiError(409, what, "id", "a match of the latest round")
        if not await scheduler.decide(match.id, Decision(sent.goals, sent.reason)):
            raise ApiError(409, "the match cannot be given a result now", "id", "one not cancelled")
