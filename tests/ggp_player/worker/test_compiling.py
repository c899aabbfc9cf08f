"""What all matches share is compiled once, and nobody believes it is before it is."""

from __future__ import annotations

import itertools
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from gdl.code_cache import cached_files
from ggp_player.strategies.engine_strategy import KERNELS
from ggp_player.worker import compiling


def is_missed(file: Path) -> bool:
    """Whether the searches are not warm while a file of the cache is away."""
    away = file.rename(file.with_suffix(".away"))
    missed = not compiling.is_warm()
    away.rename(file)
    return missed


@dataclass(frozen=True)
class Filled:
    """A cache that was filled from nothing, and what was said meanwhile."""

    folder: Path
    lines: list[str]
    was_warm: bool


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Filled:
    """The cache, filled once for all tests; KERNELS has to be told to forget what it has loaded."""
    folder, lines = tmp_path_factory.mktemp("cache"), list[str]()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GDL_CACHE", str(folder))
        KERNELS.forget()
        was_warm = compiling.is_warm()
        compiling.warm_up_searches(lines.append)
    return Filled(folder, lines, was_warm)


@pytest.mark.thorough
def test_warming_up_fills_the_cache_and_says_what_it_does(
    filled: Filled, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GDL_CACHE", str(filled.folder))
    lines = [*filled.lines]
    assert not filled.was_warm
    assert compiling.is_warm()
    assert [line.partition(" after")[0] for line in lines] == [
        "compiling the kernels of the engine",
        "compiling the kernels of the searches",
        "the searches are warm",
    ]
    assert sum(map(is_missed, [file for file, _, _ in cached_files()])) == 4
    lines.clear()
    compiling.warm_up_searches(lines.append)
    assert len(lines) == 1


@pytest.mark.thorough
def test_damaged_code_is_compiled_anew(
    filled: Filled, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GDL_CACHE", str(tmp_path / "cache"))
    shutil.copytree(filled.folder, tmp_path / "cache")
    KERNELS.forget()
    assert compiling.is_warm()
    whole = {file: file.read_bytes() for file, _, _ in cached_files()}
    largest = max(whole, key=lambda file: len(whole[file]))  # takes the longest to be made again
    damaged = whole.keys() - {largest}
    for file, damage in zip(
        damaged, itertools.cycle((b"", b"cut short", bytes(100))), strict=False
    ):
        file.write_bytes(damage)
    assert not compiling.is_warm()
    KERNELS.forget()
    compiling.warm_up_searches()
    assert compiling.is_warm()
    assert all(file.read_bytes() == code for file, code in whole.items())


WARMING = """
from ggp_player.cli import cache
cache.warm_up_searches = lambda report: {work}
from ggp_player.cli.commands.cache import warm_up_command
warm_up_command(["--until-closed"])
"""


def test_a_process_that_has_warmed_up_ends_in_peace_while_its_input_is_open() -> None:
    command = [sys.executable, "-c", WARMING.format(work="report('done')")]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, text=True, stdin=pipe, stdout=pipe, stderr=pipe) as process:
        assert process.wait() == 0
        assert process.stdout is not None
        assert process.stdout.read() == "done\n"
        assert process.stderr is not None
        assert process.stderr.read() == ""


def test_a_process_that_warms_up_ends_when_its_input_does() -> None:
    command = [
        sys.executable,
        "-c",
        WARMING.format(work="compiling.threading.Event().wait()"),
    ]
    done = subprocess.run(command, input=b"", capture_output=True, check=False)
    assert done.returncode == 1
