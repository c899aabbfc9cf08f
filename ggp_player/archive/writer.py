"""The archive's writer: one thread that takes events from a subscription, and writes them.

Whatever is wrong with the disk or the database is logged once, and costs no move. Where the
database is locked or the disk is full, events wait for the next attempt; where it is damaged,
nothing more is written.
"""

from __future__ import annotations

import logging
import sqlite3
import threading
from pathlib import Path

from ggp_player.archive.match_store import MatchStore
from ggp_player.archive.schema import connect, transaction
from ggp_player.archive.trimming import BATCH, DEFAULT_LIMIT, ArchiveLimit, trim
from ggp_player.clock import WallClock, wall_clock
from ggp_player.events import Event, EventBus, MatchEnded

RETRY_SECONDS = 2.0
"""Seconds between two attempts to write to a database that is locked, or to a full disk."""

MAX_PENDING = 10_000
"""Events that wait for a database that cannot be written; then they are dropped."""

CLOSING_SECONDS = 2.0
"""Seconds in which the last events are written when the program ends."""

_log = logging.getLogger(__name__)


class ArchiveWriter:
    """Writes all events of a bus to the database at a path, until it is closed.

    Whenever a match has ended, the oldest are deleted that are beyond the limit.
    """

    def __init__(
        self,
        path: Path,
        bus: EventBus,
        limit: ArchiveLimit = DEFAULT_LIMIT,
        clock: WallClock = wall_clock,
    ) -> None:
        self._path = path
        self._limit = limit
        self._clock = clock
        self._may_exceed = True
        self._store = MatchStore()
        self._connection: sqlite3.Connection | None = None
        self._pending: list[Event] = []
        self._has_failed = False
        self._reason = self._lost = ""
        self._is_closing = False
        self._news = threading.Event()
        self._events = bus.subscribe("the archive", running=True, on_news=self._news.set)
        self._thread = threading.Thread(target=self._run, name="archive", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Write what waits, and release the database; wait :data:`CLOSING_SECONDS` at most."""
        self._events.close()
        self._is_closing = True
        self._news.set()
        self._thread.join(CLOSING_SECONDS)

    @property
    def failure(self) -> str:
        """Why events are missing in the database once this is closed; empty where none are."""
        is_late = self._thread.is_alive() or bool(self._pending)
        return self._reason or ("what waited was not written in time" if is_late else "")

    def __enter__(self) -> ArchiveWriter:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _run(self) -> None:
        try:
            self._write_until_closed()
        except Exception as error:
            _log.error("no more matches go into the archive %s: %s", self._path, error)
            self._reason = str(error)
        finally:
            self._events.close()
            if self._connection is not None:
                self._connection.close()

    def _write_until_closed(self) -> None:
        is_last = False
        while not is_last:
            if not self._may_exceed or self._connection is None:
                self._news.wait(RETRY_SECONDS if self._pending else None)
            self._news.clear()
            is_last = self._is_closing
            self._pending += self._events.take()
            self._write_pending()
            self._trim()
        while self._may_exceed and self._connection is not None and not self._pending:
            self._trim()

    def _trim(self) -> None:
        """Delete some of what is beyond the limit; what is left waits for the next time."""
        if self._connection is None or self._pending or not self._may_exceed:
            return
        self._may_exceed = False
        try:
            deleted = trim(self._connection, self._limit, self._clock())
        except sqlite3.OperationalError as error:
            _log.info("the archive %s is not trimmed for now: %s", self._path, error)
        else:
            self._may_exceed = deleted == BATCH

    def _write_pending(self) -> None:
        """Write what waits, in one transaction; where that fails, keep it for the next attempt."""
        if not self._pending:
            return
        try:
            if self._connection is None:
                self._connection = connect(self._path)
            with self._store.undone_on_failure(), transaction(self._connection):
                for event in self._pending:
                    self._apply(self._connection, event)
        except (sqlite3.OperationalError, OSError) as error:
            self._keep_pending(error)
        else:
            self._may_exceed |= any(isinstance(event, MatchEnded) for event in self._pending)
            self._pending.clear()
            self._reason = self._lost
            if self._has_failed:
                self._has_failed = False
                _log.info("the archive %s is written again", self._path)

    def _apply(self, connection: sqlite3.Connection, event: Event) -> None:
        """Write an event; one that cannot be written is left out, as it is no fault of others."""
        connection.execute("SAVEPOINT event")
        try:
            self._store.apply(connection, event)
        except (ValueError, TypeError, OverflowError, sqlite3.IntegrityError):
            _log.exception("an event is left out of the archive: %s", type(event).__name__)
            connection.execute("ROLLBACK TO event")
        connection.execute("RELEASE event")

    def _keep_pending(self, error: Exception) -> None:
        if not self._has_failed:
            _log.error("the archive %s cannot be written for now: %s", self._path, error)
        self._has_failed = True
        self._reason = str(error)
        if len(self._pending) > MAX_PENDING:
            _log.error("%d events are left out of the archive", len(self._pending))
            self._lost = self._reason
            self._pending.clear()
            self._store.forget()
