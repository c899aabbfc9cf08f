"""The writer keeps every match, and nothing that is wrong with the disk costs a move."""

from __future__ import annotations

import multiprocessing
import os
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import Connection

from ggp_player.archive import match_store, schema, writer
from ggp_player.archive.archived_match import ArchivedMatch
from ggp_player.archive.match_records import match_record
from ggp_player.archive.queries import Archive
from ggp_player.archive.schema import VERSION, connect
from ggp_player.archive.writer import ArchiveWriter
from ggp_player.database.connections import writing
from ggp_player.errors import ArchiveError
from ggp_player.events import EventBus, MatchStarted, ObservedStep, StateReached, StepMade
from tests.support.events import (
    JOINT_MOVES,
    RULES,
    THOUGHT,
    new_publisher,
    play_match,
    play_turn,
    started,
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "deep" / "matches.sqlite"


@pytest.fixture
def bus() -> EventBus:
    return EventBus()


def only_match(path: Path) -> ArchivedMatch:
    archive = Archive(path, lambda: 2000)
    page = archive.list()
    assert page.total == 1
    return archive.match(page.matches[0].number)


def test_a_match_of_our_player_is_kept_whole(path: Path, bus: EventBus) -> None:
    with ArchiveWriter(path, bus):
        play_match(new_publisher(bus), "ticTacToe.1234567")
    match = only_match(path)
    summary = match.summary
    assert (summary.side, summary.status, summary.steps) == ("player", "completed", 3)
    assert (summary.game, summary.role, summary.strategy) == ("ticTacToe", "xena", "mcts")
    assert (summary.start_clock, summary.play_clock, summary.start_time) == (10, 5, 1000)
    seats = [(seat.role, seat.player, seat.goal, seat.outcome) for seat in summary.seats]
    assert seats == [("xena", "ggp-player", 100, "win"), ("Oscar", "", 0, "loss")]
    assert match.moves == JOINT_MOVES
    assert match.rules == RULES
    assert [choice.turn for choice in match.choices] == [0, 1, 2]
    first = match.choices[0]
    assert (first.move, first.value, first.seconds, first.margin_left) == (
        "(claim 3)",
        75.5,
        1.5,
        0.5,
    )
    assert first.line == THOUGHT.line
    assert first.thoughts is not None
    assert first.thoughts["playouts"] == 12
    assert first.thoughts["tree"] == []  # it is for those who watch
    assert match.choices[1].line == ()  # the search expected another move


def test_the_moves_so_far_are_there_while_the_match_goes_on(path: Path, bus: EventBus) -> None:
    with ArchiveWriter(path, bus):
        events = new_publisher(bus)
        events.started(started())
        play_turn(events, 0)
        play_turn(events, 1)
        wait_for_steps(path, 1)
        match = only_match(path)
        assert match.summary.status == "running"
        assert match.moves == JOINT_MOVES[:1]
    assert Archive(path, lambda: 10**7).list().matches[0].status == "interrupted"


def wait_for_steps(path: Path, steps: int) -> None:
    """Wait until another thread or process has written so many joint moves."""
    while True:
        if path.exists() and (found := Archive(path).list().matches) and found[0].steps >= steps:
            return


def test_a_match_that_goes_on_after_a_restart_keeps_its_row(path: Path, bus: EventBus) -> None:
    with ArchiveWriter(path, bus):
        events = new_publisher(bus, key="before")
        events.started(started())
        play_turn(events, 0)
        play_turn(events, 1)
        events.ended("suspended")
    assert only_match(path).summary.status == "suspended"
    start = started()
    again = MatchStarted(
        **{
            name: getattr(start, name)
            for name in MatchStarted.__dataclass_fields__
            if name not in {"kind", "resumed", "history"}
        },
        resumed=True,
        history=JOINT_MOVES[:2],
    )
    with ArchiveWriter(path, EventBus()), ArchiveWriter(path, bus):
        events = new_publisher(bus, key="after")
        events.started(again)
        play_turn(events, 2)
        events.ended("completed", JOINT_MOVES[2], {"xena": 100, "oscar": 0})
    match = only_match(path)
    assert match.summary.status == "completed"
    assert match.moves == JOINT_MOVES
    assert [choice.turn for choice in match.choices] == [0, 1, 2]


def manager_started(**changes: object) -> MatchStarted:
    values = {
        "match_id": "m.1",
        "rules": RULES,
        "start_clock": 10,
        "play_clock": 5,
        "roles": ("xena", "Oscar"),
        "players": ("mcts", "127.0.0.1:9147"),
        "game": "fields",
        **changes,
    }
    return MatchStarted(**values)  # type: ignore[arg-type] # a test's own


def test_thoughts_of_a_player_in_the_managers_process_are_part_of_its_match(
    path: Path, bus: EventBus
) -> None:
    with ArchiveWriter(path, bus):
        manager = new_publisher(bus, key="manager")
        words = {"bim": "xena", "bam": "claim", "noop": "noop"}
        manager.started(manager_started(scrambled=True, words=words))
        player = new_publisher(bus, key="player")
        player.started(started(role="bim"))
        play_turn(player, 0)
        manager.tell(
            StepMade(
                step=1,
                joint_move=JOINT_MOVES[0],
                errors=("", "TO"),
                seconds=(1, 6),
            )
        )
        player.problem("something")
        player.ended("completed", JOINT_MOVES[0], {"bim": 1, "zab": 2})
        manager.ended("completed", goals={"xena": 100, "Oscar": 0})
    match = only_match(path)
    assert (match.summary.side, match.summary.game, match.summary.steps) == ("manager", "fields", 1)
    assert [(choice.role, choice.turn) for choice in match.choices] == [("xena", 0)]
    assert [problem.role for problem in match.problems] == ["xena"]
    assert match.steps[0].errors == ("", "TO")
    assert [seat.goal for seat in match.summary.seats] == [100, 0]


@pytest.mark.thorough
def test_two_writers_at_once_lose_nothing(path: Path) -> None:
    """Two processes write matches in turn, as servers on one machine do."""
    context = multiprocessing.get_context("spawn")
    writers = [context.Process(target=write_matches, args=(path, name)) for name in ("a", "b")]
    for process in writers:
        process.start()
    for process in writers:
        process.join(120)
        assert process.exitcode == 0
    archive = Archive(path)
    found = archive.list(limit=1000)
    assert found.total == 60
    assert all(match.status == "completed" and match.steps == 3 for match in found.matches)


def write_matches(path: Path, name: str) -> None:
    for number in range(30):
        bus = EventBus()
        with ArchiveWriter(path, bus):
            play_match(new_publisher(bus, key=f"{name} {number}"), f"{name}.{number}")


def test_a_damaged_database_is_logged_once_and_left_alone(
    path: Path, bus: EventBus, caplog: pytest.LogCaptureFixture
) -> None:
    path.parent.mkdir(parents=True)
    path.write_bytes(b"this is no database, but a file of somebody's" * 100)
    before = path.read_bytes()
    with ArchiveWriter(path, bus) as one:
        play_match(new_publisher(bus))
        one._thread.join(30)
        play_match(new_publisher(bus, key="next"))
    assert [record.levelname for record in caplog.records] == ["ERROR"]
    assert "file is not a database" in caplog.text
    assert path.read_bytes() == before
    assert not bus.wants_thoughts


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writer, "RETRY_SECONDS", 0.01)


