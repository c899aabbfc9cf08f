"""What all matches share is compiled once, and nobody believes it is before it is."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from gdl.engine import jit
from ggp_player import strategies
from ggp_player.worker import warm_up


@pytest.fixture(autouse=True)
def _forget_folders() -> Iterator[None]:
    yield
    jit.code_folder.cache_clear()


def test_a_mark_says_that_everything_is_compiled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GDL_CACHE", str(tmp_path))
    monkeypatch.setattr(warm_up, "COMPILED", {})
    monkeypatch.setattr(warm_up, "_recycle", lambda: None)
    jit.code_folder.cache_clear()
    assert not warm_up.is_warm()
    warm_up.warm_up_searches()
    assert warm_up.is_warm()
    next(tmp_path.glob("numba/*/warm-*")).unlink()
    assert not warm_up.is_warm()


def test_the_mark_of_another_installation_says_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GDL_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(warm_up, "COMPILED", {})
    monkeypatch.setattr(warm_up, "_recycle", lambda: None)
    monkeypatch.setattr(warm_up, "warm_up_kernels", lambda: None)
    monkeypatch.setattr(warm_up, "kernels_are_warm", lambda: True)
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("x = 1")
        monkeypatch.setattr(strategies, "__file__", str(tmp_path / name / "__init__.py"))
        jit.code_folder.cache_clear()
        assert not warm_up.is_warm()
        warm_up.warm_up_searches()
        assert warm_up.is_warm()
    os.utime(tmp_path / "other" / "__init__.py", (1, 1))
    assert not warm_up.is_warm(), "written anew"


def test_where_the_cache_cannot_be_written_another_folder_is_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("GDL_CACHE", str(tmp_path / "file" / "cache"))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    jit.code_folder.cache_clear()
    folder = jit.code_folder(Path(jit.__file__).parent)
    assert folder.parent.parent == tmp_path
    assert folder.parent.stat().st_mode & 0o777 == 0o700
    folder.parent.chmod(0o777)
    jit.code_folder.cache_clear()
    assert jit.code_folder(Path(jit.__file__).parent).parent == tmp_path


def test_other_source_is_kept_elsewhere(tmp_path: Path) -> None:
    file = tmp_path / "kernels.py"
    file.write_text("one = 1")
    first = jit.source_digest(tmp_path)
    assert jit.source_digest(tmp_path) == first
    file.write_text("one = 2")
    assert jit.source_digest(tmp_path) != first


def test_every_strategy_with_kernels_is_run() -> None:
    specs = [spec for specs in warm_up.COMPILED.values() for spec in specs]
    assert {spec.partition(":")[0] for spec in specs} == {
        "mcts",
        "uct",
        "enumeration",
        "proof",
        "planner",
    }


WARMING = """
from ggp_player.cli import warm_up
warm_up.warm_up_searches = lambda: {work}
warm_up.warm_up_command(["--until-closed"])
"""


def test_a_process_that_has_warmed_up_ends_in_peace_while_its_input_is_open() -> None:
    command = [sys.executable, "-c", WARMING.format(work="None")]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, text=True, stdin=pipe, stdout=pipe, stderr=pipe) as process:
        assert process.wait() == 0
        assert process.stdout is not None
        assert process.stdout.read().startswith("compiled in ")
        assert process.stderr is not None
        assert process.stderr.read() == ""


def test_a_process_that_warms_up_ends_when_its_input_does() -> None:
    command = [
        sys.executable,
        "-c",
        WARMING.format(work="warm_up.threading.Event().wait()"),
    ]
    done = subprocess.run(command, input=b"", capture_output=True, check=False)
    assert done.returncode == 1
