"""Match journals: what a match needs to go on after the server was killed, on disk.

A file for each match, in the folder that ``--state-dir`` names. It is only ever appended to: first
the START, then every step, each a line that begins with its checksum::

    5f3a91c2 {"start":{"match_id":"m","role":"x",...},"owner":"","encoding":"utf-8","version":1}
    0c1d7e44 {"turn":1,"moves":["(mark 1 1)","noop"]}

Where our role was told only what it may know, a step has that in ``moves``, as an object.

Each line is written and synced to the disk in one thread of the folder's own, off the event loop,
beginning as soon as the request is there; a reply waits for its line, but not beyond its deadline.
A line also says when it was written, in seconds since the machine was started, so that a server
knows how long a match has been silent, whatever has become of the time of day.
A line that was cut off by the kill is left out, as no reply to it has left. Any other damage means
that the state of the match is not known: the file is set aside, under a name that nobody reads.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
import os
import stat
import zlib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from contextvars import copy_context
from dataclasses import dataclass, field
from math import inf
from pathlib import Path
from typing import IO, Literal, TypeAlias

from pydantic import TypeAdapter, ValidationError
from pydantic_core import to_json

from gdl.system import boot_instant, is_private, lock_file, make_private
from ggp_player.errors import ServerError
from ggp_player.events import History, Step
from ggp_player.protocol import Start

SUFFIX = ".match"
SET_ASIDE = ".set-aside"
"""What the name of a file ends in that cannot be used."""

UTF_8 = "utf-8"

LOCK = "lock"
"""The file that a server keeps locked, so that no other one uses the folder."""

MAX_FILE = 2**26
"""Bytes of the longest file that is read: the longest START, and a joint move a turn for hours."""

WRITE_GRACE = 0.05
"""Seconds that a reply whose deadline has passed waits for its line."""

Instant: TypeAlias = tuple[str, float]
"""A start of the machine, and the seconds since."""

Now: TypeAlias = Callable[[], Instant | None]
"""Returns the instant, where it is known."""

_log = logging.getLogger(__name__)


class DamagedJournalError(Exception):
    """A file is no journal that this version can read; the text says why."""


@dataclass(frozen=True, slots=True)
class _First:
    """The entry that a file begins with."""

    start: Start
    owner: str = ""
    encoding: str = UTF_8
    version: Literal[1] = 1
    at: Instant | None = None


@dataclass(frozen=True, slots=True)
class _Step:
    """The entry of a step; turns are counted from 1."""

    turn: int
    moves: Step
    at: Instant | None = None


_FIRST = TypeAdapter(_First)
_STEP = TypeAdapter(_Step)


@dataclass(frozen=True, slots=True)
class StoredMatch:
    """A match as its journal has it: the START, and the steps received since.

    ``owner`` is the sender of the START, and ``encoding`` that of its rules. It was written last
    ``at`` an instant, where that is known.
    """

    start: Start
    history: History = ()
    owner: str = ""
    encoding: str = UTF_8
    at: Instant | None = field(default=None, compare=False)


class MatchJournal:
    """The journal of one match: lines are appended in the order of the calls.

    Where the disk fails, that is logged once, and the match goes on without a journal: a file that
    lacks a turn is removed, as it would lead to a wrong state.
    """

    def __init__(
        self, path: Path, executor: ThreadPoolExecutor, now: Now = boot_instant, turn: int = 0
    ) -> None:
        self._path = path
        self._now = now
        self._executor = executor
        self._turn = turn
        self._has_failed = False

    def begin(self, start: Start, owner: str = "", encoding: str = UTF_8) -> asyncio.Future[None]:
        """Begin to write a new file with the START; the future is done once it is on disk."""
        first = _First(start, owner, encoding, at=self._now())
        return self._write(first, os.O_CREAT | os.O_TRUNC)

    def append(self, step: Step) -> asyncio.Future[None]:
        """Begin to write a step; the future is done once it is on disk."""
        self._turn += 1
        return self._write(_Step(self._turn, step, self._now()))

    def remove(self) -> asyncio.Future[None]:
        """Begin to remove the file, after what is being written."""
        return self._run(lambda: self._path.unlink(missing_ok=True))

    def _write(self, entry: _First | _Step, flags: int = 0) -> asyncio.Future[None]:
        return self._run(lambda: _append(self._path, _line(to_json(entry)), flags))

    def _run(self, work: Callable[[], None]) -> asyncio.Future[None]:
        """Do something in the folder's thread, whose log lines have the match of this task."""
        context, loop = copy_context(), asyncio.get_running_loop()
        return loop.run_in_executor(self._executor, context.run, self._try, work)

    def _try(self, work: Callable[[], None]) -> None:
        if self._has_failed:
            return
        try:
            work()
        except OSError as error:
            self._has_failed = True
            _log.error("the match cannot be kept on disk, and ends with the server: %s", error)
            with suppress(OSError):
                self._path.unlink(missing_ok=True)


