"""Commands that play start processes, none of which imports from the folder that they are in."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from ggp_player.worker import warm_up_process
from ggp_player.worker.health import Health
from tests.support.command_line import TWO_STEPS
from tests.support.hostile_folder import command, run_in, write_hostile_modules

PLAYER = "from ggp_player.__main__ import main; main()"

CLOCKS = ("--start-clock", "5", "--play-clock", "1")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A hostile folder with a rulesheet in it."""
    (tmp_path / "game.kif").write_text(f"{TWO_STEPS} (<= (goal ?r 50) (role ?r))")
    return write_hostile_modules(tmp_path)


@contextmanager
def serving(folder: Path) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Run a player server in a folder; the process and its address are the value."""
    flags = ["serve", "--host", "127.0.0.1", "--port", "0", "--strategy", "auto"]
    with subprocess.Popen(
        [*command(PLAYER), *flags],
        cwd=folder,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as process:
        assert process.stdout is not None
        try:
            said = []  # it can say before it listens that it has found strays
            for line in process.stdout:
                said.append(line)
                if line.startswith("listening"):
                    break
            assert said[-1].startswith("listening"), said
            yield process, said[-1].split()[-1]
        finally:
            process.kill()


@pytest.mark.thorough
def test_a_server_starts_and_plays_a_match(folder: Path) -> None:
    with serving(folder) as (server, address):
        found = run_in(folder, PLAYER, "match", "game.kif", address, "legal", *CLOCKS)
        assert "ann" in found
        server.terminate()
        log = server.communicate()[0]
    assert server.returncode == 0
    assert "hostile" not in log
    assert "Traceback" not in log
    assert " died" not in log


@pytest.mark.thorough
def test_a_tournament_plays_a_match(folder: Path) -> None:
    results = folder / "results.jsonl"
    flags = ("--game", "game.kif", *CLOCKS, "--output", results)
    run_in(folder, PLAYER, "tournament", *flags, "legal", "random")
    matches = results.read_text().splitlines()[1:]
    assert len(matches) == 2
    for match in matches:
        assert '"failure":""' in match
        assert '"warnings":[]' in match


async def test_the_server_warms_up_the_code_that_it_runs(
    folder: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours = tmp_path_factory.mktemp("ours")
    (ours / "ggp_player").mkdir()
    (ours / "ggp_player" / "__init__.py").touch()
    told = ours / "told"
    source = f"import sys; open({str(told)!r}, 'w').write(' '.join(sys.argv[1:]))"
    (ours / "ggp_player" / "__main__.py").write_text(source)
    monkeypatch.syspath_prepend(ours)
    monkeypatch.chdir(folder)
    monkeypatch.setattr(warm_up_process, "is_warm", lambda: told.exists())
    await warm_up_process.ensure_warm(Health())
    assert told.read_text() == "warm-up --until-closed"
