"""What connections may do to the service: its files are shared out before they come."""

from __future__ import annotations

import asyncio
import json
import resource
from pathlib import Path

import pytest

from ggp_player.front import connections
from ggp_player.front.connections import MIN_CONNECTIONS
from ggp_player.manager_service.web import api, listening
from ggp_player.manager_service.web.api import MAX_BODY
from ggp_player.manager_service.web.listening import (
    FILES_PER_MATCH,
    MAX_CONNECTIONS,
    connection_bounds,
    reserved_files,
)
from tests.support.manager_service import Asker, asker


def test_files_are_reserved_for_matches(monkeypatch: pytest.MonkeyPatch) -> None:
    for limit, expected in (
        (10**6, MAX_CONNECTIONS),
        (1024, 1024 - reserved_files(64)),
        (256, MIN_CONNECTIONS),
    ):
        monkeypatch.setattr(connections, "raise_open_files_limit", lambda _, most=limit: most)
        bounds = connection_bounds(64)
        assert bounds.connections == expected
        assert bounds.of_address <= expected
    assert reserved_files(65) - reserved_files(64) == FILES_PER_MATCH
    assert reserved_files(64) < 1024 - 128  # a usual limit leaves room for others


def test_the_limit_is_raised() -> None:
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    connection_bounds(64)
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    assert soft >= min(hard, MAX_CONNECTIONS + reserved_files(64))


async def raw(asking: Asker, data: bytes) -> tuple[bytes, dict[str, dict[str, str]]]:
    """Send bytes; return the first line of the answer, and its JSON."""
    reader, writer = await asyncio.open_connection("127.0.0.1", asking.service.port)
    writer.write(data)
    answer = await reader.read()
    writer.close()
    head, _, body = answer.partition(b"\r\n\r\n")
    return head.partition(b"\r\n")[0], json.loads(body)


async def test_what_is_no_request_gets_an_error_of_the_api(tmp_path: Path) -> None:
    async with asker(tmp_path) as asking:
        line, found = await raw(asking, b"\x16\x03\x01")
        assert line == b"HTTP/1.0 400 Bad Request"
        assert found["error"]["what"] == "this is no HTTP; a message is sent by POST"
        line, found = await raw(asking, b"PUT / HTTP/1.1\r\nContent-Length: 99999999\r\n\r\n")
        assert line == b"HTTP/1.0 413 Request Entity Too Large"
        assert found["error"]["what"] == f"the message has more than {MAX_BODY} bytes"


async def test_connections_without_a_request_cost_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listening, "MAX_CONNECTIONS", 16)
    monkeypatch.setattr(listening, "MAX_CONNECTIONS_OF_ADDRESS", 8)
    async with asker(tmp_path) as asking:
        port = asking.service.port
        idle = [await asyncio.open_connection("127.0.0.1", port) for _ in range(32)]
        for _, writer in idle[:8]:
            writer.write(b"GET /api/st")
        for _ in range(16):
            assert (await asking.done("GET", "/api/status"))["players"] == 0
        for _, writer in idle:
            writer.close()


async def test_whoever_follows_is_counted_by_address(tmp_path: Path) -> None:
    async with asker(tmp_path) as asking:
        url = f"http://127.0.0.1:{asking.service.port}/api/news"
        followers = [await asking.session.get(url) for _ in range(api.MAX_FOLLOWERS_OF_ADDRESS)]
        status, found = await asking.ask("GET", "/api/news")
        assert status == 503
        assert "of one address" in found["error"]["what"]
        for follower in followers:
            follower.close()


async def test_a_request_after_the_scheduler_was_closed_is_told_so(tmp_path: Path) -> None:
    async with asker(tmp_path) as asking:
        await asking.service.scheduler.close()
        line, found = await raw(asking, b"GET /api/games HTTP/1.0\r\n\r\n")
        assert line.endswith(b" 503 Service Unavailable")
        assert found["error"]["what"] == "the manager is being stopped"
