"""Connections to SQLite for several processes at a time, and what is said of errors."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, Insert, Update, create_engine, event
from sqlalchemy.dialects import sqlite
from sqlalchemy.engine import URL
from sqlalchemy.exc import OperationalError, SQLAlchemyError
from sqlalchemy.pool import Pool, QueuePool

LOCKED_CHECK = 0.01
"""Seconds between two attempts at what sqlite3 does not wait for."""

INCREMENTAL = 2
"""The ``auto_vacuum`` by which free pages can be given back to the file system."""

DatabaseErrors = (SQLAlchemyError, sqlite3.Error, OSError)
"""What is raised where a database, or its file, cannot be used."""


def sqlite_engine(
    path: Path,
    pragmas: Mapping[str, object],
    pool: type[Pool] = QueuePool,
) -> Engine:
    """Return an engine for a file, whose connections have these pragmas."""
    engine = create_engine(URL.create("sqlite", database=str(path)), poolclass=pool)

    @event.listens_for(engine, "connect")
    def configure(connection: Any, _record: object) -> None:  # noqa: ANN401 - any driver's
        for name, value in {"foreign_keys": "ON", **pragmas}.items():
            connection.execute(f"PRAGMA {name} = {value}")

    return engine


@contextmanager
def writing(connection: Connection) -> Iterator[None]:
    """Write all that is done meanwhile, or nothing of it; SQLite lets nobody else write then."""
    connection.rollback()  # what was only read
    with connection.begin():
        if connection.dialect.name == "sqlite":  # it would begin with the first change
            connection.connection.cursor().execute("BEGIN IMMEDIATE")
        yield


class Prepared:
    """A change of a table's rows that is compiled once, and executed by SQLite's driver itself.

    That takes a fifth of the time that ``Connection.execute`` takes; errors are the driver's own.
    """

    def __init__(self, change: Insert | Update, *columns: str) -> None:
        dialect = sqlite.dialect(paramstyle="named")
        compiled = change.compile(dialect=dialect, column_keys=columns)
        self._text = str(compiled)
        self._constants = {
            key: found for key, found in compiled.params.items() if found is not None
        }
        kinds = {name: change.table.c[name].type for name in columns}
        encoders = {name: kind.bind_processor(dialect) for name, kind in kinds.items()}
        self._encoders = [(name, encode) for name, encode in encoders.items() if encode]

    def execute(self, connection: Connection, values: dict[str, Any]) -> None:
        """Change the rows, in the transaction of a connection; these values are overwritten."""
        for name, encode in self._encoders:
            values[name] = encode(values[name])
        driver = connection.connection.driver_connection
        assert driver is not None
        driver.execute(self._text, self._constants | values)


def use_write_ahead_log(connection: Connection) -> None:
    """Change the kind of journal, for which SQLite does not wait while another process writes.

    Raises OperationalError after as long as the connection waits for others.
    """
    timeout = connection.exec_driver_sql("PRAGMA busy_timeout").scalar_one()
    limit = time.monotonic() + timeout / 1000
    connection.exec_driver_sql("PRAGMA busy_timeout = 0")  # it is waited for here
    while True:
        try:
            # Before the first page is written; later it changes nothing.
            connection.exec_driver_sql(f"PRAGMA auto_vacuum = {INCREMENTAL}")
            connection.exec_driver_sql("PRAGMA journal_mode = WAL")
            break
        except OperationalError:
            if time.monotonic() > limit:
                raise
            time.sleep(LOCKED_CHECK)
    connection.exec_driver_sql(f"PRAGMA busy_timeout = {timeout}")


def is_temporary(error: BaseException) -> bool:
    """Return whether what has failed may work later: a database is locked, or a disk full."""
    return isinstance(error, OperationalError | sqlite3.OperationalError | OSError)


def reason(error: BaseException) -> str:
    """Return the driver's own message, without the statement that failed."""
    return str(getattr(error, "orig", error)).partition("\n")[0]
