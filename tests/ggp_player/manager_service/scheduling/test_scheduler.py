"""Matches are played as players become free, and go on where a manager was stopped."""

from __future__ import annotations

import asyncio
import resource
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from pathlib import Path

import pytest
from sqlalchemy.exc import OperationalError

from ggp_player.manager.players import RemotePlayer
from ggp_player.manager_service.rules.rules_pool import RemoteRules, RulesPool
from ggp_player.manager_service.scheduling import scheduler
from ggp_player.manager_service.scheduling.match_in_service import MAX_LACKS
from ggp_player.manager_service.scheduling.scheduler import Scheduler
from ggp_player.manager_service.storage.store import Store
from ggp_player.match_runner.own_faults import LackError, SelfWatch
from ggp_player.server.config import Config
from ggp_player.server.player import Player
from tests.support.manager_service import CLOCKS, asker, stub
from tests.support.serving import recorded

EVENT = {"format": "round_robin", "games": ["ticTacToe"], **CLOCKS}


@pytest.mark.thorough
async def test_a_manager_that_is_stopped_goes_on_where_it_was(tmp_path: Path) -> None:
    async with AsyncExitStack() as stack:
        async with asker(tmp_path) as asking:
            names = ["ann", "bob", "cid", "dan"]
            players = [await stack.enter_async_context(stub(name, asking)) for name in names]
            sent = {**EVENT, "name": "cup", "players": names, "rounds": 2}
            await asking.done("POST", "/api/events", sent)
            await asking.until("match_ended")
        async with asker(tmp_path) as asking:
            before = await asking.done("GET", "/api/status")
            assert before["matches"]["completed"] < 24
            await asking.until("event_ended")
            assert (await asking.done("GET", "/api/status"))["matches"] == {"completed": 24}
            matches = await asking.done("GET", "/api/matches")
        stopped = [match_id for player in players for match_id in player.stopped]
        assert set(stopped) <= {match["match_id"] for match in matches}
        started = [match_id for player in players for match_id in player.started]
        assert len(started) <= 2 * sum(match["attempts"] for match in matches)


