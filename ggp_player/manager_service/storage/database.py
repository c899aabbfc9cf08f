"""The tables of the manager's database, and the lock against a second manager.

SQLite in a file, or PostgreSQL by its URL. Times are milliseconds since 1970. A match is played in
attempts: one that was open when the manager was killed is marked as aborted, and the match gets
another under a new match id. A match has a result exactly if one of its attempts is completed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

import platformdirs
import sqlalchemy as sa
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, SQLAlchemyError

from gdl.system import lock_file, make_private_database, make_private_file
from ggp_player.clock import WallClock, wall_clock
from ggp_player.database.connections import DatabaseErrors, reason, sqlite_engine
from ggp_player.database.versions import Schema, prepare
from ggp_player.errors import ManagerError

VERSION = 2
"""The version of the tables below."""

LOCK_KEY = 0x67677001
"""The number of the advisory lock in PostgreSQL."""

BUSY_SECONDS = 10
"""How long SQLite waits for somebody else who reads or writes the file."""

metadata = sa.MetaData()

meta = sa.Table(
    "meta",
    metadata,
    sa.Column("key", sa.String(40), primary_key=True),
    sa.Column("value", sa.Text, nullable=False),
)

tokens = sa.Table(
    "tokens",
    metadata,
    sa.Column("name", sa.String(80), primary_key=True),
    sa.Column("role", sa.String(20), nullable=False),
    sa.Column("hash", sa.String(64), nullable=False, unique=True),
    sa.Column("created", sa.BigInteger, nullable=False),
    sa.Column("revoked", sa.BigInteger),
)

players = sa.Table(
    "players",
    metadata,
    sa.Column("name", sa.String(80), primary_key=True),
    sa.Column("address", sa.Text, nullable=False),
    sa.Column("dialects", sa.JSON, nullable=False),
    sa.Column("versions", sa.JSON, nullable=False),
    sa.Column("owner", sa.String(80), nullable=False),
    sa.Column("added", sa.BigInteger, nullable=False),
    sa.Column("expires", sa.BigInteger),
)

names = sa.Table(
    "names",
    metadata,
    sa.Column("name", sa.String(80), primary_key=True),
    sa.Column("owner", sa.String(80), nullable=False),
    sa.Column("since", sa.BigInteger, nullable=False),
)

rulesheets = sa.Table(
    "rulesheets",
    metadata,
    sa.Column("digest", sa.String(64), primary_key=True),
    sa.Column("rules", sa.Text, nullable=False),
    sa.Column("roles", sa.JSON, nullable=False),
)

games = sa.Table(
    "games",
    metadata,
    sa.Column("name", sa.String(80), primary_key=True),
    sa.Column("digest", sa.String(64), sa.ForeignKey("rulesheets.digest"), nullable=False),
    sa.Column("added", sa.BigInteger, nullable=False),
)

events = sa.Table(
    "events",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("name", sa.String(200), nullable=False),
    sa.Column("settings", sa.JSON, nullable=False),
    sa.Column("digests", sa.JSON, nullable=False),
    sa.Column("status", sa.String(20), nullable=False),
    sa.Column("created", sa.BigInteger, nullable=False),
    sa.Column("ended", sa.BigInteger),
)

matches = sa.Table(
    "matches",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("event", sa.Integer, sa.ForeignKey("events.id"), nullable=False),
    sa.Column("place", sa.Text, nullable=False),
    sa.Column("game", sa.String(80), nullable=False),
    sa.Column("digest", sa.String(64), sa.ForeignKey("rulesheets.digest"), nullable=False),
    sa.Column("round", sa.Integer, nullable=False),
    sa.Column("seed", sa.BigInteger, nullable=False),
    sa.Column("players", sa.JSON, nullable=False),
    sa.Column("status", sa.String(20), nullable=False),
    sa.Column("attempts", sa.Integer, nullable=False),
    sa.Column("ended", sa.BigInteger),
    sa.Column("result", sa.JSON),
    sa.Column("record", sa.Text),
    sa.UniqueConstraint("event", "place"),
    sa.Index("matches_by_status", "status", "event"),
)

attempts = sa.Table(
    "attempts",
    metadata,
    sa.Column("match_id", sa.String(200), primary_key=True),
    sa.Column("match", sa.Integer, sa.ForeignKey("matches.id"), nullable=False),
    sa.Column("status", sa.String(20), nullable=False),
    sa.Column("began", sa.BigInteger, nullable=False),
    sa.Column("ended", sa.BigInteger),
    sa.Column("reason", sa.Text, nullable=False, default=""),
    sa.Index("attempts_by_status", "status"),
    sa.Index("attempts_by_match", "match"),
)

ratings = sa.Table(
    "ratings",
    metadata,
    sa.Column("event", sa.Integer, sa.ForeignKey("events.id"), primary_key=True),
    sa.Column("player", sa.String(80), primary_key=True),
    sa.Column("value", sa.Float, nullable=False),
    sa.Column("low", sa.Float, nullable=False),
    sa.Column("high", sa.Float, nullable=False),
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
        self._lock: sa.Connection | None = None
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
            query = sa.text("SELECT pg_try_advisory_lock(:key)")
            is_ours = bool(self._lock.execute(query, {"key": LOCK_KEY}).scalar())
            self._lock.commit()
        if not is_ours:
            raise ManagerError("another manager uses this database: stop it, or name another one")


class Tables:
    """What stores have in common: queries and changes, each in a transaction of its own.

    Not for the event loop: every call may wait for the disk.
    """

    def __init__(self, engine: sa.Engine, now: WallClock = wall_clock) -> None:
        self._engine = engine
        self._now = now

    def _rows(self, query: sa.Executable) -> Sequence[sa.Row[Any]]:
        with self._engine.connect() as connection:
            return connection.execute(query).all()

    def _row(self, query: sa.Executable) -> sa.Row[Any] | None:
        """Return the only row; None where there is none."""
        with self._engine.connect() as connection:
            return connection.execute(query).one_or_none()

    def _value(self, query: sa.Executable) -> Any:  # noqa: ANN401 - of any column
        """Return the first value of the first row; None where there is none."""
        with self._engine.connect() as connection:
            return connection.scalar(query)

    def _change(self, statement: sa.Update | sa.Delete) -> bool:
        """Change rows; return whether there were some."""
        with self._engine.begin() as connection:
            return bool(connection.execute(statement).rowcount)

    def _kept(self, key: str, make: Callable[[], str]) -> str:
        """Return the value of a key; where it has none, make one and keep it."""
        with self._engine.begin() as connection:
            found = connection.scalar(sa.select(meta.c.value).where(meta.c.key == key))
            if found is None:
                found = make()
                connection.execute(meta.insert().values(key=key, value=found))
        return str(found)


def _engine(url: URL) -> sa.Engine:
    try:
        if url.get_backend_name() != "sqlite":
            return sa.create_engine(url, pool_pre_ping=True)
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


def _earlier_version(connection: sa.Connection) -> int:
    if not sa.inspect(connection).has_table(meta.name):
        return 0
    query = sa.select(meta.c.value).where(meta.c.key == "schema_version")
    return int(connection.scalar(query) or 0)


SCHEMA = Schema(
    "manager", VERSION, metadata, Path(__file__).with_name("migrations"), _earlier_version
)
