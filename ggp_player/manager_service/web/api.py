"""What the requests of the API do; :mod:`.routes` lists them.

The first sentence of each is its summary in the API's description, too.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping, Sequence
from contextvars import ContextVar
from dataclasses import asdict, replace
from typing import Any, TypeVar

from aiohttp import web
from pydantic import BaseModel

from gdl.version import __version__
from ggp_player.clock import wall_clock
from ggp_player.errors import ManagerError
from ggp_player.front.connections import Streams
from ggp_player.manager.players import MAX_REPLY, RemotePlayer
from ggp_player.manager_service.rules.rules_pool import RulesPool
from ggp_player.manager_service.scheduling.clients import (
    POLLS,
    check_address,
    is_person,
    speaks,
)
from ggp_player.manager_service.scheduling.people import base_of
from ggp_player.manager_service.scheduling.roster import Presence
from ggp_player.manager_service.scheduling.scheduler import Scheduler
from ggp_player.manager_service.storage.invitations import InvitationStore
from ggp_player.manager_service.storage.names import NameStore
from ggp_player.manager_service.storage.store import (
    NAME,
    NAME_RULE,
    EventMatch,
    StoredEvent,
    StoredPlayer,
)
from ggp_player.manager_service.storage.tokens import Role, TokenHolder, TokenStore
from ggp_player.manager_service.web import models
from ggp_player.manager_service.web.admission import (
    AccessPolicy,
    ApiError,
    NameClaims,
    admit,
    check_name,
    secret_of,
    validated,
)
from ggp_player.manager_service.web.organising import Organising
from ggp_player.manager_service.web.sessions import Sessions
from ggp_player.manager_service.web.shown import (
    event_shown,
    game_shown,
    match_shown,
    player_shown,
    summarise,
)
from ggp_player.manager_service.web.tables import EventTables
from ggp_player.pages.event_stream import KEEP_ALIVE_SECONDS, event_stream
from ggp_player.pages.security import UNSTORED_HEADERS, is_own_page
from ggp_player.play.table import HUMAN
from ggp_player.protocol import Dialect

MAX_BODY = 16 * 2**20
"""The longest request, in bytes: a rulesheet as JSON."""

POLL_LIFETIME = 60
"""Seconds for which a player that polls stays registered after a poll."""

PERSON_LIFETIME = 3600
"""Seconds for which somebody who has taken a seat stays registered after looking at the page."""

MAX_FOLLOWERS = 100
"""Connections that follow the live events."""

MAX_FOLLOWERS_OF_ADDRESS = 75

MAX_LISTED = 1000
"""The most matches of one answer."""

_asking: ContextVar[TokenHolder] = ContextVar("_asking")
"""Who makes the request that is being answered."""

_Model = TypeVar("_Model", bound=BaseModel)


_log = logging.getLogger(__name__)


class Api:
    """Answers the requests; ``document`` describes them."""

    def __init__(
        self,
        scheduler: Scheduler,
        rules: RulesPool,
        tokens: TokenStore,
        names: NameStore,
        invitations: InvitationStore,
        access: AccessPolicy,
        document: Mapping[str, Any],
    ) -> None:
        self.scheduler = scheduler
        self.organising = Organising(scheduler, rules)
        self.tables = EventTables(scheduler)
        self.sessions = Sessions()
        self._tokens = tokens
        self._names = names
        self.invitations = invitations
        self._claims = NameClaims(names, scheduler.roster)
        self._access = access
        self._document = document
        self._public = scheduler.public
        self._followers = Streams(MAX_FOLLOWERS, MAX_FOLLOWERS_OF_ADDRESS)

    async def admit(self, request: web.Request, role: Role | None) -> None:
        """Find out who asks. Raises :class:`ApiError` where that is not allowed."""
        secret = secret_of(request) or self.sessions.secret_of(request)
        known = await self.identify(secret)
        _asking.set(admit(known, request, role, self._access))

    async def identify(self, secret: str) -> TokenHolder | None:
        """Return whose token this is, None if nobody's."""
        return await self.scheduler.call(self._tokens.identify, secret) if secret else None

    @property
    def asking(self) -> TokenHolder:
        """Who makes the request that is being answered."""
        return _asking.get()

    # Players

    async def players(self, request: web.Request) -> web.Response:
        """List players."""
        found, matches = self.scheduler.roster.presences, self._public.matches_of_players()
        return json_answer([player_shown(found[name], matches) for name in sorted(found)])

    async def player(self, request: web.Request) -> web.Response:
        """Show a player."""
        return self._player_answer(self._presence(request))

    def _player_answer(self, presence: Presence) -> web.Response:
        return json_answer(player_shown(presence, self._public.matches_of_players()))

    async def put_player(self, request: web.Request) -> web.Response:
        """Add, register or renew a player."""
        name, sent = request.match_info["name"], await _body(request, models.PlayerToPut)
        check_name(name)
        identity = _asking.get()
        await self.check_owner(name)
        if sent.lifetime is None and not identity.may("organiser"):
            raise ApiError(
                403, "a player that stays is added by an organiser", "lifetime", "seconds"
            )
        address = sent.address
        if not address:
            if sent.port is None or request.remote is None:
                raise ApiError(422, "where is it?", "address", "host:port, or port alone")
            address = f"{request.remote}:{sent.port}{sent.path if sent.path != '/' else ''}"
        self._check_player_address(address, request.remote)
        self._claims.check_free(name, address, sent.lifetime)
        if not speaks(sent.dialects):
            raise ApiError(422, "the manager speaks none of these", "dialects", "A to E or C'")
        expires = None if sent.lifetime is None else wall_clock() + 1000 * sent.lifetime
        player = StoredPlayer(name, address, sent.dialects, sent.versions, expires=expires)
        await self.put(player)
        return self._player_answer(self._presence(request))

    def _check_player_address(self, address: str, sender: str | None) -> None:
        try:
            check_address(address)
        except ManagerError as error:
            raise ApiError(422, str(error), "address", "host:port") from error
        if _asking.get().may("organiser"):
            return
        player = RemotePlayer.at(address)
        if player is None:
            raise ApiError(403, "strategies are run for organisers only", "address", "host:port")
        if not self._access.allows(player.host, sender):
            what = f"the manager asks no player at {player.host} for this token"
            expected = f"{sender}, where this comes from, or a host of --allow-addresses"
            raise ApiError(403, what, "address", expected)

    async def check_owner(self, name: str) -> None:
        """Raise :class:`ApiError` where who asks may not act for the player."""
        await self._claims.check(_asking.get(), name)

    async def put(self, player: StoredPlayer) -> None:
        """Register or renew a player. Raises :class:`ApiError` where there are too many."""
        try:
            with self.scheduler.roster.entering(player.name):
                owner = await self._claims.claim(_asking.get(), player.name)
                await self.scheduler.put_player(replace(player, owner=owner))
        except ManagerError as error:
            raise ApiError(409, str(error), "name", "a name that is registered") from error

    async def delete_player(self, request: web.Request) -> web.Response:
        """Withdraw or remove a player."""
        name = self._presence(request).player.name
        await self.check_owner(name)
        await self.scheduler.remove_player(name)
        return json_answer(models.Done())

    async def check_player(self, request: web.Request) -> web.Response:
        """Ask a player for its status."""
        presence = self._presence(request)
        await self.scheduler.roster.check(presence.player.name)
        return self._player_answer(presence)

    def _presence(self, request: web.Request) -> Presence:
        return self._presence_of(request.match_info["name"])

    def _presence_of(self, name: str) -> Presence:
        found = self.scheduler.roster.presences.get(name)
        if found is None:
            raise ApiError(404, f"there is no player {name}", "name")
        return found

    async def names(self, request: web.Request) -> web.Response:
        """List the names that belong to tokens."""
        found = await self.scheduler.call(self._names.list)
        return json_answer([models.NameShown(**asdict(one)) for one in found])

    async def release_name(self, request: web.Request) -> web.Response:
        """Release a name, for any token to take it. Who is registered under it is withdrawn."""
        name = request.match_info["name"]
        if not await self.scheduler.call(self._names.release, name):
            raise ApiError(404, f"the name {name} belongs to no token", "name")
        await self.scheduler.remove_player(name)
        return json_answer(models.Done())

    # People

    async def post_person(self, request: web.Request) -> web.Response:
        """Have somebody play by hand, on a page."""
        name = (await _body(request, models.PersonToSeat)).name
        await self.check_owner(name)
        found = self.scheduler.roster.presences.get(name)
        if found is None:
            expires = wall_clock() + 1000 * PERSON_LIFETIME
            await self.put(StoredPlayer(name, HUMAN, expires=expires))
        elif not is_person(found.player):
            raise ApiError(409, f"the name {name} belongs to another player", "name")
        return json_answer(models.SeatTaken(page=f"{base_of(name)}/"), 201)

    async def renew_person(self, name: str) -> None:
        """Renew the registration of somebody where half of its time is over."""
        now, player = wall_clock(), self._presence_of(name).player
        if player.expires is not None and player.expires < now + 500 * PERSON_LIFETIME:
            expires = now + 1000 * PERSON_LIFETIME
            await self.scheduler.put_player(replace(player, expires=expires))

    # Players that poll

    async def poll(self, request: web.Request) -> web.StreamResponse:
        """Hand out what waits for a player that polls (dialect F).

        Its clock runs when that has gone to the system.
        """
        name = await self._polling(request, "recipient")
        await self._renew_polling(name)
        mailbox = self.scheduler.roster.clients.mailboxes.of(name)
        letter = mailbox.take()
        response = _text_answer(str(letter) if letter else "")
        if letter is None:
            return response
        try:
            await response.prepare(request)
            if request.transport is not None:
                request.transport.set_write_buffer_limits(0)
            await response.write_eof()
        except BaseException:
            mailbox.put_back(letter)
            raise
        letter.on_sent()
        return response

    async def take_reply(self, request: web.Request) -> web.Response:
        """Take the reply of a player that polls. One that nobody waits for any more is dropped."""
        name = await self._polling(request, "sender")
        body = await request.read()
        if name not in self.scheduler.roster.presences:
            return _text_answer("")
        mailbox = self.scheduler.roster.clients.mailboxes.of(name)
        mailbox.answer(request.query.get("msgid", ""), body[:MAX_REPLY].decode(errors="replace"))
        return _text_answer("")

    async def _polling(self, request: web.Request, key: str) -> str:
        """Return the name in a query, if who asks may use it."""
        if not is_own_page(request.headers, request.host):
            raise ApiError(403, "no page of another site polls", "Origin")
        name = request.query.get(key, "")
        if not NAME.fullmatch(name):
            raise ApiError(422, f"{name!r} is no name", key, NAME_RULE)
        await self.check_owner(name)
        self._claims.check_free(name, POLLS, POLL_LIFETIME)
        return name

    async def _renew_polling(self, name: str) -> None:
        """Register a player that polls, or renew that where half of its time is over."""
        now, found = wall_clock(), self.scheduler.roster.presences.get(name)
        is_known = found is not None and found.player.address == POLLS
        if found and is_known and (found.player.expires or 0) > now + 500 * POLL_LIFETIME:
            return
        expires = now + 1000 * POLL_LIFETIME
        dialects = (str(Dialect.STANFORD_POLLING),)
        await self.put(StoredPlayer(name, POLLS, dialects, {}, expires=expires))

    # Games

    async def games(self, request: web.Request) -> web.Response:
        """List games."""
        found = await self.scheduler.call(self.scheduler.store.games)
        return json_answer([game_shown(game) for game in found])

    async def game(self, request: web.Request) -> web.Response:
        """Show a game. Here, unlike in the list, are its rules."""
        game = await self.organising.known_game(request.match_info["name"])
        return json_answer(game_shown(game).model_copy(update={"rules": game.rules}))

    async def put_game(self, request: web.Request) -> web.Response:
        """Add or replace a game. Its rules are checked."""
        name, sent = request.match_info["name"], await _body(request, models.GameToPut)
        check_name(name)
        return json_answer(game_shown(await self.organising.add_game(name, sent.rules)))

    # Events

    async def events(self, request: web.Request) -> web.Response:
        """List events."""
        found = await self.scheduler.call(self._public.events)
        return json_answer([await self.event_shown(event) for event in found])

    async def event(self, request: web.Request) -> web.Response:
        """Show an event."""
        return json_answer(await self.event_shown(await self.known_event(request)))

    async def post_event(self, request: web.Request) -> web.Response:
        """Begin an event."""
        event = await self.organising.new_event(await _body(request, models.EventToPost))
        return json_answer(await self.event_shown(event), 201)

    async def start_event(self, request: web.Request) -> web.Response:
        """Begin an event that is planned, or go on with one that is paused."""
        return await self._turned_event(request, "start")

    async def pause_event(self, request: web.Request) -> web.Response:
        """Begin no match of an event until it is started again."""
        return await self._turned_event(request, "pause")

    async def cancel_event(self, request: web.Request) -> web.Response:
        """Cancel an event."""
        return await self._turned_event(request, "cancel")

    async def _turned_event(self, request: web.Request, action: str) -> web.Response:
        """Show an event to its organiser as it is then, also where spectators see that later."""
        await self.organising.turn(await self.known_event(request), action)
        event = await self.scheduler.call(self.scheduler.store.event, _number(request))
        assert event is not None
        return json_answer(await self.event_shown(event))

    async def withdraw(self, request: web.Request) -> web.Response:
        """Withdraw a player from an event."""
        sent = await _body(request, models.PlayerToWithdraw)
        await self.organising.withdraw(await self.known_event(request), sent.player)
        return await self.event(request)

    async def cross_table(self, request: web.Request) -> web.Response:
        """Points of each player against each other."""
        return json_answer(await self.tables.cross_table(await self.known_event(request)))

    async def test(self, request: web.Request) -> web.Response:
        """Where a sequential test stands."""
        event = await self.known_event(request)
        found = await self.tables.test(event)
        if found is None:
            what = f"the event is a {event.settings['format']}"
            raise ApiError(404, what, "id", "a sequential test")
        return json_answer(found)

    async def standings(self, request: web.Request) -> web.Response:
        """Points and ratings of an event."""
        return json_answer(await self.tables.standings(await self.known_event(request)))

    async def ratings(self, request: web.Request) -> web.Response:
        """Points and ratings over all events."""
        results = await self.scheduler.call(self._public.results)
        return json_answer(await asyncio.to_thread(summarise, results))

    async def known_event(self, request: web.Request) -> StoredEvent:
        """Return the event that a request names."""
        event = await self.scheduler.call(self._public.event, _number(request))
        if event is None:
            raise ApiError(404, f"there is no event {request.match_info['id']}", "id")
        return event

    async def event_shown(self, event: StoredEvent) -> models.EventShown:
        """Show an event as it may be seen."""
        counts = await self.scheduler.call(self._public.counts, event.id)
        return event_shown(event, counts)

    # Matches

    async def matches(self, request: web.Request) -> web.Response:
        """List matches."""
        event, after = _query(request, "event", None), _query(request, "after", 0)
        limit = min(_query(request, "limit", 100) or 1, MAX_LISTED)
        status = request.query.get("status", "")
        found = await self.scheduler.call(
            self._public.matches, event, (status,) if status else (), after or 0, limit
        )
        return json_answer(await self._matches_shown(found))

    async def match(self, request: web.Request) -> web.Response:
        """Show a match."""
        [shown] = await self._matches_shown([await self.known_match(request)])
        return json_answer(shown)

    async def decide(self, request: web.Request) -> web.Response:
        """Give a match a result by decision."""
        sent = await _body(request, models.ResultToDecide)
        number = (await self.known_match(request)).id
        match = await self.scheduler.call(self.scheduler.store.match, number)
        assert match is not None
        await self.organising.decide(match, sent)
        return await self.match(request)

    async def record(self, request: web.Request) -> web.Response:
        """The record, ggp.org JSON."""
        match = await self.known_match(request)
        record = await self.scheduler.call(self._public.record, match)
        if not record:
            raise ApiError(404, f"the match is {match.status}", "id", "a match that has ended")
        return web.Response(text=record, content_type="application/json")

    async def known_match(self, request: web.Request) -> EventMatch:
        """Return the match that a request names, as spectators see it."""
        match = await self.scheduler.call(self._public.match, _number(request))
        if match is None:
            raise ApiError(404, f"there is no match {request.match_info['id']}", "id")
        return match

    async def _matches_shown(self, matches: Sequence[EventMatch]) -> list[models.MatchShown]:
        secrets = await self.scheduler.call(self._public.secrets, matches)
        running = self._public.running
        return [match_shown(one, secrets[one.id], running.get(one.id)) for one in matches]

    # Everything else

    async def openapi(self, request: web.Request) -> web.Response:
        """This document."""
        return web.json_response(self._document)

    async def status(self, request: web.Request) -> web.Response:
        """Count what there is."""
        return json_answer(
            models.StatusShown(
                version=__version__,
                players=len(self.scheduler.roster.presences),
                events=len(await self.scheduler.call(self._public.events)),
                matches=await self.scheduler.call(self._public.counts),
            )
        )

    async def follow(self, request: web.Request) -> web.StreamResponse:
        """Live events, server-sent."""
        if not is_own_page(request.headers, request.host):
            raise ApiError(403, "no page of another site follows what happens", "Origin")
        news = self.scheduler.news
        if not self._followers.has_room(request.remote):
            most = f"{MAX_FOLLOWERS_OF_ADDRESS} of one address, or {MAX_FOLLOWERS} in all"
            raise ApiError(503, f"{most}, follow already")
        with self._followers.counted(request.remote), news.follow() as queue:
            async with event_stream(request) as stream:
                while True:
                    try:
                        async with asyncio.timeout(KEEP_ALIVE_SECONDS):
                            item = await queue.get()
                    except TimeoutError:
                        await stream.keep_alive()
                        continue
                    if item is None:
                        break
                    await stream.send(item)
        return stream.response

    async def list_tokens(self, request: web.Request) -> web.Response:
        """List tokens. Their secrets are left out."""
        found = await self.scheduler.call(self._tokens.list)
        return json_answer([models.TokenShown(**asdict(token)) for token in found])

    async def post_token(self, request: web.Request) -> web.Response:
        """Make a token. Its secret is shown."""
        sent = await _body(request, models.TokenToPost)
        try:
            secret = await self.scheduler.call(self._tokens.create, sent.name, sent.role)
        except ManagerError as error:
            raise ApiError(409, str(error), "name", "another name") from error
        return json_answer(models.TokenShown(name=sent.name, role=sent.role, secret=secret), 201)

    async def delete_token(self, request: web.Request) -> web.Response:
        """Revoke a token."""
        name = request.match_info["name"]
        if not await self.scheduler.call(self._tokens.revoke, name):
            raise ApiError(404, f"there is no token {name} in use", "name")
        return json_answer(models.Done())


