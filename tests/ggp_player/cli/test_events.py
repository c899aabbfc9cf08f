"""Events are held from the command line, by a manager that runs."""

from __future__ import annotations

import asyncio
import socket
from pathlib import Path

import pytest
from click.testing import CliRunner

from ggp_player.__main__ import main
from tests.support.manager_service import Asker, asker


async def said(asking: Asker, *arguments: str, token: str = "") -> tuple[int, str]:
    """Run a command in a thread, as the manager runs here; return its status and what it says."""
    address = f"http://127.0.0.1:{asking.service.port}"
    environment = {"GGP_MANAGER": address, "GGP_MANAGER_TOKEN": token}
    command = ["manager", "event", *arguments]
    found = await asyncio.to_thread(CliRunner().invoke, main, command, env=environment)
    return found.exit_code, found.output or str(found.exception)


async def test_an_event_is_made_listed_started_paused_and_cancelled(tmp_path: Path) -> None:
    async with asker(tmp_path) as asking:
        for name in ("x", "y"):
            await asking.done("PUT", f"/api/players/{name}", {"address": "random"})
        players = ("--player", "x", "--player", "y", "--game", "ticTacToe", "--planned")
        assert await said(asking, "create", "cup", *players) == (0, "1\n")
        assert (await said(asking, "list"))[1].split() == ["1", "planned", "0", "of", "0", "cup"]
        assert await said(asking, "start", "1") == (0, "running\n")
        assert await said(asking, "pause", "1") == (0, "paused\n")
        assert await said(asking, "withdraw", "1", "y") == (0, "y is withdrawn\n")
        assert await said(asking, "cancel", "1") == (0, "cancelled\n")
        status, text = await said(asking, "start", "1")
        assert (status, "the event is cancelled" in text) == (1, True)


@pytest.mark.parametrize("role", ["player", ""])
async def test_a_token_of_an_organiser_is_needed(role: str, tmp_path: Path) -> None:
    async with asker(tmp_path, host="0.0.0.0") as asking:
        token = asking.service.tokens.create("red", "player") if role else ""
        status, text = await said(asking, "create", "cup", "--game", "nim", token=token)
        assert status == 1
        assert ("organiser" in text) is True


def test_where_no_manager_listens_that_is_said() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"http://127.0.0.1:{server.getsockname()[1]}"
    found = CliRunner().invoke(main, ["manager", "event", "list", "--manager", address])
    assert found.exit_code == 1
    assert found.output.startswith(f"Error: no manager answers at {address}/api/events: Connect ")
    assert "ssl" not in found.output
