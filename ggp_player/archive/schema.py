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

import sqlalchemy as sa

from gdl.system import make_private_database
from ggp_player.database.connections import DatabaseErrors, reason, sqlite_engine
from ggp_player.database.versions import Schema, prepare
from ggp_player.errors import ArchiveError

BUSY_SECONDS = 5.0
"""Seconds that a writer waits for another."""

MAX_LOG = 16 * 2**20
"""Bytes that the write-ahead log keeps on disk when all of it is in the database."""

VERSION = 3
"""The version of the tables below."""


class _Json(sa.TypeDecorator[Any]):
    """A value as the text of its JSON."""

    impl = sa.Text
    cache_ok = True

    def process_bind_param(self, value: Any, _dialect: object) -> str:  # noqa: ANN401 - any JSON
        return json.dumps(value)

    def process_result_value(self, value: Any, _dialect: object) -> Any:  # noqa: ANN401 - any JSON
        return json.loads(value)


class _Compressed(sa.TypeDecorator[bytes]):
    """Bytes, compressed."""

    impl = sa.LargeBinary
    cache_ok = True

    def process_bind_param(self, value: Any, _dialect: object) -> bytes:  # noqa: ANN401 - bytes
        return zlib.compress(value)

    def process_result_value(self, value: Any, _dialect: object) -> bytes:  # noqa: ANN401 - bytes
        return zlib.decompress(value)


def _needed(name: str, kind: Any, *rest: Any, **options: Any) -> sa.Column[Any]:  # noqa: ANN401 - as a column's
    return sa.Column(name, kind, *rest, nullable=False, **options)


def _of_match(**options: Any) -> sa.Column[int]:  # noqa: ANN401 - as a column's
    return _needed(
        "match", sa.Integer, sa.ForeignKey("matches.number", ondelete="CASCADE"), **options
    )


tables = sa.MetaData()

rules = sa.Table(
    "rules",
    tables,
    sa.Column("hash", sa.Text, primary_key=True),  # of the words of the rules
    _needed("text", _Compressed),
    _needed("game", sa.Text),  # a name, where one is known
)

matches = sa.Table(
    "matches",
    tables,
    sa.Column("number", sa.Integer, primary_key=True),
    _needed("key", sa.Text, unique=True),  # that of the events
    _needed("match_id", sa.Text),  # the game manager's
    _needed("side", sa.Text),  # manager, player or import
    sa.Column("rules_hash", sa.Text, sa.ForeignKey("rules.hash")),
    _needed("game", sa.Text),
    _needed("role", sa.Text, default=""),  # ours, on the side of a player
    _needed("start_clock", sa.Integer),  # seconds
    _needed("play_clock", sa.Integer),
    _needed("start_time", sa.Integer),
    _needed("last_time", sa.Integer),
    _needed("silent_time", sa.Integer),  # when silence means that the match is interrupted
    _needed("status", sa.Text),
    _needed("reason", sa.Text, default=""),
    _needed("steps", sa.Integer, default=0),
    _needed("strategy", sa.Text, default=""),
    _needed("manager", sa.Text, default=""),
    _needed("version", sa.Text, default=""),
    _needed("details", _Json),  # what only some matches have
    _needed("size", sa.Integer, server_default="0"),  # bytes, when it ended
    sa.Index("matches_by_time", "start_time", "number"),
    sa.Index("matches_by_id", "match_id"),
    sa.Index("matches_by_game", "game", "start_time", "number"),
    sa.Index("matches_by_status", "status", "start_time", "number"),
    sa.Index("matches_by_rules", "rules_hash"),
    sa.Index("matches_by_size", "size"),
    sa.Index("matches_by_manager", "manager", "number"),
)

seats = sa.Table(
    "seats",
    tables,
    _of_match(primary_key=True),
    sa.Column("place", sa.Integer, primary_key=True),  # in role order
    _needed("role", sa.Text),
    _needed("player", sa.Text),
    sa.Column("goal", sa.Integer),
    _needed("outcome", sa.Text, server_default=""),  # win, draw, loss
    sa.Index("seats_by_player", "player", "match", "role", "goal", "outcome"),
    sa.Index("seats_by_role", "role", "match", "player", "goal", "outcome"),
    sa.Index("seats_by_outcome", "outcome", "match"),
    sa.Index("seats_by_goal", "goal", "match"),
    sqlite_with_rowid=False,
)

steps = sa.Table(
    "steps",
    tables,
    _of_match(primary_key=True),
    sa.Column("step", sa.Integer, primary_key=True),  # 0 is the start
    _needed("joint_move", _Json),  # a list, or an object: what our role was told
    _needed("time", sa.Integer),
    _needed("errors", _Json),
    _needed("seconds", _Json),
    sqlite_with_rowid=False,
)

choices = sa.Table(
    "choices",
    tables,
    _of_match(primary_key=True),
    sa.Column("turn", sa.Integer, primary_key=True),
    sa.Column("role", sa.Text, primary_key=True),
    _needed("move", sa.Text),
    sa.Column("value", sa.REAL),
    _needed("proved", sa.Integer),
    _needed("note", sa.Text),
    _needed("source", sa.Text),
    _needed("seconds", sa.REAL),
    sa.Column("margin_left", sa.REAL),
    _needed("time", sa.Integer),
    _needed("line", _Json),  # the principal line: joint moves
    _needed("search", _Compressed),  # the last thoughts before the move, an event
    sqlite_with_rowid=False,
)

problems = sa.Table(
    "problems",
    tables,
    _of_match(),
    _needed("turn", sa.Integer),
    _needed("role", sa.Text),
    _needed("time", sa.Integer),
    _needed("text", sa.Text),
    sa.Index("problems_of_match", "match"),
)

documents = sa.Table(
    "documents",
    tables,
    _of_match(primary_key=True),
    _needed("format", sa.Text),  # json or xml
    _needed("data", _Compressed),  # the record as it was imported
)

# What programs from before Alembic go by.
sa.event.listen(
    tables,
    "after_create",
    lambda _, connection, **__: connection.exec_driver_sql(f"PRAGMA user_version = {VERSION}"),
)


def _bytes(is_theirs: sa.ColumnElement[bool], *columns: sa.Column[Any]) -> sa.ColumnElement[int]:
    length = sum(
        (sa.func.length(each, type_=sa.Integer) for each in columns[1:]),
        sa.func.length(columns[0], type_=sa.Integer),
    )
    return sa.func.coalesce(sa.select(sa.func.sum(length)).where(is_theirs).scalar_subquery(), 0)


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


def _earlier_version(connection: sa.Connection) -> int:
    return int(connection.exec_driver_sql("PRAGMA user_version").scalar_one())


SCHEMA = Schema(
    "archive", VERSION, tables, Path(__file__).with_name("migrations"), _earlier_version
)


@lru_cache(maxsize=16)
def _engine(path: Path) -> sa.Engine:
    pragmas = {
        "busy_timeout": round(1000 * BUSY_SECONDS),
        "journal_size_limit": MAX_LOG,
        "synchronous": "NORMAL",  # a killed process loses nothing
    }
    return sqlite_engine(path, pragmas, sa.NullPool)


def connect(path: Path, *, create: bool = True) -> sa.Connection:
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
def opened(path: Path, *, create: bool = False) -> Iterator[sa.Connection]:
    """Open the database for a moment. Raises :class:`ArchiveError`, whatever is wrong."""
    try:
        with connect(path, create=create) as connection:
            yield connection
    except DatabaseErrors as error:
        raise ArchiveError(f"the archive {path} cannot be used: {reason(error)}") from error