def json_answer(value: BaseModel | list[Any], status: int = 200) -> web.Response:
    """RulesAnswer with a model, or a list of models, as JSON."""
    if isinstance(value, BaseModel):
        text = value.model_dump_json()
    else:
        text = f"[{','.join(one.model_dump_json() for one in value)}]"
    return web.Response(
        text=text, status=status, content_type="application/json", headers=UNSTORED_HEADERS
    )


def _text_answer(text: str) -> web.Response:
    return web.Response(text=text, content_type="text/acl", headers=UNSTORED_HEADERS)


async def _body(request: web.Request, model: type[_Model]) -> _Model:
    if request.content_type != "application/json":
        raise ApiError(415, "the body is sent as JSON", "Content-Type", "application/json")
    text = await request.read()
    return validated(model, lambda: model.model_validate_json(text))


def _number(request: web.Request) -> int:
    return _parsed(request.match_info["id"], "id", 404)


def _query(request: web.Request, key: str, default: int | None) -> int | None:
    text = request.query.get(key)
    return default if text is None else _parsed(text, key, 422)


def _parsed(text: str, key: str, status: int) -> int:
    if not text.isascii() or not text.isdigit() or len(text) > 15:
        raise ApiError(status, f"{text!r} is no number", key, "a number")
    return int(text)
