"""Keeps an archive within a limit: the finished matches that came first go first.

But nobody pushes out what others have left. A match that takes more than its share of the bytes
goes before all others, and is not counted while it goes on. And a sender whose matches of a day
take more than its share loses the oldest of its own.

Deleting leaves free pages in the database, which are given back to the file system
(``auto_vacuum = INCREMENTAL``). A database that was made without that is rewritten once.
"""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from typing import Self

from ggp_player.archive.schema import INCREMENTAL, transaction

DEFAULT_BYTES = 2**30
"""How much the archive holds unless somebody says otherwise: some 100,000 short matches."""

BATCH = 20
"""Matches that are deleted in a transaction; other processes write between two."""

MATCH_SHARE = 512
"""A match may take this part of the bytes: 2 MiB of 1 GiB."""

LEAST_MATCH_SHARE = 2**16
"""Bytes that every match may take."""

SENDER_SHARE = 8
"""The matches of a sender within a day may be this part of the bytes, or of the matches."""

DAY = 86_400_000
"""Milliseconds."""

UNLIMITED = "none"

_UNFINISHED = "(status = 'suspended' OR (status = 'running' AND silent_time >= :now))"

_RULES = "coalesce((SELECT length(text) FROM rules WHERE hash = rules_hash), 0)"
_SHARERS = "(SELECT count(*) FROM matches o WHERE o.rules_hash = matches.rules_hash)"

_LARGE = f"size > :share AND size - {_RULES} + {_RULES} / max(1, {_SHARERS}) > :share"
"""Whether a match is larger than its share; rules that others have, too, count for all of them."""


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
            # Imported here, as lists of matches need none of it.
            from pydantic import ByteSize, TypeAdapter

            return cls(None, int(TypeAdapter(ByteSize).validate_python(text)))
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
    if not _excess(connection, limit, now):
        return 0
    deleted = 0
    with transaction(connection):
        while deleted < BATCH and _excess(connection, limit, now):
            row = _next_to_go(connection, limit, now)
            if row is None:
                break
            delete_match(connection, row["number"], row["rules_hash"])
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


def _excess(connection: sqlite3.Connection, limit: ArchiveLimit, now: int) -> bool:
    if limit.bytes is not None and used_bytes(connection) > limit.bytes:
        statement = f"SELECT sum(size) FROM matches WHERE {_UNFINISHED} AND {_LARGE}"
        values = {"now": now, "share": _match_share(limit.bytes)}
        going_on = connection.execute(statement, values).fetchone()[0] or 0
        if used_bytes(connection) - going_on > limit.bytes:
            return True
    if limit.matches is None:
        return False
    count: int = connection.execute("SELECT count(*) FROM matches").fetchone()[0]
    return count > limit.matches


def _match_share(limit: int) -> int:
    return max(limit // MATCH_SHARE, LEAST_MATCH_SHARE)


def _next_to_go(
    connection: sqlite3.Connection, limit: ArchiveLimit, now: int
) -> sqlite3.Row | None:
    """Find the finished match that is deleted first, if there is one."""
    if limit.bytes is not None:
        row = _oldest(connection, now, _LARGE, share=_match_share(limit.bytes))
        if row is not None:
            return row
    if sender := _greedy_sender(connection, limit, now):
        row = _oldest(connection, now, "manager = :sender", sender=sender)
        if row is not None:
            return row
    return _oldest(connection, now, "TRUE")


def _oldest(
    connection: sqlite3.Connection, now: int, condition: str, **values: object
) -> sqlite3.Row | None:
    statement = (
        f"SELECT number, rules_hash FROM matches WHERE NOT {_UNFINISHED} AND {condition}"
        " ORDER BY number LIMIT 1"
    )
    row: sqlite3.Row | None = connection.execute(statement, {"now": now, **values}).fetchone()
    return row


def _greedy_sender(connection: sqlite3.Connection, limit: ArchiveLimit, now: int) -> str:
    """Return who has sent most within a day, where that is more than a share; empty if nobody."""
    most, measure = limit.bytes, "sum(size)"
    if most is None:
        most, measure = limit.matches, "count(*)"
    statement = (
        f"SELECT manager, {measure} AS used FROM matches WHERE start_time > :since"
        " AND manager <> '' GROUP BY manager HAVING used > :share ORDER BY used DESC LIMIT 1"
    )
    values = {"since": now - DAY, "share": (most or 0) // SENDER_SHARE}
    row = connection.execute(statement, values).fetchone()
    return row["manager"] if row else ""
