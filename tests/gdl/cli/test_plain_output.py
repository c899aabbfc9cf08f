"""Output in encodings that lack characters."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from pathlib import Path

import pytest

from gdl.cli.plain_output import make_outputs_plain
from gdl.system import child_environment

HELPS = """
import click, sys
from {package}.__main__ import main
def walk(command, path):
    if isinstance(command, click.Group):
        for name in command.list_commands(click.Context(command)):
            walk(command.get_command(click.Context(command), name), [*path, name])
    try:
        main([*path, "--help"])
    except SystemExit as end:
        assert end.code == 0, path
walk(main, [])
"""

DRAWN = {"ascii": "6 . . . . . . .", "latin-1": "6 · · · · · · ·", "utf-8": "6 · · · · · · ·"}


def run(encoding: str, *arguments: str, text: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, *arguments],
        input=text,
        env={**child_environment(), "PYTHONIOENCODING": encoding},
        capture_output=True,
        check=False,
    )


@pytest.mark.thorough
@pytest.mark.parametrize("encoding", DRAWN)
def test_a_board_is_readable_in_every_encoding(encoding: str) -> None:
    done = run(encoding, "-m", "gdl", "render", "connectFour")
    assert (done.returncode, done.stderr) == (0, b"")
    assert DRAWN[encoding] in done.stdout.decode(encoding)


@pytest.mark.thorough
@pytest.mark.parametrize("encoding", DRAWN)
@pytest.mark.parametrize("package", ["gdl", "ggp_player"])
def test_every_help_can_be_read(package: str, encoding: str) -> None:
    done = run(encoding, "-c", HELPS.format(package=package))
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.decode(encoding).count("Usage:") > 10


@pytest.mark.thorough
def test_rules_and_json_lose_no_character(tmp_path: Path) -> None:
    rules = "(role ünï"
    file = tmp_path / "ünï.kif"
    file.write_text(rules)
    whole = f"{rules})\n".encode()
    assert run("ascii", "-m", "gdl", "format", "-", text=whole).stdout == whole
    found = run("ascii", "-m", "gdl", "check", "--json", str(file)).stdout
    assert "ünï" in str(json.loads(found.decode("ascii")))


@pytest.mark.parametrize(
    ("text", "plain"), [("é—•…", "e-*..."), ("│─", "|-"), ("♞", "?"), ("\udcff", "?")]
)
def test_stand_ins(text: str, plain: str, monkeypatch: pytest.MonkeyPatch) -> None:
    written = io.BytesIO()
    stream = io.TextIOWrapper(written, encoding="ascii")
    monkeypatch.setattr(sys, "stdout", stream)
    make_outputs_plain()
    stream.write(text)
    stream.flush()
    assert written.getvalue().decode("ascii") == plain


def test_what_a_stream_does_by_itself_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.TextIOWrapper(io.BytesIO(), encoding="ascii", errors="backslashreplace")
    monkeypatch.setattr(sys, "stderr", stream)
    make_outputs_plain()
    assert stream.errors == "backslashreplace"
