"""What is kept of matches is whole, and a match ends once, whatever happens."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import text

from ggp_player.errors import ManagerError
from ggp_player.manager.tournament.schedule import PlannedMatch
from ggp_player.manager.tournament.standings import Interval
from ggp_player.manager_service.storage.database import Database, database_url
from ggp_player.manager_service.storage.names import NameStore, OwnedName
from ggp_player.manager_service.storage.store import Store, StoredEvent, StoredGame, StoredPlayer

RESULT = {"failure": "", "goals": [100, 0]}


@pytest.fixture(params=["sqlite", "postgresql"])
def name(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return str(tmp_path / "manager.sqlite")
    return request.getfixturevalue("postgresql")


@pytest.fixture
def store(name: str) -> Iterator[Store]:
    database = Database(name)
    yield Store(database.engine)
    database.close()


def begin_event(store: Store, matches: int = 2) -> StoredEvent:
    store.put_game(StoredGame("nim", "d" * 64, ("one", "two", "random"), "(role one)"))
    event = store.add_event("cup", {"format": "swiss"}, {"nim": "d" * 64})
    planned = [PlannedMatch(f"p{n}", "nim", 1, ("ann", "bob"), 2**53 - 1) for n in range(matches)]
    assert len(store.add_matches(event, planned)) == matches
    assert store.add_matches(event, planned) == []
    return event


def test_a_match_is_kept_with_its_result_and_record(store: Store) -> None:
    event = begin_event(store)
    first, second = store.matches(event.id)
    match_id = store.begin_attempt(first)
    assert match_id is not None
    store.finish(first.id, match_id, RESULT, '{"matchId": 1}')
    found = store.match(first.id)
    assert found is not None
    assert (found.status, found.match_id, found.result) == ("completed", match_id, RESULT)
    assert (found.players, found.seed) == (("ann", "bob"), 2**53 - 1)
    assert store.record(first.id) == '{"matchId": 1}'
    assert store.results(event.id) == [RESULT]
    assert store.counts(event.id) == {"completed": 1, "waiting": 1}
    assert store.record(second.id) is None


def test_a_match_ends_once(store: Store) -> None:
    [match, _] = store.matches(begin_event(store).id)
    match_id = store.begin_attempt(match)
    assert match_id is not None
    assert store.begin_attempt(match) is None
    store.finish(match.id, match_id, RESULT, "first")
    with pytest.raises(ManagerError, match="not under way"):
        store.finish(match.id, match_id, RESULT, "second")
    with pytest.raises(ManagerError, match="not under way"):
        store.give_back(match.id, match_id, "late")
    assert store.record(match.id) == "first"


def test_what_was_under_way_is_played_again_under_a_new_match_id(store: Store) -> None:
    [match, other] = store.matches(begin_event(store).id)
    first, done = store.begin_attempt(match), store.begin_attempt(other)
    assert done is not None
    store.finish(other.id, done, RESULT, "")
    assert store.recover() == [(first, ("ann", "bob")), (done, ("ann", "bob"))]
    again = store.match(match.id)
    assert again is not None
    assert (again.status, again.attempts) == ("waiting", 1)
    second = store.begin_attempt(again)
    assert second not in {None, first}
    with pytest.raises(ManagerError, match="not under way"):
        store.finish(match.id, str(first), RESULT, "")


def test_what_waits_of_a_cancelled_event_is_cancelled(store: Store) -> None:
    event = begin_event(store)
    match, _ = store.matches(event.id)
    match_id = store.begin_attempt(match)
    assert store.end_event(event.id, "cancelled")
    assert not store.end_event(event.id, "completed")
    assert store.counts(event.id) == {"running": 1, "cancelled": 1}
    store.give_back(match.id, str(match_id), "stopped")
    assert store.counts(event.id) == {"cancelled": 2}
    later = PlannedMatch("later", "nim", 2, ("ann", "bob"), 7)
    assert store.add_matches(event, [later]) == []
    assert store.counts(event.id) == {"cancelled": 2}


def test_players_and_ratings_are_kept(store: Store) -> None:
    player = StoredPlayer("ann", "127.0.0.1:1", ("A", "D"), {"python": "3"}, "tok", 5, 2**40)
    store.put_player(player)
    store.put_player(player)
    [found] = store.players()
    assert (found.dialects, found.versions, found.expires) == (("A", "D"), {"python": "3"}, 2**40)
    assert store.remove_player("ann")
    assert not store.remove_player("ann")
    event = begin_event(store)
    store.put_ratings(event.id, {"ann": Interval(1.0, -2.0, 4.0)})
    store.put_ratings(event.id, {"ann": Interval(2.0, -2.0, 6.0)})
    assert store.ratings(event.id) == {"ann": Interval(2.0, -2.0, 6.0)}


def test_two_managers_do_not_share_a_database(name: str) -> None:
    first = Database(name)
    with pytest.raises(ManagerError, match="another manager"):
        Database(name)
    Database(name, exclusive=False).close()
    first.close()
    Database(name).close()


def test_a_name_belongs_to_its_first_token_until_it_is_released(store: Store, name: str) -> None:
    database = Database(name, exclusive=False)
    names = NameStore(database.engine, now=lambda: 7)
    assert names.claim("ann", "") == ""
    assert names.claim("ann", "red") == "red"
    assert names.claim("ann", "blue") == "red"
    assert names.claim("ann", "") == "red"
    assert names.list() == [OwnedName("ann", "red", 7)]
    assert names.release("ann")
    assert not names.release("ann")
    assert names.owner("ann") == ""
    database.close()


def test_an_earlier_database_gets_names_of_its_players(name: str) -> None:
    first = Database(name)
    store = Store(first.engine)
    store.put_player(StoredPlayer("ann", "127.0.0.1:1", owner="red"))
    store.put_player(StoredPlayer("bot", "random"))
    with first.engine.begin() as connection:
        connection.execute(text("DROP TABLE names"))
        connection.execute(text("DROP TABLE alembic_version"))
        connection.execute(text("INSERT INTO meta VALUES ('schema_version', '1')"))
    first.close()
    for _ in range(2):
        second = Database(name)
        [found] = NameStore(second.engine).list()
        assert (found.name, found.owner) == ("ann", "red")
        second.close()


def test_a_database_of_another_version_is_left_alone(name: str) -> None:
    first = Database(name)
    with first.engine.begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = 'manager_99'"))
    first.close()
    with pytest.raises(ManagerError, match="version 99"):
        Database(name)


def test_a_file_that_is_no_database_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "letter.txt"
    path.write_text("Dear Ann, " * 200)
    with pytest.raises(ManagerError, match="cannot be used"):
        Database(str(path))
    assert path.read_text().startswith("Dear Ann")


@pytest.mark.parametrize("given", ["mysql://host/name", "postgresql://u@h:port/n", "://"])
def test_other_urls_are_refused(given: str) -> None:
    with pytest.raises(ManagerError):
        database_url(given)


@pytest.mark.skipif(os.name != "posix", reason="files have no mode there")
def test_nobody_else_may_read_the_database(tmp_path: Path) -> None:
    path = tmp_path / "manager.sqlite"
    path.touch(0o644)
    before = os.umask(0)
    try:
        database = Database(str(path))
        Store(database.engine).put_player(StoredPlayer("ann", "127.0.0.1:1/SECRET"))
        modes = {each.name: each.stat().st_mode & 0o777 for each in tmp_path.iterdir()}
        database.close()
    finally:
        os.umask(before)
    assert {f"manager.sqlite{end}" for end in ("", "-wal", "-shm", ".lock")} <= modes.keys()
    assert set(modes.values()) == {0o600}
