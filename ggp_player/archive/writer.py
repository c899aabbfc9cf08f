"""The archive's writer: one thread that takes events from a subscription, and writes them.

Whatever is wrong with the disk or the database is logged once, and costs no move. Where the
database is locked or the disk is full, events wait for the next attempt; where it is damaged,
nothing more is written.
"""

from __future__ import annotations

import logging
import threading
from contextlib import ExitStack, closing
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from ggp_player.archive.archive_limit import DEFAULT_LIMIT, ArchiveLimit
from ggp_player.clock import WallClock, wall_clock
from ggp_player.errors import UnavailableArchiveError
from ggp_player.events import Event, EventBus, MatchEnded

if TYPE_CHECKING:
    from ggp_player.archive.match_store import MatchStore

RETRY_SECONDS = 2.0
"""Seconds between two attempts to write to a database that is locked, or to a full disk."""

MAX_PENDING = 10_000
"""Events that wait for a database that cannot be written; then they are dropped."""

CLOSING_SECONDS = 2.0
"""Seconds in which the last events are written when the program ends."""

QUIET_SECONDS = 10.0
"""If there are no events for so long after the start, SQLAlchemy is imported before the first."""

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
        self._may_exceed = False
        self._has_written = False
        self._resources = ExitStack()
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

    @cached_property
    def _store(self) -> MatchStore:
        # Imported here, as it takes a fifth of a second, for which no server's start waits.
        from ggp_player.archive.match_store import MatchStore

        return self._resources.enter_context(closing(MatchStore(self._path)))

    def _run(self) -> None:
        try:
            with self._resources:
                self._write_until_closed()
        except Exception as error:
            _log.error("no more matches go into the archive %s: %s", self._path, error)
            self._reason = str(error)
        finally:
            self._events.close()

    def _write_until_closed(self) -> None:
        if not self._news.wait(QUIET_SECONDS):
            _ = self._store
        is_last = False
        while not is_last:
            if self._pending or not self._may_exceed:
                self._news.wait(RETRY_SECONDS if self._pending else None)
            self._news.clear()
            is_last = self._is_closing
            self._pending += self._events.take()
            self._write_pending()
            self._trim()
        while self._may_exceed and not self._pending:
            self._trim()

    def _trim(self) -> None:
        """Delete some of what is beyond the limit; what is left waits for the next time."""
        if self._pending or not self._may_exceed:
            return
        self._may_exceed = False
        try:
            self._may_exceed = self._store.trim(self._limit, self._clock())
        except UnavailableArchiveError as error:
            _log.info("the archive %s is not trimmed for now: %s", self._path, error)

    def _write_pending(self) -> None:
        """Write what waits, in one transaction; where that fails, keep it for the next attempt."""
        if not self._pending:
            return
        try:
            self._store.write(self._pending)
        except UnavailableArchiveError as error:
            self._keep_pending(error)
        else:
            has_ended = any(isinstance(event, MatchEnded) for event in self._pending)
            self._may_exceed |= has_ended or not self._has_written
            self._has_written = True
            self._pending.clear()
            self._reason = self._lost
            if self._has_failed:
                self._has_failed = False
                _log.info("the archive %s is written again", self._path)

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
