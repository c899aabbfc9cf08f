"""Reading the archive: lists of matches with filters, and a match with all that is known of it.

Every call opens the database for itself, so that an :class:`Archive` can be used in any thread,
while others write.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from ggp_player.archive.archived_match import (
    STATUSES,
    ArchivedChoice,
    ArchivedMatch,
    ArchivedProblem,
    ArchivedStep,
    MatchFilter,
    MatchPage,
    MatchSummary,
    NewMatch,
    SeatSummary,
)
from ggp_player.archive.match_store import (
    add_rules,
    add_seats,
    insert_match,
    set_goal_values,
    set_size,
)
from ggp_player.archive.schema import (
    choices,
    documents,
    matches,
    opened,
    problems,
    rules,
    seats,
    steps,
)
from ggp_player.archive.trimming import delete_match, give_back
from ggp_player.clock import WallClock, wall_clock
from ggp_player.database.connections import DatabaseErrors, writing
from ggp_player.errors import ArchiveError
from ggp_player.events import ObservedStep, rules_hash

_HASH = re.compile(r"[0-9a-f]{6,32}")
"""The beginning of a rules' hash."""


class Archive:
    """The matches in a database. All methods raise :class:`ArchiveError`."""

    def __init__(self, path: Path, clock: WallClock = wall_clock) -> None:
        self.path = path
        self._clock = clock

    def list(
        self, chosen: MatchFilter | None = None, limit: int = 50, offset: int = 0
    ) -> MatchPage:
        """List the matches that a filter lets pass, the latest first."""
        now = self._clock()
        where = _conditions(chosen or MatchFilter(), now)
        query = _summaries(now).where(*where).limit(limit).offset(offset)
        with opened(self.path) as connection:
            total = connection.scalar(sa.select(sa.func.count(matches.c.number)).where(*where))
            rows = connection.execute(
                query.order_by(matches.c.start_time.desc(), matches.c.number.desc())
            ).all()
            found = _seats(connection, [row.number for row in rows])
        summaries = tuple(_summary(row, found.get(row.number, ())) for row in rows)
        return MatchPage(summaries, total or 0, offset)

    def match(self, reference: str | int) -> ArchivedMatch:
        """Read a match by its number, its key, or a match id that only one match has."""
        with opened(self.path) as connection:
            row = self._row(connection, reference)
            number = row.number
            text = connection.scalar(sa.select(rules.c.text).where(rules.c.hash == row.rules_hash))
            documented = connection.execute(_of(documents, number)).first()
            return ArchivedMatch(
                _summary(row, _seats(connection, [number]).get(number, ())),
                (text or b"").decode(),
                tuple(map(_step, connection.execute(_of(steps, number)))),
                tuple(map(_choice, connection.execute(_of(choices, number)))),
                tuple(map(_problem, connection.execute(_of(problems, number)))),
                row.details,
                *((documented.data, documented.format) if documented else ()),
            )

    def delete(self, reference: str | int) -> MatchSummary:
        """Delete a match, and rules that no other match has; return what it was."""
        with opened(self.path) as connection:
            with writing(connection):
                row = self._row(connection, reference)
                delete_match(connection, row.number, row.rules_hash)
            with suppress(*DatabaseErrors):  # as long as others use it
                give_back(connection)
            return _summary(row, ())

    def add(self, match: NewMatch) -> int:
        """Add a match from a record, and return its number; one that is there is no error."""
        with opened(self.path, create=True) as connection, writing(connection):
            return _number_of(connection, match.key) or _insert(connection, match)

    def has(self, key: str) -> bool:
        """Check whether there is a match of this key."""
        if not self.path.is_file():
            return False
        with opened(self.path) as connection:
            return _number_of(connection, key) is not None

    def _row(self, connection: sa.Connection, reference: str | int) -> sa.Row[Any]:
        """Find the row of a match."""
        text = str(reference)
        number = int(text) if text.isascii() and text.isdigit() and len(text) < 19 else -1
        query = _summaries(self._clock()).limit(10)
        match = matches.c
        for condition in (match.number == number, match.key == text, match.match_id == text):
            rows = connection.execute(query.where(condition)).all()
            if len(rows) == 1:
                return rows[0]
            if rows:
                numbers = ", ".join(str(row.number) for row in rows)
                raise ArchiveError(f"several matches have the id {text}; their numbers: {numbers}")
        raise ArchiveError(f"there is no match {text} in the archive {self.path}")


def _summaries(now: int) -> sa.Select[Any]:
    """The rows of the matches with their statuses at a time, in milliseconds since 1970."""
    is_silent = sa.and_(matches.c.status == "running", matches.c.silent_time < now)
    status = sa.case((is_silent, "interrupted"), else_=matches.c.status)
    return sa.select(matches, status.label("status_now"))


def _conditions(chosen: MatchFilter, now: int) -> list[sa.ColumnElement[bool]]:
    """The conditions of a filter."""
    match = matches.c
    conditions: list[sa.ColumnElement[bool]] = []
    if chosen.game:
        is_game = match.game == chosen.game
        if _HASH.fullmatch(chosen.game):
            is_game = sa.or_(is_game, match.rules_hash.op("GLOB")(f"{chosen.game}*"))
        conditions.append(is_game)
    if chosen.since is not None:
        conditions.append(match.start_time >= chosen.since)
    if chosen.until is not None:
        conditions.append(match.start_time < chosen.until)
    conditions += [
        match[name] == text for name in ("match_id", "side") if (text := getattr(chosen, name))
    ]
    return [*conditions, *_status_conditions(chosen.status, now), *_seat_conditions(chosen)]


