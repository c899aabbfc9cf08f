"""Databases of all versions, which are in ``tests/databases``, are migrated without loss."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from ggp_player.archive.queries import Archive
from ggp_player.archive.schema import connect
from ggp_player.errors import ArchiveError, ManagerError
from ggp_player.manager_service.storage.database import Database
from ggp_player.manager_service.storage.store import Store
from tests.support.paths import ROOT
from tests.support.programs import printed_by

LATEST = {"archive": 3, "manager": 2}
VERSIONS = [(kind, version) for kind, latest in LATEST.items() for version in range(1, latest + 1)]


def written(path: Path, kind: str, version: int) -> Path:
    """A database of a version, with what it had in it."""
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript((ROOT / f"tests/databases/{kind}_v{version}.sql").read_text())
    return path


def opened(path: Path, kind: str) -> None:
    if kind == "archive":
        connect(path).close()
    else:
        Database(str(path)).close()


def columns(path: Path) -> dict[str, list[tuple[object, ...]]]:
    """The columns of each table, with their types, and those of the indexes."""
    with closing(sqlite3.connect(path)) as connection:
        names = connection.execute("SELECT name, type FROM sqlite_master WHERE sql <> ''")
        return {
            name: [
                (each[1], each[2], each[5]) if kind == "table" else each  # name, type and key
                for each in connection.execute(f"PRAGMA {kind}_info({name})").fetchall()
            ]
            for name, kind in names.fetchall()
            if name != "alembic_version"
        }


def rows(path: Path) -> dict[str, list[tuple[object, ...]]]:
    with closing(sqlite3.connect(path)) as connection:
        return {
            name: sorted(connection.execute(f"SELECT * FROM {name}").fetchall(), key=repr)
            for name in columns(path).keys() & {"meta", *TABLES}
        }


TABLES = {
    *("rules", "matches", "seats", "steps", "choices", "problems", "documents"),
    *("tokens", "players", "names", "rulesheets", "games", "events", "attempts", "ratings"),
}


@pytest.mark.parametrize(("kind", "version"), VERSIONS)
def test_what_was_in_a_database_is_there_after_its_migration(
    kind: str, version: int, tmp_path: Path
) -> None:
    old = written(tmp_path / "old 50%.sqlite", kind, version)
    latest = written(tmp_path / "latest.sqlite", kind, LATEST[kind])
    new = tmp_path / "new.sqlite"
    for path in (old, old, new):
        opened(path, kind)
    expected = rows(latest)
    if version < LATEST[kind] and kind == "manager":
        expected["meta"] = [("label", "c0ffee"), ("schema_version", str(version))]
    assert rows(old) == expected
    assert columns(old) == columns(latest) == columns(new)
    with closing(sqlite3.connect(old)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []


def test_a_migrated_archive_is_read(tmp_path: Path) -> None:
    archives = [
        Archive(written(tmp_path / f"{version}.sqlite", "archive", version), lambda: 2000)
        for version in (1, 2, 3)
    ]
    found = [(archive.list(), archive.match(1), archive.match("import:1")) for archive in archives]
    assert found[0] == found[1] == found[2]
    page, ours, imported = found[0]
    assert page.total == 2
    assert [seat.outcome for seat in ours.summary.seats] == ["win", "loss"]
    assert len(ours.choices) == 3
    assert ours.problems[0].text == "the search was late"
    assert imported.document == b'{"matchId": "nim.2"}'


@pytest.mark.parametrize("version", [1, 2])
def test_an_event_goes_on_in_a_migrated_database(version: int, tmp_path: Path) -> None:
    database = Database(str(written(tmp_path / "manager.sqlite", "manager", version)))
    store = Store(database.engine)
    [event] = store.events()
    assert store.counts(event.id) == {"completed": 1, "waiting": 2}
    [again, _] = store.matches(event.id, ["waiting"])
    assert store.begin_attempt(again) == "nim.c0ffee.2.2"
    database.close()


def test_an_archive_of_this_version_is_read_without_a_change(tmp_path: Path) -> None:
    path = written(tmp_path / "archive.sqlite", "archive", LATEST["archive"])
    before = path.read_bytes()
    assert Archive(path).list().total == 2
    assert path.read_bytes() == before
    assert [each.name for each in tmp_path.iterdir()] == [path.name]


def test_one_kind_of_database_is_not_taken_for_another(tmp_path: Path) -> None:
    for kind in LATEST:
        opened(tmp_path / kind, kind)
    with pytest.raises(ArchiveError, match="no database of this kind, but has version manager_2"):
        Archive(tmp_path / "manager").list()
    with pytest.raises(ManagerError, match="no database of this kind, but has version archive_3"):
        Database(str(tmp_path / "archive"))


IMPORTED = """
import sys
from pathlib import Path
from ggp_player.archive.queries import Archive
from ggp_player.archive.schema import connect
for path in map(Path, sys.argv[1:]):
    connect(path).close()
    Archive(path).list()
    print("alembic" in sys.modules)
"""


def test_alembic_is_imported_for_a_migration_only(tmp_path: Path) -> None:
    paths = [tmp_path / f"{version}.sqlite" for version in (0, 3, 2)]
    for path in paths[1:]:
        written(path, "archive", int(path.stem))
    assert printed_by(IMPORTED, *map(str, paths)) == "False\nFalse\nTrue\n"
