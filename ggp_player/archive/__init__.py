"""The archive: every match that this player, or its game manager, has played, in one database.

:class:`.ArchiveWriter` subscribes to the events (:mod:`ggp_player.events`) of whoever plays, and
writes them in a thread of its own: no move waits for it. A match is there as soon as it begins, and
each move as soon as it is made, so that a process that is killed loses at most the move that was
open. :class:`.Archive` lists, filters and reads matches, takes in records of other game managers,
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
:mod:`.writer` takes the events, :mod:`.match_store` turns them into rows, :mod:`.queries` reads
these, :mod:`.match_records` and :mod:`.dresden_xml` know the records' formats. Only what is needed
where SQLAlchemy is to be imported late is exported here.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ggp_player.archive.queries import Archive


def default_archive() -> Path:
    """Return where the archive is unless somebody says otherwise: in the user's data folder."""
    import platformdirs

    return Path(platformdirs.user_data_dir("ggp-player", appauthor=False)) / "matches.sqlite"


def open_archive(path: Path) -> Archive:
    """Return the archive at a path; SQLAlchemy is imported only now."""
    from ggp_player.archive.queries import Archive

    return Archive(path)


def prepare_archives() -> None:
    """Import what :func:`open_archive` and reading a match need, which takes some 0.2 s of CPU."""
    from sqlalchemy.dialects.sqlite import pysqlite  # noqa: F401 it is loaded by name later

    from ggp_player.archive import queries, replay  # noqa: F401
