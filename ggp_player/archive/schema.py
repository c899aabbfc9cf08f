"""The tables of the archive, and how a database of an earlier version gets them.

``PRAGMA user_version`` says which migrations a database has had. Several processes read and write
at the same time: the journal is a write-ahead log, and a writer waits :data:`BUSY_SECONDS` for
another. Times are milliseconds since 1970; lists are JSON; rules and documents are compressed.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from gdl.system import make_private_database
from ggp_player.errors import ArchiveError

BUSY_SECONDS = 5.0
"""Seconds that a writer waits for another."""

INCREMENTAL = 2
"""The ``auto_vacuum`` by which free pages can be given back to the file system."""

MAX_LOG = 16 * 2**20
"""Bytes that the write-ahead log keeps on disk when all of it is in the database."""

LOCKED_CHECK = 0.01
"""Seconds between two attempts at what sqlite3 does not wait for."""

_TABLES = """
CREATE TABLE rules (
    hash TEXT PRIMARY KEY,              -- of the words of the rules
    text BLOB NOT NULL,                 -- compressed
    game TEXT NOT NULL                  -- a name, where one is known
);
CREATE TABLE matches (
    number INTEGER PRIMARY KEY,
    key TEXT NOT NULL UNIQUE,           -- that of the events
    match_id TEXT NOT NULL,             -- the game manager's
    side TEXT NOT NULL,                 -- manager, player or import
    rules_hash TEXT REFERENCES rules,
    game TEXT NOT NULL,
    role TEXT NOT NULL,                 -- ours, on the side of a player
    start_clock INTEGER NOT NULL,       -- seconds
    play_clock INTEGER NOT NULL,
    start_time INTEGER NOT NULL,
    last_time INTEGER NOT NULL,
    silent_time INTEGER NOT NULL,       -- when silence means that the match is interrupted
    status TEXT NOT NULL,
    reason TEXT NOT NULL,
    steps INTEGER NOT NULL,
    strategy TEXT NOT NULL,
    manager TEXT NOT NULL,
    version TEXT NOT NULL,
    details TEXT NOT NULL               -- what only some matches have, as a JSON object
);
CREATE TABLE seats (
    match INTEGER NOT NULL REFERENCES matches ON DELETE CASCADE,
    place INTEGER NOT NULL,             -- in role order
    role TEXT NOT NULL,
    player TEXT NOT NULL,
    goal INTEGER,
    PRIMARY KEY (match, place)
) WITHOUT ROWID;
CREATE TABLE steps (
    match INTEGER NOT NULL REFERENCES matches ON DELETE CASCADE,
    step INTEGER NOT NULL,              -- 0 is the start
    joint_move TEXT NOT NULL,           -- a list, or an object: what our role was told
    time INTEGER NOT NULL,
    errors TEXT NOT NULL,
    seconds TEXT NOT NULL,
    PRIMARY KEY (match, step)
) WITHOUT ROWID;
CREATE TABLE choices (
    match INTEGER NOT NULL REFERENCES matches ON DELETE CASCADE,
    turn INTEGER NOT NULL,
    role TEXT NOT NULL,
    move TEXT NOT NULL,
    value REAL,
    proved INTEGER NOT NULL,
    note TEXT NOT NULL,
    source TEXT NOT NULL,
    seconds REAL NOT NULL,
    margin_left REAL,
    time INTEGER NOT NULL,
    line TEXT NOT NULL,                 -- the principal line: joint moves
    search BLOB NOT NULL,               -- the last thoughts before the move, an event, compressed
    PRIMARY KEY (match, turn, role)
) WITHOUT ROWID;
CREATE TABLE problems (
    match INTEGER NOT NULL REFERENCES matches ON DELETE CASCADE,
    turn INTEGER NOT NULL,
    role TEXT NOT NULL,
    time INTEGER NOT NULL,
    text TEXT NOT NULL
);
CREATE INDEX problems_of_match ON problems (match);
CREATE TABLE documents (
    match INTEGER PRIMARY KEY REFERENCES matches ON DELETE CASCADE,
    format TEXT NOT NULL,               -- json or xml
    data BLOB NOT NULL                  -- the record as it was imported, compressed
);
CREATE INDEX matches_by_time ON matches (start_time, number);
CREATE INDEX matches_by_id ON matches (match_id);
"""

_OUTCOMES = """
ALTER TABLE seats ADD COLUMN outcome TEXT NOT NULL DEFAULT '';  -- win, draw, loss
UPDATE seats SET outcome = CASE
    WHEN EXISTS (SELECT 1 FROM seats o WHERE o.match = seats.match AND o.goal IS NULL) THEN ''
    WHEN goal > (SELECT max(o.goal) FROM seats o
                 WHERE o.match = seats.match AND o.place <> seats.place) THEN 'win'
    WHEN goal < (SELECT max(o.goal) FROM seats o
                 WHERE o.match = seats.match AND o.place <> seats.place) THEN 'loss'
    WHEN 1 < (SELECT count(*) FROM seats o WHERE o.match = seats.match) THEN 'draw'
    WHEN goal = 100 THEN 'win' WHEN goal = 0 THEN 'loss' ELSE 'draw' END;
