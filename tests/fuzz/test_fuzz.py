"""What must hold of any input holds of the seeds, of what was found, and of some hundred others."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from gdl.system import memory_limit
from tests.fuzz import machines, rulesheets
from tests.fuzz.pieces import HARD
from tests.fuzz.registry import ENTRIES, findings
from tests.fuzz.session import MEMORY, Recorder
from tests.fuzz.target import Finding, Target, TooSlowError, cpu_limit, find
from tests.support.paths import ROOT

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")

IN_PROCESS = sorted({*ENTRIES} - {"http"})
"""The targets that need no server."""

INPUTS = {"rulesheets": 25, "machines": 8}
"""How many mutations are tried for the slow targets."""

MOST_INPUTS = 200


@pytest.fixture(autouse=True)
def _bounded_memory() -> Iterator[None]:
    """Let no input take more than some gigabytes: rules can ask for any amount."""
    with memory_limit(MEMORY):
        yield


def fail_on(found: Finding | None) -> None:
    if found is not None:
        pytest.fail(f"{found.data!r}\n{found.story}")


@pytest.mark.thorough
@pytest.mark.parametrize("name", IN_PROCESS)
def test_random_mutations(name: str) -> None:
    target = ENTRIES[name].load()
    random, seeds = Random(name), target.seeds()
    for _ in range(INPUTS.get(name, MOST_INPUTS)):
        data = target.mutate(random.choice(seeds), random)[: target.max_bytes]
        fail_on(find(target, data))


@pytest.mark.parametrize(
    ("name", "path"),
    [(name, path) for name in IN_PROCESS for path in findings(name)],
    ids=lambda value: value.name if isinstance(value, Path) else value,
)
def test_what_was_found_is_mended(name: str, path: Path) -> None:
    fail_on(find(ENTRIES[name].load(), path.read_bytes()))


@pytest.fixture
def room_for_frames() -> Iterator[None]:
    """As deep a stack as a command has: pytest's own frames are below that of a test."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(before + 300)
    yield
    sys.setrecursionlimit(before)


@pytest.mark.thorough
@pytest.mark.usefixtures("room_for_frames")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # a limit, dropped
@pytest.mark.parametrize("name", HARD)
def test_hard_rulesheets(name: str) -> None:
    for target in (rulesheets.TARGET, machines.TARGET):
        fail_on(find(target, HARD[name].encode()))


# ---------------------------------------------------------------------- the fuzzer itself


def fails(data: bytes) -> None:
    """Do what a target does that finds all there is to find."""
    if data.startswith(b"loop"):
        while True:
            pass
    assert not data.startswith(b"bad"), data


TARGET = Target("failing", fails, lambda: (b"good", b"bad"), lambda data, _: data, seconds=0.05)


def test_a_finding_names_where_it_was_found() -> None:
    assert find(TARGET, b"good") is None
    found = find(TARGET, b"bad")
    assert found is not None
    assert found.place.startswith("AssertionError-tests.fuzz.test_fuzz-")
    assert "AssertionError: b'bad'" in found.story


def test_an_input_that_takes_too_long_is_a_finding() -> None:
    found = find(TARGET, b"loop")
    assert found is not None
    assert found.place == "TooSlowError-tests.fuzz.test_fuzz"


def test_a_limit_within_another_ends_before_it() -> None:
    with cpu_limit(20):
        with pytest.raises(TooSlowError, match=r"^over 0\.02 s"), cpu_limit(0.02):
            fails(b"loop")
        assert 15 < signal.getitimer(signal.ITIMER_PROF)[0] < 21
    assert signal.getitimer(signal.ITIMER_PROF) == (0, 0)


def test_of_inputs_that_fail_at_one_place_the_smallest_is_kept(tmp_path: Path) -> None:
    recorder = Recorder(TARGET, tmp_path)
    for data in (b"bad, long", b"good", b"bad", b"bad, longer"):
        recorder(data)
    assert recorder.inputs == 4
    kept, story = sorted(tmp_path.iterdir())
    assert kept.read_bytes() == b"bad"
    assert story.name == f"{kept.name}.story"


# ---------------------------------------------------------------------- the command


def command(*arguments: str) -> subprocess.CompletedProcess[str]:
    line = [sys.executable, "-m", "tests.fuzz", *arguments]
    return subprocess.run(line, cwd=ROOT, capture_output=True, text=True, check=False)


@pytest.mark.thorough
def test_the_command_fuzzes_the_whole_server(tmp_path: Path) -> None:
    done = command("http", "--blind", "--seconds", "3", "--output", str(tmp_path))
    assert done.returncode == 0, done.stderr
    (row,) = (line for line in done.stdout.splitlines() if line.startswith("| http "))
    inputs, *_, count = (cell.strip() for cell in row.split("|")[2:-1])
    assert int(inputs) > 0
    assert count == "0"


def test_the_command_checks_one_input(tmp_path: Path) -> None:
    path = tmp_path / "input"
    path.write_bytes(b"( INFO )")
    done = command("messages", "--check", str(path))
    assert (done.returncode, done.stdout) == (0, "messages: nothing\n")


def test_the_command_names_its_targets() -> None:
    assert command("--list").stdout.split() == list(ENTRIES)
    unknown = command("luck")
    assert unknown.returncode == 2
    assert "there is no target luck; see --list" in unknown.stderr
