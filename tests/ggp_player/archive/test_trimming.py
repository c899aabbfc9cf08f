"""The archive stays within its limit, loses the oldest finished matches, and gives space back."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from sqlalchemy import update

from ggp_player.archive import schema
from ggp_player.archive.archive_limit import DEFAULT_BYTES, ArchiveLimit
from ggp_player.archive.queries import Archive
from ggp_player.archive.schema import connect, matches
from ggp_player.archive.trimming import (
    BATCH,
    DAY,
    SENDER_SHARE,
    trim,
    used_bytes,
)
from ggp_player.archive.writer import ArchiveWriter
from ggp_player.database import connections
from ggp_player.database.connections import INCREMENTAL, writing
from ggp_player.events import EventBus, MatchPublisher
from tests.support.events import new_publisher, play_match, started

UNLIMITED = ArchiveLimit.parse("none")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "matches.sqlite"


def play(path: Path, numbers: range, limit: ArchiveLimit = UNLIMITED, padding: int = 0) -> None:
    """Play matches of rules of their own, which are as long as asked, one after the other."""
    bus = EventBus()
    with ArchiveWriter(path, bus, limit, clock=lambda: 2000):
        for number in numbers:
            publisher = new_publisher(bus, key=f"k{number}")
            play_match(publisher, f"m.{number}")
            if padding:
                text = Random(number).randbytes(padding).hex()
                extra = new_publisher(bus, key=f"r{number}")
                extra.started(started(f"r.{number}", rules=f"(role xena) (fact {text})"))
                extra.ended("completed")


def ids(path: Path) -> list[str]:
    """The match ids, by the time of their arrival."""
    return list(
        reversed([match.match_id for match in Archive(path, lambda: 2000).list(limit=1000).matches])
    )


@pytest.mark.parametrize(
    ("text", "limit"),
    [
        ("100", ArchiveLimit(100, None)),
        ("0", ArchiveLimit(0, None)),
        ("1GiB", ArchiveLimit(None, DEFAULT_BYTES)),
        (" 1.5 MB ", ArchiveLimit(None, 1_500_000)),
        ("None", ArchiveLimit(None, None)),
    ],
)
def test_limits_are_read(text: str, limit: ArchiveLimit) -> None:
    assert ArchiveLimit.parse(text) == limit


@pytest.mark.parametrize("text", ["", "-1", "many", "1 match", "1e9999GB", "9" * 40, "1.5"])
def test_what_is_no_limit_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="expected a number of matches"):
        ArchiveLimit.parse(text)


def test_the_oldest_matches_go_first(path: Path) -> None:
    play(path, range(6), ArchiveLimit.parse("3"))
    assert ids(path) == ["m.3", "m.4", "m.5"]


def test_a_lower_limit_is_kept_in_one_go(path: Path) -> None:
    play(path, range(2 * BATCH + 5))
    play(path, range(100, 101), ArchiveLimit.parse("2"))
    assert ids(path) == [f"m.{2 * BATCH + 4}", "m.100"]


def test_matches_that_go_on_stay(path: Path) -> None:
    bus = EventBus()
    with ArchiveWriter(path, bus, clock=lambda: 2000):
        new_publisher(bus, key="running").started(started("running"))
        suspended = new_publisher(bus, key="suspended")
        suspended.started(started("suspended"))
        suspended.ended("suspended")
    play(path, range(3), ArchiveLimit.parse("1"))
    assert ids(path) == ["running", "suspended"]
    with closing(connect(path)) as connection:
        assert trim(connection, ArchiveLimit.parse("1"), 10**12) == 1
    assert ids(path) == ["suspended"], "nothing was heard of the other one for too long"


SMALL = 40
BYTES = 2_000_000
"""Of so many bytes the share of a match is the least."""

LIMIT = ArchiveLimit(None, BYTES)


def start_large(bus: EventBus, number: int) -> MatchPublisher:
    """Have a stranger start a match of rules that take 300 kB when they are compressed."""
    publisher = new_publisher(bus, clock=lambda: 2000, key=f"large{number}")
    text = Random(number).randbytes(300_000).hex()
    start = started(f"large.{number}", rules=f"(role xena) (fact {text})")
    publisher.started(replace(start, manager="192.0.2.7"))
    return publisher


@pytest.mark.parametrize("is_one_by_one", [False, True])
def test_large_matches_push_nothing_out(path: Path, is_one_by_one: bool) -> None:
    play(path, range(SMALL))
    bus = EventBus()
    with ArchiveWriter(path, bus, LIMIT, clock=lambda: 2000):
        large = []
        for number in range(12):
            large.append(start_large(bus, number))
            if is_one_by_one:
                large[-1].ended("aborted")
    play(path, range(SMALL, SMALL + 1), LIMIT)
    assert {f"m.{number}" for number in range(SMALL + 1)} <= set(ids(path))
    with closing(connect(path)) as connection:
        assert (used_bytes(connection) > BYTES) == (not is_one_by_one)  # they go on
        with writing(connection):
            running = update(matches).where(matches.c.status == "running")
            connection.execute(running.values(status="expired"))
        trim(connection, LIMIT, 2000)
        assert used_bytes(connection) <= BYTES
    assert {f"m.{number}" for number in range(SMALL + 1)} <= set(ids(path))
    assert "large.11" in ids(path), "there is room for some"


def test_a_sender_pushes_out_its_own_matches(path: Path) -> None:
    play(path, range(SMALL))
    bus = EventBus()
    with ArchiveWriter(path, bus, ArchiveLimit(SMALL, None), clock=lambda: DAY + 2000):
        for number in range(100):
            publisher = new_publisher(bus, clock=lambda: DAY + 2000, key=f"s{number}")
            publisher.started(replace(started(f"s.{number}"), manager="192.0.2.7"))
            publisher.ended("aborted")
    found = ids(path)
    assert len(found) == SMALL
    assert found[-1] == "s.99"
    assert sum(match_id.startswith("s.") for match_id in found) == SMALL // SENDER_SHARE


def test_rules_that_many_matches_have_count_for_all_of_them(path: Path) -> None:
    play(path, range(SMALL))
    text = Random(1).randbytes(300_000).hex()
    bus = EventBus()
    with ArchiveWriter(path, bus, LIMIT, clock=lambda: 2000):
        for number in range(10):
            publisher = new_publisher(bus, key=f"b{number}")
            publisher.started(started(f"big.{number}", rules=f"(role xena) (fact {text})"))
            publisher.ended("completed")
    with closing(connect(path)) as connection:
        trim(connection, ArchiveLimit(None, used_bytes(connection) - 1), 2000)
    assert {f"big.{number}" for number in range(10)} <= set(ids(path))
    assert "m.0" not in ids(path)


def test_what_goes_leaves_no_traces(path: Path) -> None:
    play(path, range(3), ArchiveLimit.parse("0"), padding=50)
    with closing(connect(path)) as connection:
        for table in ("matches", "rules", "seats", "steps", "choices", "problems"):
            found = connection.exec_driver_sql(f"SELECT count(*) FROM {table}").scalar()
            assert found == 0, table


@pytest.mark.parametrize("old", [False, True])
def test_disk_space_is_given_back(path: Path, old: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also by an archive that was made before there were limits."""
    with monkeypatch.context() as patch:
        patch.setattr(connections, "INCREMENTAL", 0 if old else INCREMENTAL)
        play(path, range(8), padding=100_000)
    assert auto_vacuum(path) == (0 if old else INCREMENTAL)
    before = path.stat().st_size
    assert before > 800_000
    limit = ArchiveLimit(None, 450_000)
    play(path, range(8, 10), limit, padding=100_000)
    with closing(connect(path)) as connection:
        assert 250_000 < used_bytes(connection) <= 450_000
        connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
    assert path.stat().st_size <= 460_000
    assert auto_vacuum(path) == INCREMENTAL
    assert {"m.0", "m.9"} <= set(ids(path))
    assert "r.0" not in ids(path), "the large ones go first"


def test_deleting_gives_space_back(path: Path) -> None:
    play(path, range(2), padding=200_000)
    archive = Archive(path, lambda: 2000)
    before = path.stat().st_size
    for match_id in ("r.0", "r.1"):
        archive.delete(match_id)
    assert path.stat().st_size < before - 300_000


def auto_vacuum(path: Path) -> int:
    with closing(sqlite3.connect(path)) as connection:
        found: int = connection.execute("PRAGMA auto_vacuum").fetchone()[0]
        return found


def test_a_locked_archive_is_trimmed_later(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(schema, "BUSY_SECONDS", 0.01)
    schema._engine.cache_clear()
    play(path, range(3))
    bus = EventBus()
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with ArchiveWriter(path, bus, ArchiveLimit.parse("1"), clock=lambda: 2000):
            play_match(new_publisher(bus, key="new"), "new")
    assert ids(path) == ["m.0", "m.1", "m.2"]
    play(path, range(7, 8), ArchiveLimit.parse("1"))
    assert ids(path) == ["m.7"]
