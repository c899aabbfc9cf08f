"""The results of a tournament's matches, in a file of JSON lines.

The first line identifies the tournament; every further one is a match, written and flushed to disk
when the match ends, or identifies it anew where players have joined. If the process is killed, only
the matches under way are lost; half a line, which a crash may leave at the end, is dropped when the
file is opened, which is locked against other processes.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import fields, replace
from pathlib import Path
from typing import Self, TypeAlias

from pydantic import ConfigDict, TypeAdapter, ValidationError, model_validator
from pydantic.dataclasses import dataclass

from gdl.system import lock_file
from ggp_player.errors import TournamentError
from ggp_player.protocol import CONNECTION_ERROR, ILLEGAL, TIMEOUT

MatchKey: TypeAlias = tuple[str, int, tuple[str, ...]]
"""The game, the round, and the players in role order."""


class LineFile:
    """An open file of lines, which is created where there is none.

    Raises :class:`TournamentError` if it is in use or no file, OSError if it cannot be opened.
    """

    def __init__(self, path: Path) -> None:
        if path.exists() and not path.is_file():
            raise TournamentError(f"{path} is not a file that can hold results")
        self.path = path
        self._file = path.open("a+b", buffering=0)
        if not lock_file(self._file):
            self._file.close()
            raise TournamentError(f"{path} is in use by another process")

    def close(self) -> None:
        """Close the file, for other processes to open it."""
        self._file.close()

    def read(self) -> bytes:
        """Return all that is in the file, half a line at the end included."""
        self._file.seek(0)
        return self._file.read()

    def clear(self) -> None:
        """Remove all that is in the file."""
        self._file.truncate(0)

    def drop_half_line(self) -> None:
        """Remove what follows the last whole line."""
        self._file.truncate(self.read().rfind(b"\n") + 1)

    def add(self, line: bytes) -> None:
        """Add a line. Raises OSError, which names the file, where it cannot be written.

        The file is as it was then.
        """
        whole = self._file.seek(0, os.SEEK_END)
        try:
            rest = line + b"\n"
            # The file has no buffer, as what is left in one would be written again at its close.
            while rest:
                rest = rest[self._file.write(rest) :]
            os.fsync(self._file.fileno())
        except OSError as error:
            with suppress(OSError):
                self._file.truncate(whole)
            raise OSError(error.errno, error.strerror, str(self.path)) from error


_CONFIG = ConfigDict(extra="forbid")


@dataclass(frozen=True, slots=True, config=_CONFIG)
class Identity:
    """What two runs of one tournament have in common: all but the rounds. Clocks in seconds.

    A later run may have more ``players`` than an earlier one; they follow those that were there.
    """

    games: dict[str, str]
    """The name of each game and its digest."""
    players: tuple[str, ...]
    start_clock: int
    play_clock: int
    seed: int
    scramble: bool = False

    @property
    def label(self) -> str:
        """A hash of the identity, eight characters."""
        return hashlib.sha256(_IDENTITY.dump_json(self)).hexdigest()[:8]


@dataclass(frozen=True, slots=True, config=_CONFIG)
class MatchResult:
    """The result of a match. All lists have an entry for each role that a player takes."""

    match_id: str
    game: str
    round: int
    seed: int
    roles: tuple[str, ...]
    players: tuple[str, ...]
    goals: tuple[int | None, ...] = ()
    """None if the rules give no goal value; empty for a match that failed."""
    steps: int = 0
    errors: tuple[tuple[str, ...], ...] = ()
    """For each role, its errors: step, 0 for the start, and error as in match records: ``3 TO``."""
    longest_replies: tuple[float, ...] = ()
    """Seconds."""
    seconds: float = 0.0
    failure: str = ""
    """Why the match was broken off; empty if it was played to its end."""
    warnings: tuple[str, ...] = ()
    """What our own players logged as a warning or worse."""

    @model_validator(mode="after")
    def _agree(self) -> Self:
        lists = (self.players, self.errors, self.longest_replies)
        if any(len(entries) != len(self.roles) for entries in lists):
            raise ValueError("players, errors and longest_replies need one entry for each role")
        if len(self.goals) != (0 if self.failure else len(self.roles)):
            raise ValueError("a match that has ended needs a goal for each role, any other none")
        return self

    @property
    def key(self) -> MatchKey:
        """What distinguishes the match from all others of its tournament."""
        return self.game, self.round, self.players

    def count(self, seat: int, kind: str) -> int:
        """Count the errors of a kind that the player in a seat made."""
        return sum(error.split(" ", 2)[1] == kind for error in self.errors[seat])

    def late(self, seat: int) -> int:
        """Count the replies that came too late or not at all."""
        return self.count(seat, TIMEOUT)

    def failed(self, seat: int) -> int:
        """Count the connections that failed."""
        return self.count(seat, CONNECTION_ERROR)

    def illegal(self, seat: int) -> int:
        """Count the illegal moves."""
        return self.count(seat, ILLEGAL)


_IDENTITY = TypeAdapter(Identity)
_LINE: TypeAdapter[MatchResult | Identity] = TypeAdapter(MatchResult | Identity)


class ResultsLog:
    """The ``results`` of one tournament, in the order in which the matches ended."""

    def __init__(self, identity: Identity, results: Iterable[MatchResult] = ()) -> None:
        self.identity = identity
        self.results = list(results)

    def append(self, result: MatchResult) -> None:
        """Add a result."""
        self.results.append(result)


class ResultsFile(ResultsLog):
    """A log of results in a file, which is locked against other processes.

    The constructor creates the file, or reads the ``results`` so far; ``identity`` then has the
    players in the file's order, before those who join. It raises :class:`TournamentError` if the
    file belongs to something else or is in use, OSError if it cannot be read or written.
    """

    def __init__(self, path: Path, identity: Identity) -> None:
        super().__init__(identity)
        self._path = path
        self._file = LineFile(path)
        try:
            self.results = self._read()
        except BaseException:
            self._file.close()
            raise

    def __enter__(self) -> ResultsFile:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def append(self, result: MatchResult) -> None:
        """Add a result; it is on disk when this returns.

        Raises OSError, which names the file, where it cannot be written; it is among the
        ``results`` then, and the file is as it was.
        """
        super().append(result)
        self._file.add(_LINE.dump_json(result))

    def _read(self) -> list[MatchResult]:
        data = self._file.read()
        first = _IDENTITY.dump_json(self.identity)
        if first.startswith(data):  # nothing, or what a crash left of the first line
            self._file.clear()
            self._file.add(first)
            return []
        head, *lines = data[: data.rfind(b"\n") + 1].splitlines() or [data]
        found = self._identified(head)
        results: list[MatchResult] = []
        for number, line in enumerate(lines, start=2):
            match self._entry(line, number):
                case Identity() as later:
                    found = later
                case result:
                    results.append(result)
        self._join(found)
        self._file.drop_half_line()
        if self.identity != found:
            self._file.add(_IDENTITY.dump_json(self.identity))
        return results

    def _identified(self, head: bytes) -> Identity:
        try:
            return _IDENTITY.validate_json(head)
        except ValidationError as error:
            raise TournamentError(
                f"{self._path} holds something else than the results of a tournament"
            ) from error

    def _join(self, found: Identity) -> None:
        """Put the players of the file first; refuse the file of another tournament."""
        differences = "; ".join(_differences(found, self.identity))
        if differences:
            raise TournamentError(
                f"{self._path} belongs to another tournament ({differences}): name another file"
            )
        new = tuple(player for player in self.identity.players if player not in found.players)
        self.identity = replace(found, players=found.players + new)

    def _entry(self, line: bytes, number: int) -> MatchResult | Identity:
        try:
            return _LINE.validate_json(line)
        except ValidationError as error:
            reason = error.errors()[0]["msg"]
            raise TournamentError(
                f"{self._path}, line {number}, is no result of a match: {reason}"
            ) from error


def latest_results(results: Iterable[MatchResult]) -> dict[MatchKey, MatchResult]:
    """Return the last result of each match: one that failed may be played again."""
    return {result.key: result for result in results}


def identity_json(identity: Identity) -> dict[str, object]:
    """Return the identity as values for JSON."""
    value: dict[str, object] = _IDENTITY.dump_python(identity, mode="json")
    return value


def _differences(found: Identity, expected: Identity) -> Iterable[str]:
    for field in fields(Identity):
        there, here = getattr(found, field.name), getattr(expected, field.name)
        if field.name == "players" and set(there) <= set(here):
            continue  # others may join
        if there != here:
            name = field.name.replace("_", " ")
            yield f"{name}: {_shown(there)} there, {_shown(here)} here"


def _shown(value: object) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name} {digest}" for name, digest in value.items())
    return ", ".join(value) if isinstance(value, tuple) else str(value)