async def test_a_manager_that_stops_ends_the_rules_before_matches_give_them_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    alive: list[bool] = []
    asked = asyncio.Event()
    release = RulesPool.release

    def note(pool: RulesPool, rules: RemoteRules) -> None:
        alive.append(rules.process.helper.is_alive)
        release(pool, rules)

    async def think(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if b"INFO" in await reader.read(2**16):
            writer.write(b"HTTP/1.0 200 OK\r\n\r\n( ( status available ) )")
        else:
            asked.set()
            await reader.read()  # until the manager leaves
        writer.close()

    monkeypatch.setattr(RulesPool, "release", note)
    slow = await asyncio.start_server(think, "127.0.0.1", 0)
    async with slow, asker(tmp_path) as asking, stub("ann", asking):
        address = f"127.0.0.1:{slow.sockets[0].getsockname()[1]}"
        await asking.done("PUT", "/api/players/slow", {"address": address})
        sent = {**EVENT, "name": "cup", "players": ["ann", "slow"], "start_clock": 60}
        await asking.done("POST", "/api/events", sent)
        await asked.wait()
    assert alive == [False]  # a step of theirs that goes on holds nobody up


@pytest.mark.thorough
async def test_the_players_of_a_file_and_strategies_play_too(tmp_path: Path) -> None:
    async with asker(tmp_path) as asking, stub("ann", asking):
        await asking.done("PUT", "/api/players/bot", {"address": "legal"})
        sent = {**EVENT, "name": "cup", "players": ["ann", "bot"]}
        await asking.done("POST", "/api/events", sent)
        ended = await asking.until("match_ended")
        assert ended["failure"] == ""
        await asking.until("event_ended")


@contextmanager
def no_more_files() -> Iterator[None]:
    """Let this process open no file meanwhile."""
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (3, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)


async def test_no_player_is_blamed_where_the_manager_has_no_files_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    lacked = asyncio.Event()
    note = SelfWatch.note

    def noted(watch: SelfWatch, what: str) -> None:
        note(watch, what)
        lacked.set()

    monkeypatch.setattr(SelfWatch, "note", noted)
    async with asker(tmp_path) as asking, stub("ann", asking), stub("bob", asking):
        sent = {**EVENT, "name": "cup", "players": ["ann", "bob"]}
        await asking.done("POST", "/api/events", sent)
        await asking.until("match_step")
        with no_more_files():
            await asyncio.wait_for(lacked.wait(), 60)
        await asking.until("event_ended")
        matches = await asking.done("GET", "/api/matches")
    assert {match["status"] for match in matches} == {"completed"}
    assert not [error for match in matches for error in match["result"]["errors"] if any(error)]
    lines = [record.getMessage() for record in caplog.records if "lacks" in record.getMessage()]
    assert lines == ["the manager lacks open files: matches wait, and no player is blamed"]


async def test_no_match_is_lost_where_the_database_takes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    errors = (OperationalError("INSERT", {}, OSError("full")), MemoryError())
    failures = {
        name: list(errors) for name in ("add_matches", "begin_attempt", "finish", "end_event")
    }

    def failing_at_first(name: str) -> Callable[..., object]:
        written = getattr(Store, name)

        def fail_at_first(store: Store, *given: object) -> object:
            if failures[name]:
                raise failures[name].pop()
            return written(store, *given)

        return fail_at_first

    for name in failures:
        monkeypatch.setattr(Store, name, failing_at_first(name))
    monkeypatch.setattr(scheduler, "RETRY_SECONDS", 0)
    async with asker(tmp_path) as asking, stub("ann", asking), stub("bob", asking):
        sent = {**EVENT, "name": "cup", "players": ["ann", "bob"], "format": "round_robin"}
        await asking.done("POST", "/api/events", sent)
        await asking.until("event_ended")
        matches = await asking.done("GET", "/api/matches")
    assert not any(failures.values())
    assert [match["status"] for match in matches] == ["completed"] * 2


async def test_a_match_is_played_again_so_often_and_then_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def no_threads(*_: object) -> str:
        raise LackError("threads", was_sent=True)

    monkeypatch.setattr(scheduler, "LACK_PAUSE", 0)
    async with asker(tmp_path) as asking, stub("ann", asking), stub("bob", asking):
        monkeypatch.setattr(RemotePlayer, "send", no_threads)
        sent = {**EVENT, "name": "cup", "players": ["ann", "bob"], "format": "single"}
        await asking.done("POST", "/api/events", sent)
        await asking.until("event_ended")
        matches = await asking.done("GET", "/api/matches")
    reason = f"the manager lacked threads each time that it played this, {MAX_LACKS} times"
    assert {match["status"] for match in matches} == {"failed"}
    assert {match["attempts"] for match in matches} == {MAX_LACKS}
    assert {match["result"]["failure"] for match in matches} == {reason}


@asynccontextmanager
async def recorded_player() -> AsyncIterator[tuple[str, list[str]]]:
    """Run a player server: its address, and the messages that it got."""
    async with Player(Config(strategy="random")) as player, recorded(player.reply) as found:
        yield found


async def test_players_are_told_percepts_where_they_speak_a_dialect_with_them(
    tmp_path: Path,
) -> None:
    async with asker(tmp_path) as asking, recorded_player() as (address, received):
        player = {"address": address, "dialects": ["A", "C"]}
        await asking.done("PUT", "/api/players/ann", player)
        games = {**EVENT, "games": ["fourCups"], "format": "single", "play_clock": 3}
        await asking.done("POST", "/api/events", {**games, "name": "cup", "players": ["ann"]})
        ended = await asking.until("match_ended")
        assert ended["failure"] == ""
        record = await asking.done("GET", f"/api/matches/{ended['match']}/record")
        assert record["isCompleted"]
        assert not any(map(any, record["errors"]))
        await asking.until("event_ended")
        await asking.done("PUT", "/api/players/bot", {"address": "random"})
        await asking.done("POST", "/api/events", {**games, "name": "own", "players": ["bot"]})
        assert (await asking.until("match_ended"))["failure"] == ""
    plays = [text for text in received if text.startswith(f"(PLAY {record['matchId']} ")]
    assert plays[0].endswith(" 0 NIL NIL)")
    assert [int(text.split()[2]) for text in plays] == list(range(len(record["moves"])))
    assert any("TURNEDOVER" in text for text in plays)


async def test_a_ladder_waits_for_players_and_takes_those_who_come(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scheduler, "CHECK_PAUSE", 0.05)
    async with asker(tmp_path) as asking:
        sent = {**EVENT, "name": "ladder", "format": "ladder", "rounds": 2}
        event = await asking.done("POST", "/api/events", sent)
        async with stub("ann", asking), stub("bob", asking):
            await asking.until("event_ended")
            shown = await asking.done("GET", f"/api/events/{event['id']}")
            assert (shown["status"], shown["matches"]) == ("completed", {"completed": 4})


@pytest.mark.parametrize(("cores", "expected"), [(1, 1), (6, 3)])
async def test_own_strategies_play_as_many_matches_as_there_are_cores(
    cores: int, expected: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scheduler, "available_cpus", lambda: cores)
    has_begun = asyncio.Event()

    async def play(*_: object) -> None:
        has_begun.set()
        await asyncio.Event().wait()

    monkeypatch.setattr(Scheduler, "_attempt", play)
    async with asker(tmp_path) as asking:
        for name in ("x", "y"):
            await asking.done("PUT", f"/api/players/{name}", {"address": "random"})
        sent = {**EVENT, "name": "cup", "players": ["x", "y"], "rounds": 20}
        await asking.done("POST", "/api/events", sent)
        await has_begun.wait()
        asking.service.scheduler._play_what_can()
        assert len(asking.service.scheduler._running) == expected
