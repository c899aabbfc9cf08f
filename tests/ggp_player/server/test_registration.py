"""Player servers announce themselves, renew that, withdraw, and survive a manager that is away."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from ggp_player.server import registration
from ggp_player.server.config import Config
from ggp_player.server.registration import Announcement, registered
from tests.support.manager_service import asker
from tests.support.stub_players import StubPlayer, listen, port_of


async def test_a_player_registers_renews_and_withdraws(tmp_path: Path) -> None:
    async with asker(tmp_path) as asking, await listen(StubPlayer()) as server:
        url = f"http://127.0.0.1:{asking.service.port}"
        config = Config(name="ann", register_at=url)
        roster = asking.service.scheduler.roster
        async with registered(config, port_of(server)):
            await asking.until("player", name="ann")
            shown = await asking.done("GET", "/api/players/ann")
            assert shown["address"] == f"127.0.0.1:{port_of(server)}"
            assert shown["status"] == "available"
            assert shown["dialects"] == ["A", "B", "C", "C'", "D", "E"]
            assert shown["expires"] is not None
            assert set(shown["versions"]) == {"ggp_player", "python"}
        assert "ann" not in roster.presences


async def test_a_manager_that_is_away_is_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(registration, "RENEWAL_SECONDS", 0.01)
    has_failed = asyncio.Event()
    monkeypatch.setattr(registration._log, "warning", lambda *_: has_failed.set())
    # The player listens before the manager has left, or it could be given the manager's port.
    async with await listen(StubPlayer()) as server, asyncio.timeout(60):
        async with asker(tmp_path / "first") as asking:
            port = asking.service.port
        config = Config(name="ann", register_at=f"http://127.0.0.1:{port}")
        async with registered(config, port_of(server)):
            await has_failed.wait()
            async with asker(tmp_path / "second", port=port) as asking:
                presences = asking.service.scheduler.roster.presences
                if "ann" not in presences or presences["ann"].status != "available":
                    await asking.until("player", name="ann", status="available")
                assert presences["ann"].status == "available"


def test_an_address_that_others_cannot_reach_is_left_to_the_manager() -> None:
    here = Announcement.of(Config(host="0.0.0.0", register_at="http://m:9148/"), 9147)
    assert here.url == "http://m:9148/api/players/ggp-player"
    assert (here.body["port"], here.body["path"]) == (9147, "/")
    assert "address" not in here.body
    token = "abcdefghijklmnopqrst"
    there = Announcement.of(
        Config(host="192.0.2.7", token=token, register_at="http://m", register_token="secret"), 80
    )
    assert there.body["address"] == f"192.0.2.7:80/{token}"
    assert there.headers == {"Authorization": "Bearer secret"}
    named = Announcement.of(Config(name="a.b", register_at="http://m", register_address="h:1"), 80)
    assert (named.body["address"], named.url) == ("h:1", "http://m/api/players/a_b")
