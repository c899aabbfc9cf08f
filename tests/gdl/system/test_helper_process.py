"""A helper answers lines within its bounds; one that dies, floods or hangs is ended."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager

import pytest

from gdl.system import has_ended
from gdl.system.helper_process import HelperProcess, answer_lines, begin_helper, helper_command

ECHO = "for line in iter(input, ''): print(line, flush=True)"

LONG = b"x" * 2**20 + b"\n"
"""A line that no pipe takes at once."""

SECONDS = 60.0
"""For what takes no time, on a machine that does much else."""


@contextmanager
def running(program: str) -> Iterator[HelperProcess]:
    with closing(HelperProcess([sys.executable, "-c", program])) as helper:
        yield helper


def ask(
    helper: HelperProcess, line: bytes, seconds: float = SECONDS, most: int = 2 * len(LONG)
) -> bytes:
    return helper.ask(line, seconds, most)


def test_lines_come_back_whole() -> None:
    with running(ECHO) as helper:
        for line in (b"short\n", LONG, b"again\n"):
            assert ask(helper, line) == line
        assert helper.is_alive


def test_no_thread_is_started(monkeypatch: pytest.MonkeyPatch) -> None:
    def start(_: threading.Thread) -> None:
        raise MemoryError

    with running(ECHO) as helper:
        monkeypatch.setattr(threading.Thread, "start", start)
        assert ask(helper, b"line\n") == b"line\n"


@pytest.mark.parametrize("line", [b"short\n", LONG])
def test_one_that_hangs_is_ended(line: bytes) -> None:
    with running("import time; time.sleep(600)") as helper:
        with pytest.raises(TimeoutError):
            ask(helper, line, seconds=0.05)
        assert not helper.is_alive


def test_one_that_floods_is_ended() -> None:
    with running("while True: print('x' * 1000, end='')") as helper:
        with pytest.raises(ValueError, match="at most 1,000 bytes"):
            ask(helper, b"line\n", most=1000)
        assert not helper.is_alive


@pytest.mark.parametrize("program", ["", "input()", "input(); print('a', end='')"])
def test_one_that_dies(program: str) -> None:
    with running(program) as helper:
        with pytest.raises(ConnectionError):
            ask(helper, b"line\n")
        assert not helper.is_alive
        with pytest.raises(OSError, match="Bad file descriptor"):
            ask(helper, b"line\n")


def test_a_program_that_cannot_be_started() -> None:
    with pytest.raises(FileNotFoundError):
        HelperProcess(["/nowhere/at/all"])


def tell() -> None:
    """Answer each line with what the process was told, and how nice it is."""
    arguments = begin_helper(2**31, 7)
    answer_lines(lambda line: f"{line.strip()!r} {arguments} {os.nice(0)}\n".encode())


def test_a_helper_is_told_its_arguments_and_goes_behind_others() -> None:
    with closing(HelperProcess(helper_command(tell, "a b", "'"))) as helper:
        for line in (b"first", b"second"):
            told = f"{line!r} {['a b', chr(39)]} {min(19, os.nice(0) + 7)}\n"
            assert ask(helper, line + b"\n").decode() == told


def take_all() -> None:
    begin_helper(2**30)
    answer_lines(lambda _: bytes(2**31))


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not limit it")
def test_a_helper_has_no_more_memory_than_it_is_given() -> None:
    with (
        closing(HelperProcess(helper_command(take_all))) as helper,
        pytest.raises(ConnectionResetError),
    ):
        ask(helper, b"line\n")


def end_first() -> None:
    """Answer with the process id of a helper of one's own, which is left alone."""
    begin_helper(2**32)
    helper = HelperProcess(helper_command(tell))
    ask(helper, b"line\n")
    answer_lines(lambda _: b"%d\n" % helper.process.pid)


def test_a_helper_ends_with_its_parent() -> None:
    with closing(HelperProcess(helper_command(end_first))) as helper:
        pid = int(ask(helper, b"line\n"))
    end = time.monotonic() + SECONDS
    while not has_ended(pid):
        assert time.monotonic() < end
        time.sleep(0.01)
