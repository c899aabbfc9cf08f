"""Every command of the README and of the documents runs, in an installation by the README's line.

The guide to writing a strategy has a test of its own, as it begins in an empty folder.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from tests.support.documents import shell_commands
from tests.support.paths import ROOT

DOCUMENTS = [
    ROOT / "README.md",
    *(path for path in sorted((ROOT / "docs").glob("*.md")) if path.name[:8] != "writing_"),
]

COMMANDS = list(dict.fromkeys(command for path in DOCUMENTS for command in shell_commands(path)))

EXCEPTIONS: Mapping[str, str] = {
    r"python3 -m venv .*/pytest -n 4": "this is how the tests themselves are run",
    r"git clone .*": "needs the network",
    r"gdl bench .* --baselines.*": "needs the cloned repositories",
    r"pip install -q 'ggp-player\[rl\]'": "needs the network",
    r"(DOCKER_BUILDKIT=1 )?docker .*": "needs Docker",
    r"apt-get install .*": "needs the network, and is for root",
    r"debootstrap .*": "needs the network, and is for root",
    r"tar -C base .* \| docker import .*": "needs Docker",
    r"python docs/examples/learn_a_game\.py .*": "takes minutes, and needs the extra rl",
    r"python -m tests\.(attack|fuzz|load).*": "takes minutes, and needs the tests",
    r"python -m tests\.support\.catalogues .*": "needs the tests",
    r"python -m benchmarks\..*": "takes minutes, and needs packages of others",
    r"python -m tests\.hidden_information.*": "takes minutes, and needs the tests",
    r"gdl bench games --seconds 0\.3 .*": "takes minutes",
    r"ggp-player lab duel auto:.*": "takes minutes",
    r"ggp-player learn .* --time \d+m .*": "takes minutes",
    r"(\.venv/bin/)?ggp-player play \w+.*": "goes on until it is left",
    r"ggp-player match .* human(:page)? .*": "waits for a person",
    r"ggp-player manager( --.*)?": "goes on until it is stopped",
    r"ggp-player serve .*--register .*": "goes on until it is stopped",
    r"ggp-player manager name release .*": "needs a name that a player has taken by its token",
    r"curl .*": "asks a manager that runs",
    r"ggp-player manager event .*": "asks a manager that runs",
}
"""Commands that are not run, as regular expressions, and why."""

NEEDS_EXTRA: Mapping[str, str] = {
    r"python -m ggp_player\.worker\.kernel_build": "ggp-player[kernels]",
    r"gdl playout .* --format parquet .*": "ggp-player[parquet]",
    r"gdl playout .* --ray local": "ggp-player[ray]",
    r"ggp-player tournament .* --ray local .*": "ggp-player[ray]",
    r"gdl bench .* --plot speed\.svg": "ggp-player[plot]",
    r"ggp-player learn .* --plot \S+\.svg": "ggp-player[plot]",
    r"ggp-player learn .* --ray local": "ggp-player[ray]",
    r"gdl bench .* --env.*": "ggp-player[rl]",
}
"""Commands that end with a sentence which names the extra that they need."""

INSTALL = next(command for command in COMMANDS if command.endswith(".venv/bin/ggp-player serve"))

SOURCES = ("gdl", "ggp_player", "games", "docs", "pyproject.toml", "README.md", "LICENSE")


def _which(patterns: Mapping[str, str], command: str) -> str | None:
    return next((p for p in patterns if re.fullmatch(p, command)), None)


def test_no_exception_is_stale() -> None:
    used = {_which(patterns, c) for c in COMMANDS for patterns in (EXCEPTIONS, NEEDS_EXTRA)}
    assert used - {None} == {*EXCEPTIONS, *NEEDS_EXTRA}
    assert not any(_which(EXCEPTIONS, c) and _which(NEEDS_EXTRA, c) for c in COMMANDS)


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the sources, with an environment made by the README's own line."""
    folder = tmp_path_factory.mktemp("checkout")
    for name in SOURCES:
        source, copy = ROOT / name, folder / name
        if source.is_dir():
            shutil.copytree(source, copy, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, copy)
    steps, _, serve = INSTALL.rpartition(" && ")
    assert serve == ".venv/bin/ggp-player serve"
    run(steps, folder)
    return folder


def environment(folder: Path) -> dict[str, str]:
    """The environment in which ``.venv`` is active, and ours is not."""
    path = [str(folder / ".venv" / "bin"), str(Path(sys.executable).parent), os.environ["PATH"]]
    kept = {k: v for k, v in os.environ.items() if k not in {"PYTHONPATH", "VIRTUAL_ENV"}}
    return {**kept, "PATH": os.pathsep.join(path), "PYTHONUNBUFFERED": "1"}


def run(command: str, folder: Path, fails: bool = False) -> str:
    done = subprocess.run(
        ["bash", "-c", command], cwd=folder, env=environment(folder), capture_output=True, text=True
    )
    assert bool(done.returncode) == fails, done.stdout + done.stderr
    return done.stdout + done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("command", [c for c in COMMANDS if not _which(EXCEPTIONS, c)])
def test_it_runs(command: str, checkout: Path) -> None:
    if command == INSTALL:
        assert "status     available" in "".join(_served(checkout))
        return
    needed = _which(NEEDS_EXTRA, command)
    if needed is None:
        run(command, checkout)
    else:
        *_, last = run(command, checkout, fails=True).splitlines()
        assert last.startswith("Error: ")
        assert f"pip install '{NEEDS_EXTRA[needed]}'" in last


def _served(folder: Path) -> Iterator[str]:
    """Start the server as the README does, ask it for INFO, and stop it."""
    programs = folder / ".venv" / "bin"
    with subprocess.Popen(
        [programs / "ggp-player", "serve", "--host", "127.0.0.1", "--port", "0"],
        cwd=folder,
        env=environment(folder),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as server:
        try:
            assert server.stdout is not None
            text = "".join(server.stdout.readline() for _ in range(4))
            port = re.search(r"127\.0\.0\.1:(\d+)\n", text)
            assert port is not None, text
            yield run(f"ggp-player info 127.0.0.1:{port[1]}", folder)
        finally:
            server.terminate()
    assert server.returncode == 0