def _status_conditions(status: str, now: int) -> list[sa.ColumnElement[bool]]:
    """The condition on the status, in a form for which there is an index."""
    if not status:
        return []
    if status not in STATUSES:
        raise ArchiveError(f"expected one of the statuses {', '.join(STATUSES)}; found {status}")
    has_status = matches.c.status == status
    if status == "running":
        return [has_status, matches.c.silent_time >= now]
    if status == "interrupted":
        is_silent = sa.and_(matches.c.status == "running", matches.c.silent_time < now)
        return [sa.or_(has_status, is_silent)]
    return [has_status]


def _seat_conditions(chosen: MatchFilter) -> list[sa.ColumnElement[bool]]:
    conditions = [
        seats.c[name] == text
        for name in ("role", "player", "outcome")
        if (text := getattr(chosen, name))
    ]
    if chosen.goals is not None:
        conditions.append(seats.c.goal.between(*chosen.goals))
    if not conditions:
        return []
    chosen_seats = sa.select(seats.c.match).where(*conditions)
    if not (chosen.role or chosen.player):
        is_ours = sa.or_(matches.c.role == "", seats.c.role == matches.c.role)
        return [chosen_seats.where(is_ours, seats.c.match == matches.c.number).exists()]
    # The plus has SQLite go through the matches by their time.
    return [sa.literal_column("+matches.number").in_(chosen_seats)]


def _seats(connection: sa.Connection, numbers: Sequence[int]) -> dict[int, tuple[SeatSummary, ...]]:
    """The seats of some matches."""
    theirs = sa.select(seats).where(seats.c.match.in_(numbers))
    found: dict[int, tuple[SeatSummary, ...]] = {}
    for row in connection.execute(theirs.order_by(seats.c.match, seats.c.place)):
        seat = SeatSummary(row.role, row.player, row.goal, row.outcome)
        found[row.match] = (*found.get(row.match, ()), seat)
    return found


def _summary(row: sa.Row[Any], found_seats: tuple[SeatSummary, ...]) -> MatchSummary:
    same = MatchSummary.__dataclass_fields__.keys() - {"status", "seats", "rules_hash"}
    values = {name: row._mapping[name] for name in same}
    return MatchSummary(
        **values, status=row.status_now, seats=found_seats, rules_hash=row.rules_hash or ""
    )


def _of(table: sa.Table, number: int) -> sa.Select[Any]:
    """The rows of a match, in the order of their keys, or else of their arrival."""
    order: list[sa.ColumnElement[Any]] = [key for key in table.primary_key if key.name != "match"]
    order = order or [sa.literal_column("rowid")]
    return sa.select(table).where(table.c.match == number).order_by(*order)


def _step(row: sa.Row[Any]) -> ArchivedStep:
    told, lists = row.joint_move, (tuple(row.errors), tuple(row.seconds))
    if not isinstance(told, dict):
        return ArchivedStep(row.step, tuple(told), row.time, *lists)
    observation = ObservedStep(told["move"], tuple(told["percepts"]), missed=told["missed"])
    return ArchivedStep(row.step, (), row.time, *lists, observation)


def _choice(row: sa.Row[Any]) -> ArchivedChoice:
    values = {
        **row._mapping,
        "proved": bool(row.proved),
        "line": tuple(map(tuple, row.line)),
        "thoughts": json.loads(row.search),
    }
    return ArchivedChoice(**{name: values[name] for name in ArchivedChoice.__dataclass_fields__})


def _problem(row: sa.Row[Any]) -> ArchivedProblem:
    return ArchivedProblem(row.turn, row.role, row.time, row.text)


def _number_of(connection: sa.Connection, key: str) -> int | None:
    return connection.scalar(sa.select(matches.c.number).where(matches.c.key == key))


def _insert(connection: sa.Connection, match: NewMatch) -> int:
    digest, game = None, match.game
    if match.rules:
        digest = rules_hash(match.rules)
        game = add_rules(connection, digest, match.rules, match.game)
    last = match.steps[-1].time if match.steps else match.start_time
    same = "key", "match_id", "start_clock", "play_clock", "start_time", "status"
    row = {
        **{name: getattr(match, name) for name in same},
        "side": "import",
        "rules_hash": digest,
        "game": game,
        "last_time": last,
        "silent_time": last,
        "steps": max(0, len(match.steps) - 1),
        "details": {},
    }
    number = insert_match(connection, row)
    roles, players = ([getattr(seat, name) for seat in match.seats] for name in ("role", "player"))
    add_seats(connection, number, roles, players)
    set_goal_values(connection, number, [seat.goal for seat in match.seats])
    for s in match.steps:
        told = {"joint_move": s.joint_move, "errors": s.errors, "seconds": ()}
        connection.execute(
            sa.insert(steps), {"match": number, "step": s.step, "time": s.time, **told}
        )
    document = {"format": match.document_format, "data": match.document}
    connection.execute(sa.insert(documents), {"match": number, **document})
    set_size(connection, number)
    return number
