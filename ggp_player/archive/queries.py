"""Reading the archive: lists of matches with filters, and a match with all that is known of it.

Every call opens the database for itself, so that an :class:`Archive` can be used in any thread,
while others write.
"""

from __future__ import annotations

import json
import re
import sqlite3
import zlib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from ggp_player.archive.match_store import (
    add_rules,
    add_seats,
    insert_match,
    set_goal_values,
    set_size,
)
from ggp_player.archive.schema import opened, transaction
from ggp_player.archive.trimming import delete_match, give_back
from ggp_player.clock import WallClock, wall_clock
from ggp_player.errors import ArchiveError
from ggp_player.events import ObservedStep, rules_hash

STATUSES = (
    *("running", "interrupted", "completed", "aborted"),
    *("expired", "unplayable", "suspended"),
)
"""Every status. A match that is running but silent for too long is ``interrupted``."""

_HASH = re.compile(r"[0-9a-f]{6,32}")
"""The beginning of a rules' hash."""

_STATUS = "CASE WHEN status = 'running' AND silent_time < :now THEN 'interrupted' ELSE status END"


@dataclass(frozen=True, slots=True)
class SeatSummary:
    """Who played a role, and how it went; ``outcome`` is ``win``, ``draw``, ``loss`` or empty."""

    role: str
    player: str
    goal: int | None = None
    outcome: str = ""


@dataclass(frozen=True, slots=True)
class MatchSummary:
    """A match in a list. Clocks are in seconds, times in milliseconds since 1970.

    ``role`` is ours where ``side`` is ``player``. ``seats`` are in role order.
    """

    number: int
    key: str
    match_id: str
    side: str
    game: str
    role: str
    rules_hash: str
    start_clock: int
    play_clock: int
    start_time: int
    last_time: int
    status: str
    reason: str
    steps: int
    strategy: str
    manager: str
    version: str
    seats: tuple[SeatSummary, ...] = ()


@dataclass(frozen=True, slots=True)
class ArchivedStep:
    """A joint move, and when it was known; number 0 is the start, which has none.

    Where our role was told less, and the joint move is not known, ``observation`` has what it was.
    ``errors`` and ``seconds`` have an entry for each role, where the game manager was ours.
    """

    step: int
    joint_move: tuple[str, ...]
    time: int
    errors: tuple[str, ...] = ()
    seconds: tuple[float, ...] = ()
    observation: ObservedStep | None = None


@dataclass(frozen=True, slots=True)
class ArchivedChoice:
    """A move of ours, and what the search thought; ``turn`` counts the joint moves before.

    ``line`` is the principal line. ``thoughts`` is the last event before the move, as JSON values
    in the words that the player was given; it is None where the search told nothing.
    """

    turn: int
    role: str
    move: str
    value: float | None
    proved: bool
    note: str
    source: str
    seconds: float
    margin_left: float | None
    time: int
    line: tuple[tuple[str, ...], ...] = ()
    thoughts: Mapping[str, object] | None = None


@dataclass(frozen=True, slots=True)
class ArchivedProblem:
    """What did not work as it should."""

    turn: int
    role: str
    time: int
    text: str


@dataclass(frozen=True, slots=True)
class ArchivedMatch:
    """A match with all that is known of it.

    ``rules`` is empty where they are not known. ``document`` is the record that was imported, in
    ``document_format``. ``details`` has what only some matches have.
    """

    summary: MatchSummary
    rules: str
    steps: tuple[ArchivedStep, ...]
    choices: tuple[ArchivedChoice, ...] = ()
    problems: tuple[ArchivedProblem, ...] = ()
    details: Mapping[str, object] = field(default_factory=dict)
    document: bytes = b""
    document_format: str = ""

    @property
    def moves(self) -> tuple[tuple[str, ...], ...]:
        """The joint moves in their order."""
        return tuple(step.joint_move for step in self.steps if step.step)