class JournalFolder:
    """The folder with the journals of a server's matches. Raises :class:`ServerError`."""

    def __init__(self, folder: Path, now: Now = boot_instant) -> None:
        self._folder = folder
        self._now = now
        self._lock = _claim(folder)
        self._executor = ThreadPoolExecutor(1, "journal")

    def journal(self, match_id: str, turn: int = 0) -> MatchJournal:
        """The journal of a match that has made so many turns."""
        path = self._folder / _file_name(match_id)
        return MatchJournal(path, self._executor, self._now, turn)

    def stored_matches(
        self, most: int, silence_limit: Callable[[Start], float]
    ) -> list[StoredMatch]:
        """Read the matches that can go on, the newest first, at most so many.

        A match that has been silent for too long, in seconds, is removed; so is what is beyond
        ``most``. Since the machine was started anew, or where that is not known, nobody can say how
        long that is: such a match goes on, and ends when it stays silent. What cannot be read is
        reported and set aside; other files are left alone.
        """
        found: list[StoredMatch] = []
        for path, stored in self._by_silence():
            silence = self._silence(stored)
            if (silence or 0) > silence_limit(stored.start) or len(found) >= most:
                shown = (
                    "not known to be silent" if silence is None else f"silent for {silence:.0f} s"
                )
                message = "%s is removed: %s, and %d newer matches for %d seats"
                _log.warning(message, path, shown, len(found), most)
                path.unlink(missing_ok=True)
            else:
                found.append(stored)
        return found

    def close(self) -> None:
        """Release the folder, without waiting for a disk that hangs."""
        self._executor.shutdown(wait=False)
        self._lock.close()

    def _by_silence(self) -> list[tuple[Path, StoredMatch]]:
        """Read the files of matches, the newest first."""
        found = []
        for path in sorted(path for path in self._folder.iterdir() if path.name != LOCK):
            if path.suffix not in {SUFFIX, SET_ASIDE}:
                _log.warning("%s is no file of this server's, and left alone", path)
            if path.suffix != SUFFIX:
                continue
            try:
                found.append((path.lstat().st_mtime, path, _read(path)))
            except (DamagedJournalError, OSError) as error:
                self._set_aside(path, error)

        def key(entry: tuple[float, Path, StoredMatch]) -> tuple[float, float]:
            silence = self._silence(entry[2])
            return inf if silence is None else silence, -entry[0]

        return [(path, stored) for _, path, stored in sorted(found, key=key)]

    def _silence(self, stored: StoredMatch) -> float | None:
        """Return the seconds since a match was written; None where they are not known."""
        now, at = self._now(), stored.at
        if now is None or at is None or now[0] != at[0]:
            return None
        return round(now[1] - at[1], 1)

    def _set_aside(self, path: Path, error: Exception) -> None:
        aside = path.with_name(path.name + SET_ASIDE)
        _log.error("%s cannot be used: %s; it is set aside as %s", path, error, aside.name)
        try:
            path.replace(aside)
        except OSError as failure:
            _log.error("%s cannot be set aside: %s", path, failure)


def _claim(folder: Path) -> IO[bytes]:
    """Make the folder if there is none, and lock it."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not is_private(folder):
            raise ServerError(f"the state folder {folder} must belong to this user alone")
        make_private(folder)
        lock = (folder / LOCK).open("ab")
    except OSError as error:
        raise ServerError(f"the state folder {folder} cannot be used: {error}") from error
    if not lock_file(lock):
        lock.close()
        raise ServerError(f"the state folder {folder} is in use by another server")
    return lock


def _file_name(match_id: str) -> str:
    """A name that says nothing and fits every file system, whatever the match is called."""
    return hashlib.sha256(match_id.encode(errors="surrogatepass")).hexdigest()[:32] + SUFFIX


def _line(entry: bytes) -> bytes:
    return b"%08x %b\n" % (zlib.crc32(entry), entry)


def _append(path: Path, line: bytes, flags: int = 0) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | flags, 0o600)
    try:
        with open(descriptor, "ab", closefd=False) as file:
            file.write(line)
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    if flags & os.O_CREAT and os.name == "posix":  # the name is not on disk before its folder is
        _sync_folder(path.parent)


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _read(path: Path) -> StoredMatch:
    """Read a file whole, and cut off what the end of the server has left unfinished."""
    status = path.lstat()
    if not stat.S_ISREG(status.st_mode):
        raise DamagedJournalError("it is no file")
    if status.st_size > MAX_FILE:
        raise DamagedJournalError(f"it has {status.st_size} bytes; at most {MAX_FILE} are read")
    data = path.read_bytes()
    *lines, unfinished = data.split(b"\n")
    stored = _stored_match([_checked(line) for line in lines])
    if path.name != _file_name(stored.start.match_id):
        raise DamagedJournalError("it has the name of another match")
    if unfinished:
        _log.info("%s: a joint move that is not whole is left out", path)
        os.truncate(path, len(data) - len(unfinished))
    return stored


def _checked(line: bytes) -> bytes:
    checksum, _, text = line.partition(b" ")
    if checksum != b"%08x" % zlib.crc32(text):
        raise DamagedJournalError("a checksum is wrong")
    return text


def _stored_match(entries: list[bytes]) -> StoredMatch:
    if not entries:
        raise DamagedJournalError("there is no whole line in it")
    try:
        first = _FIRST.validate_json(entries[0], strict=True)
        steps = [_STEP.validate_json(entry) for entry in entries[1:]]
    except ValidationError as error:
        raise DamagedJournalError(f"an entry is wrong: {error.errors()[0]['msg']}") from error
    if [step.turn for step in steps] != list(range(1, len(steps) + 1)):
        raise DamagedJournalError("a turn is missing")
    history = tuple(step.moves for step in steps)
    latest = steps[-1].at if steps else first.at
    return StoredMatch(first.start, history, first.owner, first.encoding, latest)
