"""What is to be seen of matches in the database: as they are, or as they were some time ago.

The columns here stand for those of the table of matches in a query. The matches of an event that
is shown late have the status and the attempts that they had then, and those of a later round are
there only when all before have ended: who meets in it may follow from their results.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from sqlalchemy import ColumnElement, and_, case, func, or_, select, true

from ggp_player.manager_service.storage import database as db

ENDED = ("completed", "failed")
"""The statuses of matches that have a result."""


@dataclass(frozen=True, slots=True)
class Faces:
    """How events are shown that are shown late, by their numbers; others are shown as they are.

    ``instants``: as of when, in milliseconds since 1970. ``rounds``: the latest round that is
    there, where that is not all of them.
    """

    instants: Mapping[int, int] = field(default_factory=dict)
    rounds: Mapping[int, int] = field(default_factory=dict)

    @property
    def status(self) -> ColumnElement[str]:
        """The status of a match."""
        table, events = db.matches, db.events
        if not self.instants:
            return table.c.status
        is_open = or_(db.attempts.c.ended.is_(None), db.attempts.c.ended > self._instant)
        is_running = select(db.attempts.c.match_id).where(self._had_begun, is_open).exists()
        event_ended = select(events.c.ended).where(events.c.id == table.c.event).scalar_subquery()
        is_cancelled = and_(table.c.status == "cancelled", event_ended <= self._instant)
        return case(
            (table.c.event.not_in(self.instants), table.c.status),
            (self._has_ended, table.c.status),
            (is_running, "running"),
            (is_cancelled, "cancelled"),
            else_="waiting",
        )

    @property
    def attempts(self) -> ColumnElement[int]:
        """How many attempts of a match have begun."""
        table = db.matches
        if not self.instants:
            return table.c.attempts
        count = select(func.count()).select_from(db.attempts).where(self._had_begun)
        is_late = table.c.event.in_(self.instants)
        return case((is_late, count.scalar_subquery()), else_=table.c.attempts)

    @property
    def are_there(self) -> ColumnElement[bool]:
        """Whether a match is to be seen at all."""
        if not self.rounds:
            return true()
        table = db.matches
        latest = case(dict(self.rounds), value=table.c.event)
        return or_(table.c.event.not_in(self.rounds), table.c.round <= latest)

    @property
    def _instant(self) -> ColumnElement[int]:
        return case(dict(self.instants), value=db.matches.c.event)

    @property
    def _has_ended(self) -> ColumnElement[bool]:
        return and_(db.matches.c.status.in_(ENDED), db.matches.c.ended <= self._instant)

    @property
    def _had_begun(self) -> ColumnElement[bool]:
        return and_(db.attempts.c.match == db.matches.c.id, db.attempts.c.began <= self._instant)
