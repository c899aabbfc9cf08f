"""The tables of the archive, and how its database is opened.

Several processes read and write at the same time: the journal is a write-ahead log, and a writer
waits :data:`BUSY_SECONDS` for another. Times are milliseconds since 1970.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any

from sqlalchemy import (
    REAL,
    Column,
    ColumnElement,
    Connection,
    Engine,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    NullPool,
    Table,
    Text,
    TypeDecorator,
    event,
    func,
    select,
)

from gdl.system import make_private_database
from ggp_player.database import DatabaseErrors, Schema, prepare, reason, sqlite_engine
from ggp_player.errors import ArchiveError

BUSY_SECONDS = 5.0
"""Seconds that a writer waits for another."""

MAX_LOG = 16 * 2**20
"""Bytes that the write-ahead log keeps on disk when all of it is in the database."""

VERSION = 3
"""The version of the tables below."""


class _Json(TypeDecorator[Any]):
    """A value as the text of its JSON."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: Any, _dialect: object) -> str:  # noqa: ANN401 - any JSON
        return json.dumps(value)

    def process_result_value(self, value: Any, _dialect: object) -> Any:  # noqa: ANN401 - any JSON
        return json.loads(value)


class _Compressed(TypeDecorator[bytes]):
    """Bytes, compressed."""

    impl = LargeBinary
    cache_ok = True

    def process_bind_param(self, value: Any, _dialect: object) -> bytes:  # noqa: ANN401 - bytes
        return zlib.compress(value)

    def process_result_value(self, value: Any, _dialect: object) -> bytes:  # noqa: ANN401 - bytes
        return zlib.decompress(value)


def _needed(name: str, kind: Any, *rest: Any, **options: Any) -> Column[Any]:  # noqa: ANN401 - as a column's
    return Column(name, kind, *rest, nullable=False, **options)


def _of_match(**options: Any) -> Column[int]:  # noqa: ANN401 - as a column's
    return _needed("match", Integer, ForeignKey("matches.number", ondelete="CASCADE"), **options)


tables = MetaData()

rules = Table(
    "rules",
    tables,
    Column("hash", Text, primary_key=True),  # of the words of the rules
    _needed("text", _Compressed),
    _needed("game", Text),  # a name, where one is known
)

matches = Table(
    "matches",
    tables,
    Column("number", Integer, primary_key=True),
    _needed("key", Text, unique=True),  # that of the events
    _needed("match_id", Text),  # the game manager's
    _needed("side", Text),  # manager, player or import
    Column("rules_hash", Text, ForeignKey("rules.hash")),
    _needed("game", Text),
    _needed("role", Text),  # ours, on the side of a player
    _needed("start_clock", Integer),  # seconds
    _needed("play_clock", Integer),
    _needed("start_time", Integer),
    _needed("last_time", Integer),
    _needed("silent_time", Integer),  # when silence means that the match is interrupted
    _needed("status", Text),
    _needed("reason", Text),
    _needed("steps", Integer),
    _needed("strategy", Text),
    _needed("manager", Text),
    _needed("version", Text),
    _needed("details", _Json),  # what only some matches have
    _needed("size", Integer, server_default="0"),  # bytes, when it ended
    Index("matches_by_time", "start_time", "number"),
    Index("matches_by_id", "match_id"),
    Index("matches_by_game", "game", "start_time", "number"),
    Index("matches_by_status", "status", "start_time", "number"),
    Index("matches_by_rules", "rules_hash"),
    Index("matches_by_size", "size"),
    Index("matches_by_manager", "manager", "number"),
)

seats = Table(
    "seats",
    tables,
    _of_match(primary_key=True),
    Column("place", Integer, primary_key=True),  # in role order
    _needed("role", Text),
    _needed("player", Text),
    Column("goal", Integer),
    _needed("outcome", Text, server_default=""),  # win, draw, loss
    Index("seats_by_player", "player", "match", "role", "goal", "outcome"),
    Index("seats_by_role", "role", "match", "player", "goal", "outcome"),
    Index("seats_by_outcome", "outcome", "match"),
    Index("seats_by_goal", "goal", "match"),
    sqlite_with_rowid=False,
)

