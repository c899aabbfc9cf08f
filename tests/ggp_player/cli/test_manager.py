"""The manager as it is used: in a terminal, with tokens, and with players that register."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.request import urlopen

import pytest
from click.testing import CliRunner

from ggp_player.cli.commands.manager import manager_command
from ggp_player.errors import ManagerError
from ggp_player.manager_service.service import players_of, started_threads
from ggp_player.manager_service.storage.database import Database
from ggp_player.manager_service.storage.names import NameStore
from ggp_player.manager_service.storage.tokens import TokenHolder, TokenStore

PROGRAM = [sys.executable, "-m", "ggp_player"]


def call(*arguments: str) -> str:
    found = CliRunner().invoke(manager_command, arguments, catch_exceptions=False)
    assert found.exit_code == 0, found.output
    return found.output


def test_tokens_are_made_listed_and_revoked(tmp_path: Path) -> None:
    path = str(tmp_path / "manager.sqlite")
    secret = call("--database", path, "token", "create", "ann", "organiser").strip()
    assert len(secret) >= 32
    database = Database(path)
    tokens = TokenStore(database.engine)
    assert tokens.identify(secret) == TokenHolder("ann", "organiser")
    assert tokens.identify(secret + "x") is None
    with pytest.raises(ManagerError):
        tokens.create("ann", "player")
    listed = call("token", "list", "--database", path)
    assert listed.split() == ["ann", "organiser"]
    call("token", "revoke", "ann", "--database", path)
    assert tokens.identify(secret) is None
    with pytest.raises(ManagerError):
        call("token", "revoke", "ann", "--database", path)
    database.close()
    assert secret.encode() not in (tmp_path / "manager.sqlite").read_bytes()


def test_names_are_listed_and_released(tmp_path: Path) -> None:
    path = str(tmp_path / "manager.sqlite")
    database = Database(path)
    NameStore(database.engine).claim("ann", "team-red")
    database.close()
    assert call("name", "list", "--database", path).split() == ["ann", "team-red"]
    call("--database", path, "name", "release", "ann")
    assert call("name", "list", "--database", path) == ""
    with pytest.raises(ManagerError, match="no token"):
        call("name", "release", "ann", "--database", path)


def test_a_role_includes_those_below_it() -> None:
    assert TokenHolder("ann", "organiser").may("player")
    assert not TokenHolder("ann", "organiser").may("admin")


def test_a_file_of_players_is_read_and_its_mistakes_are_named() -> None:
    text = "# our players\nann 127.0.0.1:9147\n\nbot random # always there\n"
    assert [(one.name, one.address) for one in players_of(text)] == [
        ("ann", "127.0.0.1:9147"),
        ("bot", "random"),
    ]
    with pytest.raises(ManagerError, match="line 2"):
        players_of("ann 127.0.0.1:9147\nbob\n")
    with pytest.raises(ManagerError, match="address"):
        players_of("ann ./file.py:Class")


@contextmanager
def manager(*arguments: str) -> Iterator[int]:
    """Run a manager until the context ends, which it does with status 0, and yield its port."""
    command = [*PROGRAM, "manager", "--port", "0", *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            found = re.search(r":(\d+)$", process.stdout.readline().strip())
            assert found is not None
            yield int(found[1])
        finally:
            process.send_signal(signal.SIGTERM)
    assert process.returncode == 0


def players(port: int) -> dict[str, str]:
    with urlopen(f"http://127.0.0.1:{port}/api/players", timeout=20) as answer:
        return {player["name"]: player["status"] for player in json.load(answer)}


@pytest.mark.thorough
def test_it_serves_stops_and_keeps_its_players(tmp_path: Path) -> None:
    (tmp_path / "players").write_text("bot random\n")
    path = str(tmp_path / "manager.sqlite")
    with manager("--database", path, "--players", str(tmp_path / "players")) as port:
        assert players(port) == {"bot": "available"}
        second = subprocess.run(
            [*PROGRAM, "manager", "--port", "0", "--database", path],
            capture_output=True,
            text=True,
            check=False,
        )
        assert second.returncode == 1
        assert "another manager uses this database" in second.stderr
    with manager("--database", path) as port:
        assert players(port) == {"bot": "available"}


@pytest.mark.thorough
def test_it_names_a_page_that_this_machine_can_open(tmp_path: Path) -> None:
    path = str(tmp_path / "manager.sqlite")
    command = [*PROGRAM, "manager", "--host", "0.0.0.0", "--port", "0", "--database", path]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            page = next(line for line in process.stdout if line.startswith("page"))
            found = re.search(r"\(from this machine, (http://127\.0\.0\.1:\d+/)\)$", page.strip())
            assert found is not None, page
            with urlopen(found[1], timeout=20) as answer:
                assert answer.status == 200
        finally:
            process.send_signal(signal.SIGTERM)
    assert process.returncode == 0


def test_threads_run_before_they_are_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    def start(_: threading.Thread) -> None:
        raise AssertionError("the event loop might wait for this for ever")

    with started_threads(4) as executor:
        monkeypatch.setattr(threading.Thread, "start", start)
        together = threading.Barrier(4)
        waiting = [executor.submit(together.wait) for _ in range(4)]
        assert sorted(one.result() for one in waiting) == [0, 1, 2, 3]
