"""A process that we start imports what we import, whatever the current folder holds."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import gdl
from gdl.system import child_environment, children_import_our_code
from tests.support.hostile_folder import run_in, write_hostile_modules
from tests.support.paths import GAMES
from tests.support.programs import printed_by

GAME = GAMES / "ticTacToe.kif"

TELL = "import json, sys; print(json.dumps(sys.path))"


def test_a_child_has_our_search_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", ["relative", "", *sys.path])
    found = json.loads(printed_by(TELL))
    ours = [str(tmp_path / "relative"), str(tmp_path), *sys.path[2:]]
    assert found[: len(ours)] == list(dict.fromkeys(ours))


WORKERS = """
import json, sys
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from gdl.system import children_import_our_code
with children_import_our_code():
    pool = ProcessPoolExecutor(1, get_context(sys.argv[1]))
    path = pool.submit(eval, "__import__('sys').path")
    file = pool.submit(eval, "__import__('gdl').__file__")
with pool:
    print(json.dumps([path.result() == sys.path, file.result()]))
"""


@pytest.mark.parametrize("method", ["spawn", "forkserver"])
def test_workers_of_multiprocessing_have_our_code(method: str, tmp_path: Path) -> None:
    found = run_in(write_hostile_modules(tmp_path), WORKERS, method)
    assert json.loads(found) == [True, gdl.__file__]


def test_the_environment_is_ours_again_afterwards(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", "somewhere")
    monkeypatch.delenv("PYTHONSAFEPATH", raising=False)
    before = dict(os.environ)
    with children_import_our_code():
        assert os.environ["PYTHONPATH"] != "somewhere"
        assert os.environ["PYTHONSAFEPATH"] == "1"
    assert dict(os.environ) == before


def test_a_folder_that_cannot_be_named_in_the_environment_is_left_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sys, "path", [f"/one{os.pathsep}two", "/three"])
    assert child_environment()["PYTHONPATH"] == str(Path("/three").absolute())


COMPILE = """
import gdl
from gdl.native_code import compile_in_isolation
machine = gdl.compile(gdl.load(sys.argv[1]))
compile_in_isolation("define void @f() { ret void }")
print(gdl.__file__, gdl.perft(machine, 2))
"""

BENCH = "from gdl.__main__ import main; main()"


def test_a_game_is_grounded_and_compiled_in_a_hostile_folder(tmp_path: Path) -> None:
    assert run_in(write_hostile_modules(tmp_path), COMPILE, GAME).split() == [gdl.__file__, "72"]


def test_games_are_measured_in_a_hostile_folder(tmp_path: Path) -> None:
    flags = ("--machine", "reasoner", "--seconds", "0.01", "--repetitions", "1", "--json")
    found = run_in(write_hostile_modules(tmp_path), BENCH, "bench", GAME, *flags)
    assert [game["game"] for game in json.loads(found)["games"]] == ["ticTacToe"]


PROGRAM = """
import sys
from multiprocessing import get_context
from gdl.system import main_module_hidden
print("runs", flush=True)
context = get_context(sys.argv[1])
process = context.Process(target=print, args=("child",))
with main_module_hidden():
    process.start()
process.join()
sys.exit(process.exitcode)
"""


@pytest.mark.parametrize("method", ["spawn", "forkserver"])
def test_a_program_without_a_guard_does_not_run_anew(method: str, tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    done = subprocess.run(
        [sys.executable, program, method], env=child_environment(), capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert sorted(done.stdout.split()) == ["child", "runs"]
