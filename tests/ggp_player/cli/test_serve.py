"""What ``ggp-player serve`` has beside the player: the page of all games, of a real process."""

import asyncio
import json
import re
import signal
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import pytest
from click.testing import CliRunner

from ggp_player.__main__ import main
from ggp_player.cli import serve
from ggp_player.server.config import Config
from tests.support.left_behind import HANGING, becomes_true
from tests.support.server_process import ServerProcess

HANGING_CODE = f"import signal; signal.alarm({2 * HANGING:.0f}); signal.pause()"
"""What a process does that neither says anything nor heeds the end of its input."""

LIMIT = 4 * HANGING
"""For the process with the page of all games, before which whatever else runs here goes."""


def test_people_play_beside_the_player_and_their_matches_are_only_in_the_archive(
    tmp_path: Path,
) -> None:
    archive = str(tmp_path / "matches.sqlite")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with ServerProcess(tmp_path, "--gallery", str(port), "--archive", archive) as server:
        leading = f'<a href="http://127.0.0.1:{port}/">Play a game yourself</a>'
        assert leading in _get(server.address[1], "/")
        assert becomes_true(lambda: _listens(port), LIMIT), server.text
        token = re.findall(r'data-token="([^"]+)"', _get(port, "/"))[0]
        asked = {"game": "nim", "roles": [], "level": 1, "clock": ""}
        headers = {"Content-Type": "application/json", "X-Page-Token": token}
        assert _ask(port, "/begin", headers, json.dumps(asked)) == "{}"
        assert "Nim" in _get(port, "/match/")
        assert "No match yet" in _get(server.address[1], "/")
        server.stop()
        assert server.wait_until_alone() == []
    listed = CliRunner().invoke(main, ["matches", "list", "--archive", archive])
    assert "human" in listed.output, listed.output


def test_a_server_ends_at_once_while_the_page_of_all_games_begins(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with ServerProcess(tmp_path, "--gallery", str(port), "--no-archive") as server:
        process = server.process
        server.stop(signal.SIGINT)
        assert process.returncode == 0, server.text
        assert server.wait_until_alone() == []
    assert "does not stop" not in server.text
    assert "Traceback" not in server.text


def test_a_server_that_ends_before_it_has_begun_leaves_no_process(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    begun = []

    def begin(*arguments: Any, **options: Any) -> subprocess.Popen[bytes]:
        begun.append(start(*arguments, **options))
        return begun[0]

    async def end_early() -> None:
        async with serve._gallery(Config(gallery=1)):
            raise asyncio.CancelledError

    start = subprocess.Popen
    monkeypatch.setattr(subprocess, "Popen", begin)
    monkeypatch.setattr(serve, "helper_command", lambda *_: [sys.executable, "-c", HANGING_CODE])
    with pytest.raises(asyncio.CancelledError):
        asyncio.run(end_early())
    assert begun[0].returncode == -signal.SIGKILL


def test_a_port_that_is_taken_is_told(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with ServerProcess(tmp_path, "--gallery", str(port), "--no-archive") as server:
            assert server.process.wait() == 1
    assert f"port {port}: another program listens there\n" in server.text
    assert "Traceback" not in server.text


def _listens(port: int) -> bool:
    with socket.socket() as tried:
        return tried.connect_ex(("127.0.0.1", port)) == 0


def _get(port: int, path: str) -> str:
    return _ask(port, path, {"Accept": "text/html"})


def _ask(port: int, path: str, headers: dict[str, str], body: str | None = None) -> str:
    data = None if body is None else body.encode()
    request = Request(f"http://127.0.0.1:{port}{path}", data, headers)
    with urlopen(request, timeout=LIMIT) as response:
        text: str = response.read().decode()
    return text