@dataclass(frozen=True, slots=True)
class MatchFilter:
    """Which matches to list; what is empty does not matter.

    ``game`` is a name or the beginning of the rules' hash. ``role``, ``player``, ``outcome`` and
    the range of goal values are of one and the same seat; in a match of our player, that is ours
    unless a role or a player is named. ``since`` and ``until`` bound the start, in milliseconds.
    """

    game: str = ""
    role: str = ""
    player: str = ""
    outcome: str = ""
    goals: tuple[int, int] | None = None
    since: int | None = None
    until: int | None = None
    status: str = ""
    match_id: str = ""
    side: str = ""


@dataclass(frozen=True, slots=True)
class MatchPage:
    """Some matches of a list, the latest first, and how many there are in all."""

    matches: tuple[MatchSummary, ...]
    total: int
    offset: int = 0


@dataclass(frozen=True, slots=True)
class NewMatch:
    """A match that is to be added, as a record tells it. Errors and times are in the steps."""

    key: str
    match_id: str
    start_time: int
    start_clock: int
    play_clock: int
    seats: tuple[SeatSummary, ...]
    steps: tuple[ArchivedStep, ...]
    status: str
    document: bytes
    document_format: str
    game: str = ""
    rules: str = ""
    details: Mapping[str, object] = field(default_factory=dict)


class Archive:
    """The matches in a database. All methods raise :class:`ArchiveError`."""

    def __init__(self, path: Path, clock: WallClock = wall_clock) -> None:
        self.path = path
        self._clock = clock

    def list(
        self, chosen: MatchFilter | None = None, limit: int = 50, offset: int = 0
    ) -> MatchPage:
        """List the matches that a filter lets pass, the latest first."""
        where, values = _conditions(chosen or MatchFilter())
        values |= {"now": self._clock(), "limit": limit, "offset": offset}
        with opened(self.path) as connection:
            total = connection.execute(f"SELECT count(*) FROM matches {where}", values).fetchone()
            rows = connection.execute(
                f"SELECT *, {_STATUS} AS status_now FROM matches {where}"
                " ORDER BY start_time DESC, number DESC LIMIT :limit OFFSET :offset",
                values,
            ).fetchall()
            seats = _seats(connection, [row["number"] for row in rows])
        found = tuple(_summary(row, seats.get(row["number"], ())) for row in rows)
        return MatchPage(found, total[0], offset)

    def match(self, reference: str | int) -> ArchivedMatch:
        """Read a match by its number, its key, or a match id that only one match has."""
        with opened(self.path) as connection:
            row = self._row(connection, reference)
            number = (row["number"],)
            summary = _summary(row, _seats(connection, [row["number"]]).get(row["number"], ()))
            return ArchivedMatch(
                summary,
                _rules(connection, row["rules_hash"]),
                tuple(map(_step, _all(connection, "steps", "step", number))),
                tuple(map(_choice, _all(connection, "choices", "turn, role", number))),
                tuple(map(_problem, _all(connection, "problems", "rowid", number))),
                json.loads(row["details"]),
                *_document(connection, row["number"]),
            )

    def delete(self, reference: str | int) -> MatchSummary:
        """Delete a match, and rules that no other match has; return what it was."""
        with opened(self.path) as connection:
            with transaction(connection):
                row = self._row(connection, reference)
                delete_match(connection, row["number"], row["rules_hash"])
            with suppress(sqlite3.OperationalError):  # as long as others use it
                give_back(connection)
            return _summary(row, ())

    def add(self, match: NewMatch) -> int:
        """Add a match from a record, and return its number; one that is there is no error."""
        with opened(self.path, create=True) as connection, transaction(connection):
            known = "SELECT number FROM matches WHERE key = ?"
            if (row := connection.execute(known, (match.key,)).fetchone()) is not None:
                number: int = row[0]
                return number
            return _insert(connection, match)

    def has(self, key: str) -> bool:
        """Check whether there is a match of this key."""
        if not self.path.is_file():
            return False
        with opened(self.path) as connection:
            statement = "SELECT 1 FROM matches WHERE key = ?"
            return connection.execute(statement, (key,)).fetchone() is not None

    def _row(self, connection: sqlite3.Connection, reference: str | int) -> sqlite3.Row:
        """Find the row of a match."""
        text = str(reference)
        number = int(text) if text.isascii() and text.isdigit() and len(text) < 19 else -1
        values = {"now": self._clock(), "number": number, "text": text}
        for condition in ("number = :number", "key = :text", "match_id = :text"):
            rows = connection.execute(
                f"SELECT *, {_STATUS} AS status_now FROM matches WHERE {condition} LIMIT 10", values
            ).fetchall()
            if len(rows) == 1:
                row: sqlite3.Row = rows[0]
                return row
            if rows:
                numbers = ", ".join(str(row["number"]) for row in rows)
                raise ArchiveError(f"several matches have the id {text}; their numbers: {numbers}")
        raise ArchiveError(f"there is no match {text} in the archive {self.path}")


