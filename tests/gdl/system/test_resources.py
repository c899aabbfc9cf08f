"""Processors and memory, and what is said of them where the system does not tell."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
from pathlib import Path

import pytest

from gdl.system import (
    address_space_limit,
    available_cpus,
    available_memory,
    boot_instant,
    child_cpu_seconds,
    cpu_quota,
    limit_helper,
    limit_memory,
    load_average,
    peak_memory,
    raise_open_files_limit,
    resident_memory,
    resources,
    yield_address,
)
from tests.support.programs import printed_by


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not tell")
def test_the_memory_of_a_process() -> None:
    assert 2**20 < resident_memory(os.getpid()) < 2 * peak_memory()
    assert resident_memory(2**30) == 0


KEEPING = """
import os
from gdl.system import resident_memory, return_large_blocks
{first}
blocks, small, before = [], [], resident_memory(os.getpid())
for _ in range(20):
    blocks.append(b"x" * 8_000_000)
    del blocks[0]
    small.append(b"x" * 100_000)
blocks = [b"x" * 8_000_000 for _ in range(20)]
small.append(b"x" * 100_000)
blocks.clear()
print(resident_memory(os.getpid()) - before)
"""
"""Takes blocks that are large, with small ones after them, and says what it has kept."""


@pytest.mark.thorough
@pytest.mark.skipif(sys.platform != "linux", reason="other systems are left as they are")
def test_large_blocks_go_back_to_the_system() -> None:
    def kept(first: str) -> int:
        return int(printed_by(KEEPING.format(first=first)))

    assert kept("return_large_blocks()") < 10_000_000 < 100_000_000 < kept("")


def test_cpus(monkeypatch: pytest.MonkeyPatch) -> None:
    assert available_cpus() == len(os.sched_getaffinity(0))
    monkeypatch.delattr(os, "sched_getaffinity")
    assert available_cpus() == os.cpu_count()
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert available_cpus() == 1


def test_the_function_that_yields() -> None:
    address = yield_address()
    assert address == yield_address()
    assert ctypes.CFUNCTYPE(ctypes.c_int)(address)() == 0


def test_no_function_that_yields(monkeypatch: pytest.MonkeyPatch) -> None:
    def needs_a_name(_name: object) -> None:
        raise TypeError("a library needs a name")

    monkeypatch.setattr(ctypes, "CDLL", needs_a_name)
    assert yield_address() == 0


def test_free_memory(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    of_machine = available_memory()
    assert of_machine is None or 10**7 < of_machine < 10**13
    limit, used = tmp_path / "max", tmp_path / "current"
    monkeypatch.setattr(resources, "CONTROL_GROUP_FILES", ((str(limit), str(used)),))
    limit.write_text("5000\n")
    used.write_text("2000\n")
    assert available_memory() == 3000
    limit.write_text("max\n")
    monkeypatch.setattr(resources, "_memory_of_machine", lambda what: 7000)
    assert available_memory() == 7000


@pytest.mark.parametrize(
    ("texts", "quota"),
    [
        (["150000 100000\n"], 1.5),
        (["max 100000\n"], None),
        (["-1\n", "100000\n"], None),
        ([""], None),
    ],
)
def test_the_cpu_time_of_a_container(
    texts: list[str], quota: float | None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for number, text in enumerate(texts):
        (tmp_path / str(number)).write_text(text)
    files = tuple(str(tmp_path / str(number)) for number in range(len(texts)))
    monkeypatch.setattr(resources, "CPU_QUOTA_FILES", (("/none",), files))
    assert cpu_quota() == quota


LIMITED = """
from gdl.system import limit_memory
from gdl.system import address_space_limit
limit_memory(10**9)
limit_memory(2 * 10**9)
assert address_space_limit() == 10**9, "the first limit stays"
try:
    bytearray(10**9)
except MemoryError:
    print("limited")
"""


def test_memory_is_limited() -> None:
    assert printed_by(LIMITED) == "limited\n"


HELPER = """
import resource
from gdl.system import limit_helper
resource.setrlimit(resource.RLIMIT_CPU, (20, 21))
limit_helper(10**9, 30)
for name in ("AS", "CPU", "NOFILE", "NPROC", "CORE"):
    print(name, *resource.getrlimit(getattr(resource, f"RLIMIT_{name}")))
"""


def test_a_helper_is_limited_and_stricter_limits_stay() -> None:
    assert printed_by(HELPER).splitlines() == [
        "AS 1000000000 1000000000",
        "CPU 20 21",
        f"NOFILE {resources.HELPER_FILES} {resources.HELPER_FILES}",
        "NPROC 0 0",
        "CORE 0 0",
    ]


def test_a_limit_that_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []
    before = address_space_limit()

    def refuse(*limit: object) -> None:
        asked.append(limit)
        raise ValueError("current limit exceeds maximum limit")

    monkeypatch.setattr("resource.setrlimit", refuse)
    limit_memory(2**40)
    assert len(asked) == 1
    assert address_space_limit() == before


def test_use_is_measured() -> None:
    subprocess.run([sys.executable, "-c", "sum(range(10**6))"], check=True)
    assert child_cpu_seconds() > 0
    assert 10**6 < peak_memory() < 10**12
    load = load_average()
    assert load is not None
    assert load >= 0


def test_a_system_without_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resources, "resource", None)
    monkeypatch.delattr(os, "getloadavg")
    limit_memory(2**40)
    assert (address_space_limit(), peak_memory(), child_cpu_seconds()) == (None, 0, 0.0)
    assert load_average() is None
    limit_helper(2**40, 1)


FILES = """
import resource
from gdl.system import raise_open_files_limit

resource.setrlimit(resource.RLIMIT_NOFILE, (100, 300))
print(raise_open_files_limit(50), raise_open_files_limit(200), raise_open_files_limit(999))
print(resource.getrlimit(resource.RLIMIT_NOFILE)[0])
"""


def test_the_limit_of_open_files_is_raised_as_far_as_it_can_be() -> None:
    assert printed_by(FILES).split() == ["100", "200", "300", "300"]


def test_no_limit_of_open_files(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resources, "resource", None)
    assert raise_open_files_limit(7) == 7


@pytest.mark.skipif(not Path(resources.BOOT_FILE).exists(), reason="there is no such file")
def test_the_seconds_of_a_start_of_the_machine_grow() -> None:
    first, second = boot_instant(), boot_instant()
    assert first is not None
    assert second is not None
    assert first[0] == second[0] != ""
    assert 0 < first[1] <= second[1]


def test_it_is_not_known_everywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resources, "BOOT_FILE", "/nowhere")
    assert boot_instant() is None
