"""Players behind a firewall: they poll the manager, and play as others do."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from yarl import URL

from ggp_player.clock import monotonic
from ggp_player.match_runner import stopwatch
from ggp_player.match_runner.game_manager import PLAY_GRACE
from ggp_player.protocol import TIMEOUT, parse_envelope
from ggp_player.server.config import Config
from ggp_player.server.player import Player
from ggp_player.server.polling import Poller
from tests.support.manager_service import CLOCKS, Asker, asker, stub

LIMIT = 60
"""Seconds for a test, on a machine that does much else."""

SINGLE = {"name": "cup", "format": "single", "games": ["ticTacToe"], **CLOCKS}


@pytest.fixture(autouse=True)
def _nobody_waits_long_for_who_polls_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stopwatch, "SEND_LIMIT", 2.0)


SECRET_GAME = """
(role ann) (role bob) (init (step 1))
(<= (legal ann (hide ?x)) (side ?x)) (<= (legal bob (guess ?x)) (side ?x))
(side left) (side right)
(<= (next hidden) (does ann (hide ?x)))
(<= (sees bob heard) (does ann (hide left)))
(<= terminal (true hidden))
(goal ann 50) (goal bob 50)
"""


def poll_url(asking: Asker) -> URL:
    return URL(f"http://127.0.0.1:{asking.service.port}/api/poll")


@asynccontextmanager
async def polling(name: str, asking: Asker) -> AsyncIterator[None]:
    """Have a player of ours poll the manager."""
    address = str(poll_url(asking))
    config = Config(strategy="legal", poll=address, poll_as=name, poll_interval=0.05)
    seen = asyncio.create_task(asking.until("player", name=name, status="available"))
    async with Player(config) as player, Poller(player):
        await seen
        yield


async def take(asking: Asker, name: str) -> str:
    """Poll until there is a message, as a player of dialect F does."""
    while True:
        async with asking.session.get(poll_url(asking).with_query(recipient=name)) as answer:
            assert answer.status == 200
            if text := await answer.text():
                return text
        await asyncio.sleep(0.02)


async def reply(asking: Asker, name: str, message: str, text: str) -> None:
    """Answer a message."""
    number = parse_envelope(message).number
    query = {"sender": name, "recipient": "manager", "msgid": number}
    async with asking.session.post(poll_url(asking).with_query(query), data=text) as answer:
        assert (answer.status, await answer.text()) == (200, "")


async def register(asking: Asker, name: str) -> str:
    """Have the manager know a player that polls; return the INFO that it got."""
    seen = asyncio.create_task(asking.until("player", name=name, status="available"))
    info = await take(asking, name)
    await reply(asking, name, info, "info(name(x),status(available))")
    await seen
    return info


async def play_single(asking: Asker, **settings: object) -> dict[str, object]:
    """Play one match between ann and bob; return its record."""
    sent = {**SINGLE, "players": ["ann", "bob"], **settings}
    await asking.done("POST", "/api/events", sent)
    ended = await asking.until("match_ended")
    record: dict[str, object] = await asking.done("GET", f"/api/matches/{ended['match']}/record")
    return record


@pytest.mark.thorough
async def test_a_player_that_polls_plays_a_whole_match(tmp_path: Path) -> None:
    async with asyncio.timeout(LIMIT), asker(tmp_path) as asking, stub("bob", asking):
        async with polling("ann", asking):
            record = await play_single(asking, start_clock=5, play_clock=5)
            shown = await asking.done("GET", "/api/players/ann")
        assert record["isCompleted"]
        assert record["playerNamesFromHost"] == ["ann", "bob"]
        assert not any(error for step in record["errors"] for error in step)  # type: ignore[attr-defined]
        assert (shown["address"], shown["dialects"]) == ("(polls)", ["F"])


@pytest.mark.thorough
async def test_messages_are_those_of_the_dialect_byte_for_byte(tmp_path: Path) -> None:
    async with asyncio.timeout(LIMIT), asker(tmp_path) as asking, stub("bob", asking):
        info = await register(asking, "ann")
        number = int(parse_envelope(info).number)
        assert info == f"message({number},manager,info())"
        match = asyncio.create_task(play_single(asking))
        start = await take(asking, "ann")
        match_id = asking.service.scheduler.public.running[1].match.match_id
        quoted = f'"{match_id}"' if "-" in match_id or "." in match_id else match_id
        assert start.startswith(f"message({number + 1},manager,start({quoted},cross,{{role(cross),")
        assert start.endswith("},1,1))")
        await reply(asking, "ann", start, "ready")
        play = await take(asking, "ann")
        assert play == f"message({number + 2},manager,play({quoted},nil))"
        await reply(asking, "ann", play, "put(b2)")
        play = await take(asking, "ann")
        assert play == f"message({number + 3},manager,play({quoted},{{put(b2),noop}}))"
        match.cancel()
        await asyncio.gather(match, return_exceptions=True)


@pytest.mark.thorough
async def test_percepts_are_told_where_the_rules_have_some(tmp_path: Path) -> None:
    async with asyncio.timeout(LIMIT), asker(tmp_path) as asking:
        await asking.done("PUT", "/api/games/secret", {"rules": SECRET_GAME})
        for name in ("ann", "bob"):
            await register(asking, name)
        match = asyncio.create_task(play_single(asking, games=["secret"]))
        moves = {"ann": "hide(left)", "bob": "guess(right)"}
        for name in moves:
            await reply(asking, name, await take(asking, name), "ready")
        for name, move in moves.items():
            await reply(asking, name, await take(asking, name), move)
        ends = {name: parse_envelope(await take(asking, name)).message for name in moves}
        for end in ends.values():
            assert end.startswith("stop(")
            assert "hide" not in end
        assert ends["bob"].endswith(",{heard})")
        assert (await match)["moves"] == [["(hide left)", "(guess right)"]]


@pytest.mark.thorough
async def test_the_clocks_hold_for_players_that_poll(tmp_path: Path) -> None:
    async with asyncio.timeout(LIMIT), asker(tmp_path) as asking, stub("bob", asking):
        await register(asking, "ann")
        match = asyncio.create_task(play_single(asking, max_steps=2, start_clock=5))
        begun = asyncio.create_task(asking.until("match_step", step=0))
        await reply(asking, "ann", await take(asking, "ann"), "ready")
        await begun
        waited = monotonic()
        for _ in range(30):  # meanwhile the request waits, which is not the player's time
            await asking.done("GET", "/api/status")
        waited = monotonic() - waited
        began = asyncio.create_task(asking.until("match_step", step=1))
        late = await take(asking, "ann")
        step = await began
        assert step["errors"][0] == TIMEOUT
        assert step["seconds"][0] >= 1 + PLAY_GRACE
        assert step["overheads"][0] > waited / 2
        await reply(asking, "ann", late, "put(a1)")
        match.cancel()
        await asyncio.gather(match, return_exceptions=True)


async def test_a_reply_that_nobody_waits_for_is_taken_and_dropped(tmp_path: Path) -> None:
    async with asker(tmp_path) as asking:
        await reply(asking, "ann", "message(12,manager,info())", "busy")
        assert asking.service.scheduler.roster.presences == {}


@pytest.mark.parametrize(
    ("query", "headers", "status"),
    [
        ({}, {}, 422),
        ({"recipient": "a b"}, {}, 422),
        ({"recipient": "ann"}, {"Sec-Fetch-Site": "cross-site"}, 403),
        ({"recipient": "ann"}, {"Host": "evil.example"}, 403),
        ({"recipient": "bob"}, {}, 409),
    ],
)
async def test_a_poll_that_may_not_be_is_refused(
    tmp_path: Path, query: dict[str, str], headers: dict[str, str], status: int
) -> None:
    async with asker(tmp_path) as asking, stub("bob", asking):
        url = poll_url(asking).with_query(query)
        async with asking.session.get(url, headers=headers) as answer:
            assert answer.status == status
            assert json.loads(await answer.text())["error"]["what"]


async def test_a_poll_from_elsewhere_needs_a_token_of_a_player(tmp_path: Path) -> None:
    async with asker(tmp_path, host="0.0.0.0") as asking:
        tokens = asking.service.tokens
        secrets = {name: tokens.create(name, "player") for name in ("red", "blue")}
        secrets["eve"] = tokens.create("eve", "spectator")
        url = poll_url(asking).with_query(recipient="ann")
        found = []
        for name in ("", "eve", "red", "blue"):
            asked = url.with_user("any").with_password(secrets[name]) if name else url
            async with asking.session.get(asked) as answer:
                found.append(answer.status)
        assert found == [401, 403, 200, 403]