def _conditions(chosen: MatchFilter) -> tuple[str, dict[str, object]]:
    """The conditions of a filter in SQL, and their values."""
    conditions: list[str] = []
    values: dict[str, object] = {}
    if chosen.game:
        is_hash = _HASH.fullmatch(chosen.game) is not None
        conditions.append("(game = :game OR rules_hash GLOB :hash)" if is_hash else "game = :game")
        values |= {"game": chosen.game, "hash": f"{chosen.game}*"}
    if chosen.since is not None:
        conditions.append("start_time >= :since")
        values["since"] = chosen.since
    if chosen.until is not None:
        conditions.append("start_time < :until")
        values["until"] = chosen.until
    for name in ("match_id", "side"):
        if text := getattr(chosen, name):
            conditions.append(f"{name} = :{name}")
            values[name] = text
    conditions += _status_conditions(chosen.status)
    conditions += _seat_conditions(chosen, values)
    return (f"WHERE {' AND '.join(conditions)}" if conditions else ""), values


def _status_conditions(status: str) -> list[str]:
    """The condition on the status, in a form for which there is an index."""
    if not status:
        return []
    if status not in STATUSES:
        raise ArchiveError(f"expected one of the statuses {', '.join(STATUSES)}; found {status}")
    if status == "interrupted":
        return ["(status = 'interrupted' OR (status = 'running' AND silent_time < :now))"]
    return [f"status = '{status}'" + (" AND silent_time >= :now" if status == "running" else "")]


def _seat_conditions(chosen: MatchFilter, values: dict[str, object]) -> list[str]:
    conditions = []
    for name in ("role", "player", "outcome"):
        if text := getattr(chosen, name):
            conditions.append(f"s.{name} = :seat_{name}")
            values[f"seat_{name}"] = text
    if chosen.goals is not None:
        conditions.append("s.goal BETWEEN :low AND :high")
        values |= {"low": chosen.goals[0], "high": chosen.goals[1]}
    if not conditions:
        return []
    seats = f"SELECT s.match FROM seats s WHERE {' AND '.join(conditions)}"
    if not (chosen.role or chosen.player):
        seats += " AND (matches.role = '' OR s.role = matches.role)"
        return [f"EXISTS ({seats} AND s.match = matches.number)"]
    return [f"+number IN ({seats})"]  # the plus has SQLite go through the matches by their time


def _seats(
    connection: sqlite3.Connection, numbers: Sequence[int]
) -> dict[int, tuple[SeatSummary, ...]]:
    """The seats of some matches."""
    marks = ", ".join("?" * len(numbers))
    rows = connection.execute(
        f"SELECT * FROM seats WHERE match IN ({marks}) ORDER BY match, place", tuple(numbers)
    )
    seats: dict[int, tuple[SeatSummary, ...]] = {}
    for row in rows:
        seat = SeatSummary(row["role"], row["player"], row["goal"], row["outcome"])
        seats[row["match"]] = (*seats.get(row["match"], ()), seat)
    return seats


