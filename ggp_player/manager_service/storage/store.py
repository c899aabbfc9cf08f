"""What the manager keeps, each change in one transaction.

A match is in one of these states, by its ``status``; only ``running`` does not outlast the process:

=========  ====================================================================================
waiting    nobody plays it; it may have been played in part, in attempts that were aborted
running    an attempt of it is under way
completed  it was played to its end: with result and record, written together with this
failed     the rules, or the limit of steps, broke it off; with a result that says why
cancelled  its event was cancelled before, or a player of it was withdrawn
=========  ====================================================================================

An event is ``planned`` until it is started, then ``running`` or ``paused``, and in the end
``completed`` or ``cancelled``. A result may also be an organiser's decision: then it has the reason
under the key ``adjudicated``.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from sqlalchemy import ColumnElement, Connection, Engine, Row, func, or_, select, update

from ggp_player.clock import WallClock, wall_clock
from ggp_player.errors import ManagerError
from ggp_player.manager.tournament.schedule import PlannedMatch
from ggp_player.manager.tournament.standings import Interval
from ggp_player.manager_service.storage import database as db
from ggp_player.manager_service.storage.faces import ENDED, Faces

NAME = re.compile(r"[A-Za-z0-9_-]{1,80}")
"""The names of players, games and tokens."""

NAME_RULE = "1 to 80 letters, digits, _ and -"

OPEN = ("planned", "running", "paused")
"""The statuses of events that are not over."""

LATEST_ENDED = 100
"""So many matches may have ended at a kill without their players being told."""

LABEL_BYTES = 3
"""The length of what distinguishes the match ids of this database from those of others."""

AS_THEY_ARE = Faces()
"""Matches as they are, whatever is shown of them."""


@dataclass(frozen=True, slots=True)
class StoredPlayer:
    """A player: ``expires`` is None for one that stays until it is removed."""

    name: str
    address: str
    dialects: tuple[str, ...] = ()
    versions: Mapping[str, str] | None = None
    owner: str = ""
    added: int = 0
    expires: int | None = None


@dataclass(frozen=True, slots=True)
class StoredGame:
    """A game by its name; ``roles`` are all, also ``random``."""

    name: str
    digest: str
    roles: tuple[str, ...]
    rules: str = ""


@dataclass(frozen=True, slots=True)
class StoredEvent:
    """An event; ``digests`` has the rules of each of its games, ``settings`` as they were given."""

    id: int
    name: str
    settings: Mapping[str, Any]
    digests: Mapping[str, str]
    status: str
    created: int
    ended: int | None = None


@dataclass(frozen=True, slots=True)
class EventMatch:
    """A match of an event; ``match_id`` is that of its latest attempt, if there is one."""

    id: int
    event: int
    place: str
    game: str
    digest: str
    round: int
    seed: int
    players: tuple[str, ...]
    status: str
    attempts: int
    match_id: str = ""
    ended: int | None = None
    result: Mapping[str, Any] | None = None


class Store(db.Tables):
    """Reads and writes the database."""

    def __init__(self, engine: Engine, now: WallClock = wall_clock) -> None:
        super().__init__(engine, now)
        self._label = self._kept("label", partial(secrets.token_hex, LABEL_BYTES))

    # Players

    def put_player(self, player: StoredPlayer) -> None:
        """Add a player, or change the one of that name."""
        table = db.players
        values = {
            "address": player.address,
            "dialects": list(player.dialects),
            "versions": dict(player.versions or {}),
            "owner": player.owner,
            "expires": player.expires,
        }
        with self._engine.begin() as connection:
            changed = connection.execute(
                update(table).where(table.c.name == player.name).values(values)
            )
            if not changed.rowcount:
                row = {"name": player.name, "added": self._now(), **values}
                connection.execute(table.insert().values(row))

    def remove_player(self, name: str) -> bool:
        """Remove a player; return whether there was one."""
        return self._change(db.players.delete().where(db.players.c.name == name))

    def players(self) -> list[StoredPlayer]:
        """List all players by name, also those whose registration has expired."""
        rows = self._rows(select(db.players).order_by(db.players.c.name))
        return [StoredPlayer(**{**row._mapping, "dialects": tuple(row.dialects)}) for row in rows]

    # Games

    def put_game(self, game: StoredGame) -> None:
        """Add a game; one of that name has these rules from now on, in new events."""
        with self._engine.begin() as connection:
            sheets, games = db.rulesheets, db.games
            known = select(sheets.c.digest).where(sheets.c.digest == game.digest)
            if connection.execute(known).scalar() is None:
                row = {"digest": game.digest, "rules": game.rules, "roles": list(game.roles)}
                connection.execute(sheets.insert().values(row))
            connection.execute(games.delete().where(games.c.name == game.name))
            connection.execute(
                games.insert().values(name=game.name, digest=game.digest, added=self._now())
            )

    def games(self) -> list[StoredGame]:
        """List all games by name, without their rules."""
        query = select(db.games.c.name, db.games.c.digest, db.rulesheets.c.roles)
        rows = self._rows(query.join(db.rulesheets).order_by(db.games.c.name))
        return [StoredGame(row.name, row.digest, tuple(row.roles)) for row in rows]

    def game(self, name: str) -> StoredGame | None:
        """Return a game with its rules."""
        query = select(db.games.c.name, db.rulesheets).join(db.rulesheets)
        row = self._row(query.where(db.games.c.name == name))
        if row is None:
            return None
        return StoredGame(row.name, row.digest, tuple(row.roles), row.rules)

    def rules(self, digest: str) -> tuple[str, tuple[str, ...]]:
        """Return the rules with this digest, and their roles."""
        (row,) = self._rows(select(db.rulesheets).where(db.rulesheets.c.digest == digest))
        return row.rules, tuple(row.roles)

    # Events

    def add_event(
        self,
        name: str,
        settings: Mapping[str, Any],
        digests: Mapping[str, str],
        status: str = "running",
    ) -> StoredEvent:
        """Add an event; its matches come with :meth:`add_matches`."""
        row = {"settings": dict(settings), "digests": dict(digests), "status": status}
        created = self._now()
        with self._engine.begin() as connection:
            done = connection.execute(db.events.insert().values(name=name, created=created, **row))
            assert done.inserted_primary_key is not None
            number = int(done.inserted_primary_key[0])
        return StoredEvent(number, name, settings, digests, status, created)

    def events(self, statuses: Sequence[str] = ()) -> list[StoredEvent]:
        """List the events, the oldest first."""
        query = select(db.events).order_by(db.events.c.id)
        if statuses:
            query = query.where(db.events.c.status.in_(statuses))
        return [StoredEvent(**row._mapping) for row in self._rows(query)]

    def event(self, number: int) -> StoredEvent | None:
        """Return an event."""
        row = self._row(select(db.events).where(db.events.c.id == number))
        return None if row is None else StoredEvent(**row._mapping)

    def turn_event(self, number: int, before: Sequence[str], status: str) -> bool:
        """Give an event that has one of these statuses another; return whether it had."""
        events = db.events
        ours = (events.c.id == number) & events.c.status.in_(before)
        return self._change(update(events).where(ours).values(status=status))

    def withdraw(self, number: int, player: str) -> StoredEvent | None:
        """Withdraw a player from an event that is not over, and cancel what waits with it.

        Return the event as it is then; None where it is over. Its settings note since which round
        the player is away: the first that has matches without an end, or else the next one.
        """
        events, matches = db.events, db.matches
        mine = matches.c.event == number
        is_open = matches.c.status.in_(("waiting", "running"))
        with self._engine.begin() as connection:
            row = connection.execute(select(events).where(events.c.id == number)).one()
            if row.status not in OPEN:
                return None
            first = connection.scalar(select(func.min(matches.c.round)).where(mine, is_open))
            latest = connection.scalar(select(func.max(matches.c.round)).where(mine))
            since = {player: first or (latest or 0) + 1}
            settings = {**row.settings, "withdrawn": since | row.settings.get("withdrawn", {})}
            connection.execute(
                update(events).where(events.c.id == number).values(settings=settings)
            )
            query = select(matches.c.id, matches.c.players).where(
                mine, matches.c.status == "waiting"
            )
            for match in connection.execute(query).all():
                if player in match.players:
                    _change(connection, match.id, "waiting", status="cancelled")
        return StoredEvent(**{**row._mapping, "settings": settings})

    def end_event(self, number: int, status: str) -> bool:
        """End an event as completed or cancelled; what waits of it is cancelled."""
        with self._engine.begin() as connection:
            events, matches = db.events, db.matches
            ours = (events.c.id == number) & events.c.status.in_(OPEN)
            done = connection.execute(
                update(events).where(ours).values(status=status, ended=self._now())
            )
            if done.rowcount:
                waiting = (matches.c.event == number) & (matches.c.status == "waiting")
                connection.execute(update(matches).where(waiting).values(status="cancelled"))
        return bool(done.rowcount)

    # Matches

    def add_matches(self, event: StoredEvent, planned: Iterable[PlannedMatch]) -> list[EventMatch]:
        """Add those matches that the event does not have, and return them; none after its end."""
        table = db.matches
        with self._engine.begin() as connection:
            status = select(db.events.c.status).where(db.events.c.id == event.id)
            if connection.execute(status).scalar() not in OPEN:
                return []
            query = select(table.c.place).where(table.c.event == event.id)
            known = set(connection.execute(query).scalars())
            rows = [
                {
                    "event": event.id,
                    "place": match.match_id,
                    "game": match.game,
                    "digest": event.digests[match.game],
                    "round": match.round,
                    "seed": match.seed,
                    "players": list(match.players),
                    "status": "waiting",
                    "attempts": 0,
                }
                for match in planned
                if match.match_id not in known
            ]
            if rows:
                connection.execute(table.insert(), rows)
        new = {row["place"] for row in rows}
        return [match for match in self.matches(event.id, ("waiting",)) if match.place in new]

    def matches(
        self,
        event: int | None = None,
        statuses: Sequence[str] = (),
        after: int = 0,
        limit: int | None = None,
        latest: bool = False,
        faces: Faces = AS_THEY_ARE,
    ) -> list[EventMatch]:
        """List matches in their order, or the latest first, without records."""
        table = db.matches
        columns: list[ColumnElement[Any]] = [
            *(one for one in table.c if one.name not in {"status", "attempts", "record"}),
            faces.status.label("status"),
            faces.attempts.label("attempts"),
        ]
        query = select(*columns).where(table.c.id > after, faces.are_there).limit(limit)
        query = query.order_by(table.c.id.desc() if latest else table.c.id)
        if event is not None:
            query = query.where(table.c.event == event)
        if statuses:
            query = query.where(faces.status.in_(statuses))
        return [self._match(row) for row in self._rows(query)]

    def match(self, number: int, faces: Faces = AS_THEY_ARE) -> EventMatch | None:
        """Return a match."""
        found = self.matches(after=number - 1, limit=1, faces=faces)
        return found[0] if found and found[0].id == number else None

    def record(self, number: int) -> str | None:
        """Return the record of a match as JSON of ggp.org; None if there is none."""
        found: str | None = self._value(
            select(db.matches.c.record).where(db.matches.c.id == number)
        )
        return found

    def results(
        self, event: int | None = None, faces: Faces = AS_THEY_ARE
    ) -> list[Mapping[str, Any]]:
        """List the results of all matches that have one, of an event or of all."""
        table = db.matches
        query = select(table.c.result).where(faces.status.in_(ENDED))
        if event is not None:
            query = query.where(table.c.event == event)
        return [row.result for row in self._rows(query.order_by(table.c.id))]

    def counts(self, event: int | None = None, faces: Faces = AS_THEY_ARE) -> dict[str, int]:
        """Count matches by status."""
        shown = select(faces.status.label("status")).where(faces.are_there)
        if event is not None:
            shown = shown.where(db.matches.c.event == event)
        status = shown.subquery().c.status
        rows = self._rows(select(status, func.count()).group_by(status))
        return dict(map(tuple, rows))

    def open_round(self, event: int, instant: int) -> int | None:
        """Return the first round of an event with a match that had not ended then; None if none."""
        table = db.matches
        is_open = or_(table.c.ended.is_(None), table.c.ended > instant)
        query = select(func.min(table.c.round)).where(table.c.event == event, is_open)
        found: int | None = self._value(query)
        return found

    def begin_attempt(self, match: EventMatch) -> str | None:
        """Begin to play a match with its seed, and return the new match id.

        None if the match does not wait any more.
        """
        number = match.attempts + 1
        match_id = self._match_id(match.game, match.id, number)
        values = {"status": "running", "attempts": number, "seed": match.seed}
        with self._engine.begin() as connection:
            if not _change(connection, match.id, "waiting", **values):
                return None
            row = {"match_id": match_id, "match": match.id, "status": "running", "reason": ""}
            connection.execute(db.attempts.insert().values(began=self._now(), **row))
        return match_id

    def finish(self, number: int, match_id: str, result: Mapping[str, Any], record: str) -> None:
        """Keep the result of a match, and the record of its attempt, both or nothing.

        Raises :class:`ManagerError` where that attempt is not under way: a match ends once.
        """
        status = "failed" if result["failure"] else "completed"
        now = self._now()
        with self._engine.begin() as connection:
            _end_attempt(connection, match_id, status, now, str(result["failure"]))
            values = {"result": dict(result), "record": record, "ended": now}
            if not _change(connection, number, "running", status=status, **values):
                raise ManagerError(f"the match {match_id} is not under way")

    def decide(self, number: int, before: str, result: Mapping[str, Any]) -> bool:
        """Keep a decision as the result of a match that waits or has ended with this status.

        Return whether it had the status. When it ended, and its record, remain as they are.
        """
        values: dict[str, Any] = {"result": dict(result), "status": "completed"}
        if before == "waiting":
            values["ended"] = self._now()
        with self._engine.begin() as connection:
            return _change(connection, number, before, **values)

    def give_back(self, number: int, match_id: str, reason: str) -> None:
        """Abort an attempt; its match waits for another.

        It is cancelled where the event is over, or where a player of it was withdrawn meanwhile.
        """
        with self._engine.begin() as connection:
            _end_attempt(connection, match_id, "aborted", self._now(), reason)
            table, events = db.matches, db.events
            query = select(events.c.status, events.c.settings, table.c.players).join(table)
            row = connection.execute(query.where(table.c.id == number)).one()
            is_left = row.settings.get("withdrawn", {}).keys() & set(row.players)
            waits = row.status in OPEN and not is_left
            _change(connection, number, "running", status="waiting" if waits else "cancelled")

    def recover(self) -> list[tuple[str, tuple[str, ...]]]:
        """Abort what was under way when the last manager ended.

        Return the match ids with their players, who may still be in these matches; also those that
        ended last, as their players may not have been told.
        """
        query = select(db.attempts, db.matches.c.players).join(db.matches)
        latest = query.where(db.attempts.c.status == "completed").limit(LATEST_ENDED)
        rows = self._rows(query.where(db.attempts.c.status == "running"))
        ended = self._rows(latest.order_by(db.attempts.c.ended.desc()))
        for row in rows:
            self.give_back(row.match, row.match_id, "the manager was stopped")
        return [(row.match_id, tuple(row.players)) for row in (*rows, *ended)]

    # Ratings

    def put_ratings(self, event: int, found: Mapping[str, Interval]) -> None:
        """Keep the ratings of an event in place of those before."""
        rows = [
            {"event": event, "player": name, "value": one.value, "low": one.low, "high": one.high}
            for name, one in found.items()
        ]
        with self._engine.begin() as connection:
            connection.execute(db.ratings.delete().where(db.ratings.c.event == event))
            if rows:
                connection.execute(db.ratings.insert(), rows)

    def ratings(self, event: int) -> dict[str, Interval]:
        """Return the ratings that were kept of an event."""
        rows = self._rows(select(db.ratings).where(db.ratings.c.event == event))
        return {row.player: Interval(row.value, row.low, row.high) for row in rows}

    def _match(self, row: Row[Any]) -> EventMatch:
        values = dict(row._mapping)
        if row.status not in ENDED:
            values |= {"ended": None, "result": None}
        attempt = row.attempts
        match_id = self._match_id(row.game, row.id, attempt) if attempt else ""
        return EventMatch(**{**values, "players": tuple(row.players), "match_id": match_id})

    def _match_id(self, game: str, number: int, attempt: int) -> str:
        return f"{game}.{self._label}.{number}.{attempt}"


def _change(connection: Connection, number: int, before: str, **values: object) -> bool:
    """Change a match that has a status; return whether it had."""
    table = db.matches
    ours = (table.c.id == number) & (table.c.status == before)
    return bool(connection.execute(update(table).where(ours).values(**values)).rowcount)


def _end_attempt(connection: Connection, match_id: str, status: str, now: int, reason: str) -> None:
    table = db.attempts
    ours = (table.c.match_id == match_id) & (table.c.status == "running")
    values = {"status": status, "ended": now, "reason": reason}
    if not connection.execute(update(table).where(ours).values(values)).rowcount:
        raise ManagerError(f"the match {match_id} is not under way")
