"""The command line: what it says about itself, and about mistakes."""

import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread

import pytest
from click.testing import CliRunner

from ggp_player.__main__ import COMMANDS, main
from ggp_player.cli import info
from ggp_player.cli.commands.serve import FLAGS, NO_ARCHIVE
from ggp_player.server.config import ENVIRONMENT_PREFIX, Config
from ggp_player.strategies.learning import FOLDER_VARIABLE


def run(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(main, arguments)
    return result.exit_code, result.output


def test_the_help_lists_every_command() -> None:
    status, output = run("--help")
    assert status == 0
    assert list(COMMANDS) == [
        *(
            "serve",
            "doctor",
            "info",
            "health",
            "match",
            "play",
            "analyze",
            "strategies",
            "learn",
            "bench",
            "lab",
            "tournament",
            "manager",
            "matches",
            "warm-up",
            "cache",
        )
    ]
    for name in COMMANDS:
        assert f"\n  {name} " in output


@pytest.mark.parametrize("name", list(COMMANDS))
def test_every_command_has_a_help_of_its_own(name: str) -> None:
    status, output = run(name, "--help")
    assert status == 0
    assert output.startswith(f"Usage: main {name} ")


def test_a_command_that_does_not_exist() -> None:
    status, output = run("sing")
    assert status == 2
    assert "No such command 'sing'" in output


def test_serve_has_a_flag_for_every_setting() -> None:
    _, output = run("serve", "--help")
    for name in Config.model_fields:
        flag = f"{FLAGS.get(name, '--' + name.replace('_', '-'))} "
        assert (flag if name == NO_ARCHIVE else f"{flag}{name.upper()}") in output


def test_serve_names_all_bad_settings_at_once(tmp_path: Path) -> None:
    file = tmp_path / "player.toml"
    file.write_text("speed = 1\n")
    status, output = run("serve", "--config", str(file), "--port", "x", "--strategy", "luck")
    assert status == 2
    assert "these settings cannot be used:\nport in the command line is 'x'; expected" in output
    assert "\nstrategy in the command line: there is no strategy 'luck'" in output
    assert f"\nspeed in the file {file} is no setting" in output


def test_serve_at_a_port_that_is_taken() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        status, output = run("serve", "--host", "127.0.0.1", "--port", str(port))
    assert status == 1
    assert output == (
        f"Error: cannot listen at 127.0.0.1:{port}: another program listens there; "
        "stop it or choose another --port\n"
    )


def test_serve_tells_its_processes_where_evaluations_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(FOLDER_VARIABLE, "elsewhere")
    assert f"{ENVIRONMENT_PREFIX}EVALUATIONS" == FOLDER_VARIABLE
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        run("serve", "--host", "127.0.0.1", "--port", port, "--evaluations", str(tmp_path))
    assert os.environ[FOLDER_VARIABLE] == str(tmp_path)


@contextmanager
def replying(body: bytes, head: bytes = b"HTTP/1.0 200 OK\r\n\r\n") -> Iterator[str]:
    """Give the next request a reply; the address is the value."""
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def reply() -> None:
            connection, _ = listening.accept()
            with connection:
                connection.recv(65536)
                connection.sendall(head + body)

        thread = Thread(target=reply)
        thread.start()
        yield f"127.0.0.1:{listening.getsockname()[1]}"
        thread.join()


@pytest.mark.parametrize(
    ("body", "output"),
    [
        (
            b"( ( name ann ) ( status available ) ( species machine ) )",
            "name       ann\nstatus     available\nspecies    machine\n",
        ),
        (b"busy", "name       -\nstatus     busy\nspecies    -\n"),
    ],
)
def test_info(body: bytes, output: str) -> None:
    with replying(body) as address:
        assert run("info", address) == (0, output)


@pytest.mark.parametrize(
    ("dialect", "body"),
    [
        ("C'", b"((name ann) (status busy))"),
        ("D", b"((name ann) (status busy))"),
        ("E", b"info(name(ann),status(busy))"),
    ],
)
def test_info_in_another_dialect(dialect: str, body: bytes) -> None:
    with replying(body) as address:
        found = run("info", f"{address}#{dialect}")
    assert found == (0, "name       ann\nstatus     busy\nspecies    -\n")


@pytest.mark.parametrize("dialect", ["F", "Z", ""])
def test_info_in_a_dialect_that_no_player_is_asked_in(dialect: str) -> None:
    status, output = run("info", f"127.0.0.1:1#{dialect}")
    assert status == 2
    assert "host:port#DIALECT" in " ".join(output.split())


@pytest.mark.parametrize(
    ("body", "shown"),
    [
        (b"(<html>", "(<html>"),
        (b"<!DOCTYPE html>\n<title>Hello\x07</title>", "<!DOCTYPE html> <title>Hello </title>"),
        (b"Hello", "Hello"),
        (b"(hello (world))", "(hello (world))"),
        (b"", "an empty text"),
        (b"x" * 1000, f"{'x' * 40}..."),
    ],
)
def test_info_from_something_else(body: bytes, shown: str) -> None:
    with replying(body) as address:
        status, output = run("info", address)
    assert status == 1
    assert output == f"Error: no GGP player at {address}: something else replied to INFO: {shown}\n"


@pytest.mark.parametrize(
    ("head", "reason"),
    [
        (b"SSH-2.0-OpenSSH_9.2\r\n", "what listens there does not speak HTTP"),
        (b"", "the connection was closed without a reply"),
    ],
)
def test_info_from_what_does_not_speak_http(head: bytes, reason: str) -> None:
    with replying(b"", head=head) as address:
        status, output = run("info", address)
    assert (status, output) == (1, f"Error: no GGP player at {address}: {reason}\n")


def test_info_from_what_never_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(info, "TIME_LIMIT", 0.05)
    with socket.create_server(("127.0.0.1", 0)) as listening:  # which accepts by itself
        address = f"127.0.0.1:{listening.getsockname()[1]}"
        status, output = run("info", address)
    assert status == 1
    assert output == (
        f"Error: no GGP player at {address}: the connection is open, but no reply came in 0.05 s\n"
    )


def test_info_from_nobody() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
    status, output = run("info", f"127.0.0.1:{port}")
    assert status == 1
    assert output == f"Error: no GGP player at 127.0.0.1:{port}: nothing listens there\n"


def test_info_from_no_address() -> None:
    status, output = run("info", "somewhere")
    assert status == 2
    assert "expected host:port, such as localhost:9147; found somewhere" in output