def test_events_wait_for_a_database_that_is_locked(
    path: Path, bus: EventBus, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    connect(path).close()
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        monkeypatch.setattr(schema, "BUSY_SECONDS", 0.01)
        schema._engine.cache_clear()
        other.execute("BEGIN IMMEDIATE")
        with ArchiveWriter(path, bus):
            play_match(new_publisher(bus))
            wait_for(lambda: "cannot be written for now" in caplog.text)
            monkeypatch.setattr(schema, "BUSY_SECONDS", 5.0)
            schema._engine.cache_clear()
            other.execute("ROLLBACK")
            wait_for(lambda: Archive(path).list().total == 1)
            play_match(new_publisher(bus, key="next"))
    assert Archive(path).list().total == 2
    assert caplog.text.count("cannot be written for now") == 1


def wait_for(condition: object) -> None:
    assert callable(condition)
    while not condition():
        pass


def test_a_full_disk_costs_what_does_not_fit_and_is_logged_once(
    path: Path, bus: EventBus, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def small(path: Path) -> Connection:
        connection = connect(path)
        pages = connection.exec_driver_sql("PRAGMA page_count").scalar_one()
        connection.exec_driver_sql(f"PRAGMA max_page_count = {pages + 40}")
        return connection

    monkeypatch.setattr(match_store, "connect", small)
    with ArchiveWriter(path, bus):
        play_match(new_publisher(bus, key="fits"))
        wait_for(lambda: path.exists() and Archive(path).list().total == 1)
        events = new_publisher(bus, key="does not")
        text = " ".join(f"(fact {number} {number**5})" for number in range(100_000))
        events.started(started("big", rules=text))
        wait_for(lambda: "cannot be written for now" in caplog.text)
        play_turn(events, 0)
    assert caplog.text.count("database or disk is full") == 1
    assert [match.match_id for match in Archive(path).list().matches] == ["m.1"]


def test_a_database_of_a_later_version_is_left_alone(
    path: Path, bus: EventBus, caplog: pytest.LogCaptureFixture
) -> None:
    connect(path).close()
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(f"UPDATE alembic_version SET version_num = 'archive_{VERSION + 1}'")
    with ArchiveWriter(path, bus):
        play_match(new_publisher(bus))
    assert "of a later ggp-player" in caplog.text


def test_an_event_that_cannot_be_written_costs_no_other(
    path: Path, bus: EventBus, caplog: pytest.LogCaptureFixture
) -> None:
    with ArchiveWriter(path, bus):
        new_publisher(bus, key="bad").started(started("\ud800"))
        play_match(new_publisher(bus, key="good"))
    assert only_match(path).summary.match_id == "m.1"
    assert "left out of the archive" in caplog.text


def test_an_archive_that_another_process_just_makes_is_waited_for(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        waits: list[float] = []

        def end_the_other(seconds: float) -> None:
            waits.append(seconds)
            other.execute("ROLLBACK")

        monkeypatch.setattr("ggp_player.database.connections.time.sleep", end_the_other)
        assert Archive(path).list().matches == ()
        assert len(waits) == 1


def reached(turn: int, joint_move: tuple[str, ...]) -> StateReached:
    return StateReached(turn=turn, roles=("xena", "Oscar"), joint_move=joint_move)


def test_what_our_role_was_told_is_kept_where_the_joint_move_is_not_known(
    path: Path, bus: EventBus
) -> None:
    seen = ObservedStep("(claim 3)", ("noise", "(did Oscar noop)"))
    with ArchiveWriter(path, bus):
        events = new_publisher(bus)
        events.started(started())
        events.turn_asked(0, (), 5, 4)
        events.turn_asked(1, seen, 5, 4)
        events.tell(reached(1, JOINT_MOVES[0]))
        events.turn_asked(2, seen, 5, 4)
        events.tell(reached(2, ()))
        events.ended("completed", ObservedStep(missed=True))
    match = only_match(path)
    assert [step.joint_move for step in match.steps] == [(), JOINT_MOVES[0], (), ()]
    told = [step.observation for step in match.steps]
    assert told == [None, None, seen, ObservedStep(missed=True)]
    with pytest.raises(ArchiveError, match="we were not told all moves"):
        match_record(match)


def test_steps_that_were_observed_before_a_restart(path: Path, bus: EventBus) -> None:
    seen = ObservedStep(None, ("noise",))
    with ArchiveWriter(path, bus):
        events = new_publisher(bus)
        events.started(replace(started(), resumed=True, history=(JOINT_MOVES[0], seen)))
        assert events.turn == 2
    match = only_match(path)
    assert [(step.joint_move, step.observation) for step in match.steps] == [
        (JOINT_MOVES[0], None), ((), seen),
    ]  # fmt: skip


@pytest.mark.skipif(os.name != "posix", reason="files have no mode there")
@pytest.mark.parametrize("is_old", [False, True])
def test_nobody_else_may_read_the_archive(tmp_path: Path, is_old: bool) -> None:
    path = tmp_path / "matches.sqlite"
    if is_old:
        connect(path).close()
        path.chmod(0o644)
    before = os.umask(0)
    try:
        with closing(connect(path)) as connection:
            with writing(connection):
                connection.exec_driver_sql("CREATE TABLE more (x)")
            modes = {each.name: each.stat().st_mode & 0o777 for each in tmp_path.iterdir()}
    finally:
        os.umask(before)
    assert {"matches.sqlite", "matches.sqlite-wal", "matches.sqlite-shm"} <= modes.keys()
    assert set(modes.values()) == {0o600}
