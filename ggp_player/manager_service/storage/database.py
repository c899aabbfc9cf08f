"""The tables of the manager's database, and the lock against a second manager.

SQLite in a file, or PostgreSQL by its URL. Times are milliseconds since 1970. A match is played in
attempts: one that was open when the manager was killed is marked as aborted, and the match gets
another under a new match id. A match has a result exactly if one of its attempts is completed.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import IO

import platformdirs
from sqlalchemy import (
    JSON,
    BigInteger,
    Column,
    Connection,
    Engine,
    Float,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
    create_engine,
    inspect,
    select,
    text,
)
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, SQLAlchemyError

from gdl.system import lock_file, make_private_database, make_private_file
from ggp_player.database import DatabaseErrors, Schema, prepare, reason, sqlite_engine
from ggp_player.errors import ManagerError

VERSION = 2
"""The version of the tables below."""

LOCK_KEY = 0x67677001
"""The number of the advisory lock in PostgreSQL."""

BUSY_SECONDS = 10
"""How long SQLite waits for somebody else who reads or writes the file."""

metadata = MetaData()

meta = Table(
    "meta",
    metadata,
    Column("key", String(40), primary_key=True),
    Column("value", Text, nullable=False),
)

tokens = Table(
    "tokens",
    metadata,
    Column("name", String(80), primary_key=True),
    Column("role", String(20), nullable=False),
    Column("hash", String(64), nullable=False, unique=True),
    Column("created", BigInteger, nullable=False),
    Column("revoked", BigInteger),
)

players = Table(
    "players",
    metadata,
    Column("name", String(80), primary_key=True),
    Column("address", Text, nullable=False),
    Column("dialects", JSON, nullable=False),
    Column("versions", JSON, nullable=False),
    Column("owner", String(80), nullable=False),
    Column("added", BigInteger, nullable=False),
    Column("expires", BigInteger),
)

names = Table(
    "names",
    metadata,
    Column("name", String(80), primary_key=True),
    Column("owner", String(80), nullable=False),
    Column("since", BigInteger, nullable=False),
)

rulesheets = Table(
    "rulesheets",
    metadata,
    Column("digest", String(64), primary_key=True),
    Column("rules", Text, nullable=False),
    Column("roles", JSON, nullable=False),
)

games = Table(
    "games",
    metadata,
    Column("name", String(80), primary_key=True),
    Column("digest", String(64), ForeignKey("rulesheets.digest"), nullable=False),
    Column("added", BigInteger, nullable=False),
)

events = Table(
    "events",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", String(200), nullable=False),
    Column("settings", JSON, nullable=False),
    Column("digests", JSON, nullable=False),
    Column("status", String(20), nullable=False),
    Column("created", BigInteger, nullable=False),
    Column("ended", BigInteger),
)

matches = Table(
    "matches",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("event", Integer, ForeignKey("events.id"), nullable=False),
    Column("place", Text, nullable=False),
    Column("game", String(80), nullable=False),
    Column("digest", String(64), ForeignKey("rulesheets.digest"), nullable=False),
    Column("round", Integer, nullable=False),
    Column("seed", BigInteger, nullable=False),
    Column("players", JSON, nullable=False),
    Column("status", String(20), nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("ended", BigInteger),
    Column("result", JSON),
    Column("record", Text),
    UniqueConstraint("event", "place"),
    Index("matches_by_status", "status", "event"),
)

attempts = Table(
    "attempts",
    metadata,
    Column("match_id", String(200), primary_key=True),
    Column("match", Integer, ForeignKey("matches.id"), nullable=False),
    Column("status", String(20), nullable=False),
    Column("began", BigInteger, nullable=False),
    Column("ended", BigInteger),
    Column("reason", Text, nullable=False, default=""),
    Index("attempts_by_status", "status"),
    Index("attempts_by_match", "match"),
)

ratings = Table(
    "ratings",
    metadata,
    Column("event", Integer, ForeignKey("events.id"), primary_key=True),
    Column("player", String(80), primary_key=True),
    Column("value", Float, nullable=False),
    Column("low", Float, nullable=False),
    Column("high", Float, nullable=False),
)


def default_database() -> Path:
    """Return the file in the user's data folder."""
    return Path(platformdirs.user_data_dir("ggp-player", appauthor=False)) / "manager.sqlite"


def database_url(given: str) -> URL:
    """Read what names a database: a file, or a URL of SQLite or PostgreSQL.

    Raises :class:`ManagerError` for anything else.
    """
    if "://" not in given:
        return URL.create("sqlite", database=str(Path(given).absolute()))
    try:
        url = make_url(given)
    except (ArgumentError, ValueError) as error:
        raise ManagerError(f"{given} is no URL of a database: {error}") from error
    match url.get_backend_name():
        case "sqlite":
            return url
        case "postgresql":
            return url.set(drivername="postgresql+psycopg")
        case other:
            raise ManagerError(f"expected a file, or a URL of sqlite or postgresql; found {other}")


class Database:
    """An open database that no other manager has open. Close it at the end.

    Raises :class:`ManagerError` where it cannot be opened, is in use, or is of a later version.
    Without ``exclusive`` there is no lock: that is for commands beside a running manager.
    """

    def __init__(self, given: str, exclusive: bool = True) -> None:
        self.url = database_url(given)
        self._lock_file: IO[bytes] | None = None
        self._lock: Connection | None = None
        self.engine = _engine(self.url)
        try:
            if exclusive:
                self._take_lock()
            with self.engine.connect() as connection:
                prepare(connection, SCHEMA)
        except BaseException as error:
            self.close()
            if isinstance(error, DatabaseErrors):
                raise ManagerError(f"the database cannot be used: {reason(error)}") from error
            raise

    def close(self) -> None:
        """Close the connections, and let others have the database."""
        with suppress(SQLAlchemyError):
            if self._lock is not None:
                self._lock.close()
        self.engine.dispose()
        if self._lock_file is not None:
            self._lock_file.close()

    def _take_lock(self) -> None:
        if self.url.get_backend_name() == "sqlite":
            path = Path(f"{self.url.database}.lock")
            make_private_file(path)
            self._lock_file = path.open("ab")
            is_ours = lock_file(self._lock_file)
        else:
            self._lock = self.engine.connect()
            query = text("SELECT pg_try_advisory_lock(:key)")
            is_ours = bool(self._lock.execute(query, {"key": LOCK_KEY}).scalar())
            self._lock.commit()
        if not is_ours:
            raise ManagerError("another manager uses this database: stop it, or name another one")


def _engine(url: URL) -> Engine:
    try:
        if url.get_backend_name() != "sqlite":
            return create_engine(url, pool_pre_ping=True)
    except ImportError as error:
        raise ManagerError(
            "PostgreSQL needs a driver: pip install 'ggp-player[postgresql]'"
        ) from error
    path = Path(str(url.database))
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        make_private_database(path)  # it has the hashes of tokens, and addresses with secrets
    except OSError as error:
        raise ManagerError(f"the database cannot be used: {error}") from error
    pragmas = {
        "busy_timeout": 1000 * BUSY_SECONDS,
        "journal_mode": "WAL",
        "synchronous": "FULL",
    }
    return sqlite_engine(path, pragmas)


def _earlier_version(connection: Connection) -> int:
    if not inspect(connection).has_table(meta.name):
        return 0
    query = select(meta.c.value).where(meta.c.key == "schema_version")
    return int(connection.scalar(query) or 0)


SCHEMA = Schema(
    "manager", VERSION, metadata, Path(__file__).with_name("migrations"), _earlier_version
)