CREATE INDEX matches_by_game ON matches (game, start_time, number);
CREATE INDEX matches_by_status ON matches (status, start_time, number);
CREATE INDEX matches_by_rules ON matches (rules_hash);
CREATE INDEX seats_by_player ON seats (player, match, role, goal, outcome);
CREATE INDEX seats_by_role ON seats (role, match, player, goal, outcome);
CREATE INDEX seats_by_outcome ON seats (outcome, match);
CREATE INDEX seats_by_goal ON seats (goal, match);
"""

SIZE = """
    coalesce((SELECT length(text) FROM rules WHERE hash = rules_hash), 0)
    + coalesce((SELECT sum(length(joint_move) + length(errors) + length(seconds))
                FROM steps WHERE match = number), 0)
    + coalesce((SELECT sum(length(move) + length(note) + length(line) + length(search))
                FROM choices WHERE match = number), 0)
    + coalesce((SELECT sum(length(text)) FROM problems WHERE match = number), 0)
    + coalesce((SELECT length(data) FROM documents WHERE match = number), 0)
"""
"""How much of the archive a match takes, with its rules, whoever else has these."""

_SIZES = f"""
ALTER TABLE matches ADD COLUMN size INTEGER NOT NULL DEFAULT 0;  -- bytes, when it ended
UPDATE matches SET size = {SIZE};
CREATE INDEX matches_by_size ON matches (size);
CREATE INDEX matches_by_manager ON matches (manager, number);
"""

MIGRATIONS: tuple[str, ...] = (_TABLES, _OUTCOMES, _SIZES)
"""What brings a database from each version to the next; the first makes it."""

VERSION = len(MIGRATIONS)


def connect(path: Path, *, create: bool = True) -> sqlite3.Connection:
    """Open the database, and bring it to this version. Raises :class:`ArchiveError`.

    Its file is for this user alone, as it says who has played what with whom.

    Errors of the database, such as one that is locked or no database at all, are sqlite3's.
    """
    if create:
        path.parent.mkdir(parents=True, exist_ok=True)
        make_private_database(path)
    elif not path.is_file():
        raise ArchiveError(f"there is no archive {path}: no match has been played yet")
    connection = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None)
    try:
        connection.row_factory = sqlite3.Row
        connection.execute("PRAGMA foreign_keys = ON")
        if version_of(connection) != VERSION:
            _migrate(connection, path)
        connection.execute(f"PRAGMA journal_size_limit = {MAX_LOG}")
        connection.execute("PRAGMA synchronous = NORMAL")  # a killed process loses nothing
    except BaseException:
        connection.close()
        raise
    return connection


def version_of(connection: sqlite3.Connection) -> int:
    """How many migrations a database has had."""
    version: int = connection.execute("PRAGMA user_version").fetchone()[0]
    return version


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """Write all that is done meanwhile, or nothing of it."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        if connection.in_transaction:  # some errors have rolled it back
            connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


@contextmanager
def opened(path: Path, *, create: bool = False) -> Iterator[sqlite3.Connection]:
    """Open the database for a moment. Raises :class:`ArchiveError`, whatever is wrong."""
    try:
        with closing(connect(path, create=create)) as connection:
            yield connection
    except (sqlite3.Error, OSError) as error:
        raise ArchiveError(f"the archive {path} cannot be used: {error}") from error


def _use_write_ahead_log(connection: sqlite3.Connection) -> None:
    """Change the kind of journal, for which sqlite3 does not wait while another process writes."""
    limit = time.monotonic() + BUSY_SECONDS
    connection.execute("PRAGMA busy_timeout = 0")  # it is waited for here
    while True:
        try:
            # Before the first page is written; later it changes nothing.
            connection.execute(f"PRAGMA auto_vacuum = {INCREMENTAL}")
            connection.execute("PRAGMA journal_mode = WAL")
            break
        except sqlite3.OperationalError:
            if time.monotonic() > limit:
                raise
            time.sleep(LOCKED_CHECK)
    connection.execute(f"PRAGMA busy_timeout = {round(1000 * BUSY_SECONDS)}")


def _migrate(connection: sqlite3.Connection, path: Path) -> None:
    _use_write_ahead_log(connection)
    with transaction(connection):
        version = version_of(connection)  # another process may have been faster
        if version > VERSION:
            raise ArchiveError(
                f"the archive {path} has version {version}, of a later ggp-player; "
                f"this one knows {VERSION}"
            )
        for script in MIGRATIONS[version:]:
            for statement in _statements(script):
                connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {VERSION}")


def _statements(script: str) -> Iterator[str]:
    """The statements of a script: sqlite3's own executescript would end the transaction."""
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line.partition("--")[0].rstrip() + "\n"
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""