steps = Table(
    "steps",
    tables,
    _of_match(primary_key=True),
    Column("step", Integer, primary_key=True),  # 0 is the start
    _needed("joint_move", _Json),  # a list, or an object: what our role was told
    _needed("time", Integer),
    _needed("errors", _Json),
    _needed("seconds", _Json),
    sqlite_with_rowid=False,
)

choices = Table(
    "choices",
    tables,
    _of_match(primary_key=True),
    Column("turn", Integer, primary_key=True),
    Column("role", Text, primary_key=True),
    _needed("move", Text),
    Column("value", REAL),
    _needed("proved", Integer),
    _needed("note", Text),
    _needed("source", Text),
    _needed("seconds", REAL),
    Column("margin_left", REAL),
    _needed("time", Integer),
    _needed("line", _Json),  # the principal line: joint moves
    _needed("search", _Compressed),  # the last thoughts before the move, an event
    sqlite_with_rowid=False,
)

problems = Table(
    "problems",
    tables,
    _of_match(),
    _needed("turn", Integer),
    _needed("role", Text),
    _needed("time", Integer),
    _needed("text", Text),
    Index("problems_of_match", "match"),
)

documents = Table(
    "documents",
    tables,
    _of_match(primary_key=True),
    _needed("format", Text),  # json or xml
    _needed("data", _Compressed),  # the record as it was imported
)

# What programs from before Alembic go by.
event.listen(
    tables,
    "after_create",
    lambda _, connection, **__: connection.exec_driver_sql(f"PRAGMA user_version = {VERSION}"),
)


def _bytes(is_theirs: ColumnElement[bool], *columns: Column[Any]) -> ColumnElement[int]:
    length = sum(
        (func.length(each, type_=Integer) for each in columns[1:]),
        func.length(columns[0], type_=Integer),
    )
    return func.coalesce(select(func.sum(length)).where(is_theirs).scalar_subquery(), 0)


_own = matches.c.number

RULES_SIZE = _bytes(rules.c.hash == matches.c.rules_hash, rules.c.text)
"""The bytes of a match's rules, whoever else has these."""

SIZE = (
    RULES_SIZE
    + _bytes(steps.c.match == _own, steps.c.joint_move, steps.c.errors, steps.c.seconds)
    + _bytes(
        choices.c.match == _own, choices.c.move, choices.c.note, choices.c.line, choices.c.search
    )
    + _bytes(problems.c.match == _own, problems.c.text)
    + _bytes(documents.c.match == _own, documents.c.data)
)
"""How much of the archive a match takes, with its rules."""


def _earlier_version(connection: Connection) -> int:
    return int(connection.exec_driver_sql("PRAGMA user_version").scalar_one())


SCHEMA = Schema(
    "archive", VERSION, tables, Path(__file__).with_name("migrations"), _earlier_version
)


@lru_cache(maxsize=16)
def _engine(path: Path) -> Engine:
    pragmas = {
        "busy_timeout": round(1000 * BUSY_SECONDS),
        "journal_size_limit": MAX_LOG,
        "synchronous": "NORMAL",  # a killed process loses nothing
    }
    return sqlite_engine(path, pragmas, NullPool)


def connect(path: Path, *, create: bool = True) -> Connection:
    """Open the database, and bring it to this version. Raises :class:`ArchiveError`.

    Its file is for this user alone, as it says who has played what with whom.

    Errors of the database, such as one that is locked or no database at all, are SQLAlchemy's.
    """
    if create:
        path.parent.mkdir(parents=True, exist_ok=True)
        make_private_database(path)
    elif not path.is_file():
        raise ArchiveError(f"there is no archive {path}: no match has been played yet")
    connection = _engine(path.absolute()).connect()
    try:
        prepare(connection, SCHEMA)
    except BaseException:
        connection.close()
        raise
    return connection


@contextmanager
def opened(path: Path, *, create: bool = False) -> Iterator[Connection]:
    """Open the database for a moment. Raises :class:`ArchiveError`, whatever is wrong."""
    try:
        with connect(path, create=create) as connection:
            yield connection
    except DatabaseErrors as error:
        raise ArchiveError(f"the archive {path} cannot be used: {reason(error)}") from error
