"""Keeps an archive within a limit: the finished matches that came first go first.

Deleting leaves free pages in the database, which are given back to the file system
(``auto_vacuum = INCREMENTAL``). A database that was made without that is rewritten once.
"""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from typing import Self

from pydantic import ByteSize, TypeAdapter

from ggp_player.archive.schema import INCREMENTAL, transaction

DEFAULT_BYTES = 2**30
"""How much the archive holds unless somebody says otherwise: some 100,000 short matches."""

BATCH = 20
"""Matches that are deleted in a transaction; other processes write between two."""

UNLIMITED = "none"

_BYTES = TypeAdapter(ByteSize)

_UNFINISHED = "status = 'suspended' OR (status = 'running' AND silent_time >= :now)"


@dataclass(frozen=True, slots=True)
class ArchiveLimit:
    """How many matches, or bytes, an archive holds; None is as many as there are."""

    matches: int | None = None
    bytes: int | None = DEFAULT_BYTES

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read a number of matches, a size such as ``500MB`` or ``2GiB``, or ``none``.

        Raises ValueError.

        >>> ArchiveLimit.parse("5000"), ArchiveLimit.parse("2 KiB")
        (ArchiveLimit(matches=5000, bytes=None), ArchiveLimit(matches=None, bytes=2048))
        """
        text = text.strip().lower()
        if text == UNLIMITED:
            return cls(None, None)
        if text.isascii() and text.isdigit() and 0 < len(text) < 16:
            return cls(int(text), None)
        try:
            if not text[-1:].isalpha():
                raise ValueError("there is no unit")
            return cls(None, int(_BYTES.validate_python(text)))
        except (ValueError, OverflowError) as error:
            expected = "expected a number of matches, a size such as 500MB or 2GiB, or none"
            raise ValueError(f"{expected}; found {text[:40]}") from error


DEFAULT_LIMIT = ArchiveLimit()


def used_bytes(connection: sqlite3.Connection) -> int:
    """Bytes of a database without its free pages."""
    size, pages, free = (
        connection.execute(f"PRAGMA {name}").fetchone()[0]
        for name in ("page_size", "page_count", "freelist_count")
    )
    found: int = size * (pages - free)
    return found


def trim(connection: sqlite3.Connection, limit: ArchiveLimit, now: int) -> int:
    """Delete up to :data:`BATCH` of the oldest finished matches, while there is too much.

    Returns how many were deleted: with :data:`BATCH`, there may be more to delete. ``now`` is in
    milliseconds since 1970.
    """
    if not _excess(connection, limit):
        return 0
    deleted = 0
    with transaction(connection):
        while deleted < BATCH and _excess(connection, limit):
            if not _delete_oldest(connection, now):
                break
            deleted += 1
    if deleted:
        give_back(connection)
    return deleted


def give_back(connection: sqlite3.Connection) -> None:
    """Give free pages back to the file system."""
    if connection.execute("PRAGMA auto_vacuum").fetchone()[0] != INCREMENTAL:
        connection.execute(f"PRAGMA auto_vacuum = {INCREMENTAL}")
        connection.execute("VACUUM")  # what it says for later takes effect by this
    # It has no columns, so that execute would stop after the first page.
    connection.executescript("PRAGMA incremental_vacuum")
    connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()


def delete_match(connection: sqlite3.Connection, number: int, rules_hash: str | None) -> None:
    """Delete a match, and rules that no other match has."""
    connection.execute("DELETE FROM matches WHERE number = ?", (number,))
    connection.execute(
        "DELETE FROM rules WHERE hash = ? AND hash NOT IN"
        " (SELECT rules_hash FROM matches WHERE rules_hash = ?)",
        (rules_hash, rules_hash),
    )


def _excess(connection: sqlite3.Connection, limit: ArchiveLimit) -> bool:
    if limit.bytes is not None and used_bytes(connection) > limit.bytes:
        return True
    if limit.matches is None:
        return False
    count: int = connection.execute("SELECT count(*) FROM matches").fetchone()[0]
    return count > limit.matches


def _delete_oldest(connection: sqlite3.Connection, now: int) -> bool:
    """Delete the finished match that came first; return whether there was one."""
    row = connection.execute(
        f"SELECT number, rules_hash FROM matches WHERE NOT ({_UNFINISHED}) ORDER BY number LIMIT 1",
        {"now": now},
    ).fetchone()
    if row is not None:
        delete_match(connection, row["number"], row["rules_hash"])
    return row is not None
