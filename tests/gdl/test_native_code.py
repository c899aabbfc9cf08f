"""Native code comes from the cache on disk, from LLVM, or from LLVM in another process."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from gdl import native_code as native_code_module
from gdl.native_code import NativeCode, compile_in_isolation, compile_source, native_code
from gdl.system import child_environment
from tests.support.programs import printed_by

FUNCTION = "define i64 @answer() {\n  ret i64 42\n}"


def call(code: NativeCode) -> int:
    return ctypes.CFUNCTYPE(ctypes.c_int64)(code.address("answer"))()


def test_a_function_that_is_not_there_has_no_address(empty_cache: Path) -> None:
    with pytest.raises(KeyError, match="question"):
        native_code("key", lambda: FUNCTION).address("question")


def test_code_comes_from_the_cache_the_second_time(empty_cache: Path) -> None:
    asked = []

    def source() -> str:
        asked.append(1)
        return FUNCTION

    assert call(native_code("key", source)) == 42
    assert call(native_code("key", source)) == 42
    assert len(asked) == 1
    assert call(native_code("another key", source)) == 42
    assert len(asked) == 2
    assert len(list(empty_cache.iterdir())) == 2


@pytest.mark.parametrize("kept", [0, 1, 40, -1])
def test_damaged_files_in_the_cache_are_made_anew(empty_cache: Path, kept: int) -> None:
    native_code("key", lambda: FUNCTION)
    (file,) = empty_cache.iterdir()
    whole = file.read_bytes()
    file.write_bytes(whole[:kept])
    assert call(native_code("key", lambda: FUNCTION)) == 42
    assert file.read_bytes() == whole


def test_a_flipped_bit_in_the_cache_is_noticed(empty_cache: Path) -> None:
    native_code("key", lambda: FUNCTION)
    (file,) = empty_cache.iterdir()
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 1
    file.write_bytes(data)
    assert call(native_code("key", lambda: FUNCTION)) == 42


def test_code_is_made_without_a_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    in_the_way = tmp_path / "file"
    in_the_way.write_text("not a empty_cache")
    monkeypatch.setenv("GDL_CACHE", str(in_the_way))
    assert call(native_code("key", lambda: FUNCTION)) == 42


@pytest.mark.parametrize("compiler", [compile_source, compile_in_isolation])
def test_llvm_refuses_nonsense(compiler: Callable[[str], bytes]) -> None:
    with pytest.raises(RuntimeError, match="expected"):
        compiler("define nonsense")


def test_a_compiler_whose_parent_has_ended_before_does_nothing() -> None:
    command = [sys.executable, native_code_module.__file__, str(os.getppid())]
    done = subprocess.run(
        command, input=FUNCTION.encode(), env=child_environment(), capture_output=True, check=False
    )
    assert (done.returncode, done.stdout) == (1, b"")


def test_another_process_makes_the_same_code() -> None:
    assert compile_in_isolation(FUNCTION) == compile_source(FUNCTION)


WORKING = """
import atexit, threading
from gdl import native_code
has_begun, is_ending = threading.Event(), threading.Event()
def work(effort):
    has_begun.set()
    is_ending.wait()
    print(sum(range(10**6)), flush=True)
    raise SystemExit
native_code._target = work
atexit.register(is_ending.set)
threading.Thread(target=native_code.compile_source, args=[""], daemon=True).start()
has_begun.wait()
"""


def test_a_process_ends_when_llvm_has_done_its_work_in_another_thread() -> None:
    assert int(printed_by(WORKING)) == sum(range(10**6))


def test_a_process_that_ends_early_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    killed = tmp_path / "killed"
    killed.write_text("#!/bin/sh\nkill -KILL $$\n")
    killed.chmod(0o700)
    monkeypatch.setattr(sys, "executable", str(killed))
    with pytest.raises(RuntimeError, match="LLVM ended with -9"):
        compile_in_isolation(FUNCTION)
