"""The archive: every match that this player, or its game manager, has played, in one database.

:class:`ArchiveWriter` subscribes to the events (:mod:`ggp_player.events`) of whoever plays, and
writes them in a thread of its own: no move waits for it. A match is there as soon as it begins, and
each move as soon as it is made, so that a process that is killed loses at most the move that was
open. :class:`Archive` lists, filters and reads matches, takes in records of other game managers,
and deletes.

What is in it, by the side that has seen it:

========  =====================================================================================
side      the match as it is known to
========  =====================================================================================
manager   our game manager: all roles, errors, goals; and, for each strategy in the same process,
          what it thought of its moves
player    our player server, in one role of a match whose manager may be anybody's
import    the record of another program
========  =====================================================================================

A match between our manager and our server is there once for each of the two, with the same match
id: they are two processes, and neither believes the other.

Start reading in :mod:`.archived_match`, what is known of a match, and :mod:`.schema`, the tables;
:mod:`.match_store` turns events into rows, :mod:`.queries` reads them, :mod:`.match_records` and
:mod:`.dresden_xml` know the records' formats. What needs SQLAlchemy is imported when it is used.
"""

from typing import TYPE_CHECKING

from gdl.system import imported_later

if TYPE_CHECKING:
    from ggp_player.archive.archive_limit import DEFAULT_LIMIT, ArchiveLimit
    from ggp_player.archive.archived_match import (
        ArchivedChoice,
        ArchivedMatch,
        ArchivedProblem,
        ArchivedStep,
        MatchFilter,
        MatchPage,
        MatchSummary,
        SeatSummary,
    )
    from ggp_player.archive.importing import FoundRecord, find_records, read_record
    from ggp_player.archive.location import ARCHIVE_VARIABLE, default_archive
    from ggp_player.archive.match_records import export_document, match_record
    from ggp_player.archive.queries import Archive
    from ggp_player.archive.replay import ReplayedStep, draw_state
    from ggp_player.archive.writer import ArchiveWriter
    from ggp_player.errors import ArchiveError

_PLACES = {
    "ARCHIVE_VARIABLE": "ggp_player.archive.location",
    "Archive": "ggp_player.archive.queries",
    "ArchiveError": "ggp_player.errors",
    "ArchiveLimit": "ggp_player.archive.archive_limit",
    "ArchiveWriter": "ggp_player.archive.writer",
    "ArchivedChoice": "ggp_player.archive.archived_match",
    "ArchivedMatch": "ggp_player.archive.archived_match",
    "ArchivedProblem": "ggp_player.archive.archived_match",
    "ArchivedStep": "ggp_player.archive.archived_match",
    "DEFAULT_LIMIT": "ggp_player.archive.archive_limit",
    "FoundRecord": "ggp_player.archive.importing",
    "MatchFilter": "ggp_player.archive.archived_match",
    "MatchPage": "ggp_player.archive.archived_match",
    "MatchSummary": "ggp_player.archive.archived_match",
    "ReplayedStep": "ggp_player.archive.replay",
    "SeatSummary": "ggp_player.archive.archived_match",
    "default_archive": "ggp_player.archive.location",
    "draw_state": "ggp_player.archive.replay",
    "export_document": "ggp_player.archive.match_records",
    "find_records": "ggp_player.archive.importing",
    "match_record": "ggp_player.archive.match_records",
    "read_record": "ggp_player.archive.importing",
}

__getattr__ = imported_later(__name__, _PLACES)

__all__ = [
    "ARCHIVE_VARIABLE",
    "DEFAULT_LIMIT",
    "Archive",
    "ArchiveError",
    "ArchiveLimit",
    "ArchiveWriter",
    "ArchivedChoice",
    "ArchivedMatch",
    "ArchivedProblem",
    "ArchivedStep",
    "FoundRecord",
    "MatchFilter",
    "MatchPage",
    "MatchSummary",
    "ReplayedStep",
    "SeatSummary",
    "default_archive",
    "draw_state",
    "export_document",
    "find_records",
    "match_record",
    "read_record",
]
