"""Matches are played as players become free, and go on where a manager was stopped."""

from __future__ import annotations

from contextlib import AsyncExitStack
from pathlib import Path

from tests.support.manager_service import CLOCKS, asker, stub

EVENT = {"format": "round_robin", "games": ["ticTacToe"], **CLOCKS}


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


async def test_the_players_of_a_file_and_strategies_play_too(tmp_path: Path) -> None:
    async with asker(tmp_path) as asking, stub("ann", asking):
        await asking.done("PUT", "/api/players/bot", {"address": "legal"})
        sent = {**EVENT, "name": "cup", "players": ["ann", "bot"]}
        await asking.done("POST", "/api/events", sent)
        ended = await asking.until("match_ended")
        assert ended["failure"] == ""
        await asking.until("event_ended")


async def test_percepts_and_chance_do_not_stop_a_match(tmp_path: Path) -> None:
    async with asker(tmp_path) as asking:
        await asking.done("PUT", "/api/players/bot", {"address": "random"})
        games = {**EVENT, "games": ["fourCups"], "format": "single"}
        await asking.done("POST", "/api/events", {**games, "name": "cup", "players": ["bot"]})
        ended = await asking.until("match_ended")
        assert ended["failure"] == ""
        assert await asking.done("GET", f"/api/matches/{ended['match']}/record")