def _summary(row: sqlite3.Row, seats: tuple[SeatSummary, ...]) -> MatchSummary:
    same = MatchSummary.__dataclass_fields__.keys() - {"status", "seats", "rules_hash"}
    values = {name: row[name] for name in same}
    return MatchSummary(
        **values, status=row["status_now"], seats=seats, rules_hash=row["rules_hash"] or ""
    )


def _all(
    connection: sqlite3.Connection, table: str, order: str, number: tuple[int]
) -> list[sqlite3.Row]:
    statement = f"SELECT * FROM {table} WHERE match = ? ORDER BY {order}"
    return connection.execute(statement, number).fetchall()


def _rules(connection: sqlite3.Connection, digest: str | None) -> str:
    row = connection.execute("SELECT text FROM rules WHERE hash = ?", (digest,)).fetchone()
    return "" if row is None else zlib.decompress(row["text"]).decode()


def _document(connection: sqlite3.Connection, number: int) -> tuple[bytes, str]:
    row = connection.execute("SELECT * FROM documents WHERE match = ?", (number,)).fetchone()
    return (b"", "") if row is None else (zlib.decompress(row["data"]), row["format"])


def _step(row: sqlite3.Row) -> ArchivedStep:
    told, errors, seconds = (json.loads(row[name]) for name in ("joint_move", "errors", "seconds"))
    lists = tuple(errors), tuple(seconds)
    if not isinstance(told, dict):
        return ArchivedStep(row["step"], tuple(told), row["time"], *lists)
    observation = ObservedStep(told["move"], tuple(told["percepts"]), missed=told["missed"])
    return ArchivedStep(row["step"], (), row["time"], *lists, observation)


def _choice(row: sqlite3.Row) -> ArchivedChoice:
    return ArchivedChoice(
        turn=row["turn"],
        role=row["role"],
        move=row["move"],
        value=row["value"],
        proved=bool(row["proved"]),
        note=row["note"],
        source=row["source"],
        seconds=row["seconds"],
        margin_left=row["margin_left"],
        time=row["time"],
        line=tuple(map(tuple, json.loads(row["line"]))),
        thoughts=json.loads(zlib.decompress(row["search"])),
    )


def _problem(row: sqlite3.Row) -> ArchivedProblem:
    return ArchivedProblem(row["turn"], row["role"], row["time"], row["text"])


def _insert(connection: sqlite3.Connection, match: NewMatch) -> int:
    digest, game = None, match.game
    if match.rules:
        digest = rules_hash(match.rules)
        game = add_rules(connection, digest, match.rules, match.game)
    last = match.steps[-1].time if match.steps else match.start_time
    row = {
        "key": match.key,
        "match_id": match.match_id,
        "side": "import",
        "rules_hash": digest,
        "game": game,
        "role": "",
        "start_clock": match.start_clock,
        "play_clock": match.play_clock,
        "start_time": match.start_time,
        "last_time": last,
        "silent_time": last,
        "status": match.status,
        "reason": "",
        "steps": max(0, len(match.steps) - 1),
        "strategy": "",
        "manager": "",
        "version": "",
        "details": json.dumps(dict(match.details)),
    }
    number = insert_match(connection, row)
    add_seats(
        connection,
        number,
        [seat.role for seat in match.seats],
        [seat.player for seat in match.seats],
    )
    set_goal_values(connection, number, [seat.goal for seat in match.seats])
    connection.executemany(
        "INSERT INTO steps VALUES (?, ?, ?, ?, ?, ?)",
        [
            (number, s.step, json.dumps(s.joint_move), s.time, json.dumps(s.errors), "[]")
            for s in match.steps
        ],
    )
    data = zlib.compress(match.document)
    values = number, match.document_format, data
    connection.execute("INSERT INTO documents VALUES (?, ?, ?)", values)
    set_size(connection, number)
    return number
