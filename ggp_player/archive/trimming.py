"""Keeps an archive within a limit: the finished matches that came first go first.

But nobody pushes out what others have left. A match that takes more than its share of the bytes
goes before all others, and is not counted while it goes on. And a sender whose matches of a day
take more than its share loses the oldest of its own.

Deleting leaves free pages in the database, which are given back to the file system
(``auto_vacuum = INCREMENTAL``). A database that was made without that is rewritten once.
"""

from __future__ import annotations

from typing import Any, TypeAlias

from sqlalchemy import ColumnElement, Connection, Row, and_, delete, func, or_, select, true

from ggp_player.archive.archive_limit import ArchiveLimit
from ggp_player.archive.schema import RULES_SIZE, matches, rules
from ggp_player.database.connections import INCREMENTAL, writing

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

_MatchRow: TypeAlias = Row[*tuple[Any, ...]]

_sharer = matches.alias()
_sharers = select(func.count()).where(_sharer.c.rules_hash == matches.c.rules_hash)


def _is_large(share: int) -> ColumnElement[bool]:
    """Whether a match is larger than its share; rules that others have, too, count for all."""
    own_rules = RULES_SIZE / func.max(1, _sharers.scalar_subquery())
    return and_(matches.c.size > share, matches.c.size - RULES_SIZE + own_rules > share)


def _goes_on(now: int) -> ColumnElement[bool]:
    is_running = and_(matches.c.status == "running", matches.c.silent_time >= now)
    return or_(matches.c.status == "suspended", is_running)


def used_bytes(connection: Connection) -> int:
    """Bytes of a database without its free pages."""
    size, pages, free = (
        connection.exec_driver_sql(f"PRAGMA {name}").scalar_one()
        for name in ("page_size", "page_count", "freelist_count")
    )
    found: int = size * (pages - free)
    return found


def trim(connection: Connection, limit: ArchiveLimit, now: int) -> int:
    """Delete up to :data:`BATCH` of the oldest finished matches, while there is too much.

    Returns how many were deleted: with :data:`BATCH`, there may be more to delete. ``now`` is in
    milliseconds since 1970.
    """
    if not _excess(connection, limit, now):
        return 0
    deleted = 0
    with writing(connection):
        while deleted < BATCH and _excess(connection, limit, now):
            row = _next_to_go(connection, limit, now)
            if row is None:
                break
            delete_match(connection, row.number, row.rules_hash)
            deleted += 1
    if deleted:
        give_back(connection)
    return deleted


def give_back(connection: Connection) -> None:
    """Give free pages back to the file system."""
    if connection.exec_driver_sql("PRAGMA auto_vacuum").scalar() != INCREMENTAL:
        connection.exec_driver_sql(f"PRAGMA auto_vacuum = {INCREMENTAL}")
        connection.exec_driver_sql("VACUUM")  # what it says for later takes effect by this
    # It has no columns, so that execute would stop after the first page.
    driver = connection.connection.driver_connection
    assert driver is not None
    driver.executescript("PRAGMA incremental_vacuum")
    connection.exec_driver_sql("PRAGMA wal_checkpoint(PASSIVE)")


def delete_match(connection: Connection, number: int, rules_hash: str | None) -> None:
    """Delete a match, and rules that no other match has."""
    connection.execute(delete(matches).where(matches.c.number == number))
    used = select(matches.c.rules_hash).where(matches.c.rules_hash == rules_hash)
    unused = and_(rules.c.hash == rules_hash, rules.c.hash.not_in(used))
    connection.execute(delete(rules).where(unused))


def _excess(connection: Connection, limit: ArchiveLimit, now: int) -> bool:
    if limit.bytes is not None and (used := used_bytes(connection)) > limit.bytes:
        large = and_(_goes_on(now), _is_large(_match_share(limit.bytes)))
        going_on = connection.scalar(select(func.sum(matches.c.size)).where(large)) or 0
        if used - going_on > limit.bytes:
            return True
    if limit.matches is None:
        return False
    return connection.execute(select(func.count(matches.c.number))).scalar_one() > limit.matches


def _match_share(limit: int) -> int:
    return max(limit // MATCH_SHARE, LEAST_MATCH_SHARE)


def _next_to_go(connection: Connection, limit: ArchiveLimit, now: int) -> _MatchRow | None:
    """Find the finished match that is deleted first, if there is one."""
    if limit.bytes is not None:
        row = _oldest(connection, now, _is_large(_match_share(limit.bytes)))
        if row is not None:
            return row
    if sender := _greedy_sender(connection, limit, now):
        row = _oldest(connection, now, matches.c.manager == sender)
        if row is not None:
            return row
    return _oldest(connection, now, true())


def _oldest(connection: Connection, now: int, condition: ColumnElement[bool]) -> _MatchRow | None:
    query = select(matches.c.number, matches.c.rules_hash).where(~_goes_on(now), condition)
    return connection.execute(query.order_by(matches.c.number).limit(1)).first()


def _greedy_sender(connection: Connection, limit: ArchiveLimit, now: int) -> str:
    """Return who has sent most within a day, where that is more than a share; empty if nobody."""
    most = limit.matches if limit.bytes is None else limit.bytes
    used: ColumnElement[int] = func.sum(matches.c.size)
    if limit.bytes is None:
        used = func.count(matches.c.number)
    is_recent = and_(matches.c.start_time > now - DAY, matches.c.manager != "")
    query = select(matches.c.manager).where(is_recent).group_by(matches.c.manager)
    greedy = query.having(used > (most or 0) // SENDER_SHARE).order_by(used.desc()).limit(1)
    return connection.scalar(greedy) or ""
