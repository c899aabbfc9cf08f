"""Helpers for tests of the commands that play: rules, clocks, an address, and a process."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from click.testing import CliRunner, Result

from ggp_player.__main__ import main
from tests.support.paths import ROOT

TWO_STEPS = """
(role ann) (role random) (role bob) (init (step 0))
(succ 0 1) (succ 1 2)
(<= (legal ?r (say ?w)) (role ?r) (word ?w)) (word yes) (word no)
(<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
(<= terminal (true (step 2)))
"""
"""A game of two steps without its goals, which each test adds."""

CLOSED = "127.0.0.1:1"
"""An address at which no server listens."""

CLOCKS = ("--start-clock", "2", "--play-clock", "1")


def run(command: str, *arguments: object) -> Result:
    """Run a command that plays, with short clocks unless the arguments say otherwise."""
    return CliRunner().invoke(main, [command, *CLOCKS, *map(str, arguments)])


def output_of(result: Result, status: int = 0) -> str:
    """What a command has printed, which is to end with this status."""
    assert result.exit_code == status, result.output
    return result.output


@contextmanager
def serving_pages(*command: str, code: str = "") -> Iterator[str]:
    """Run ``ggp-player`` without an archive, or other code; yield the address that it prints.

    It ends without an error: ``play`` upon Ctrl-C, anything else by itself.
    """
    process = subprocess.Popen(
        [sys.executable, *(("-c", code) if code else ("-m", "ggp_player")), *command],
        cwd=ROOT,
        env={**os.environ, "GGP_PLAYER_NO_ARCHIVE": "1", "PYTHONUNBUFFERED": "1"},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    try:
        yield next(line.split()[-1] for line in process.stdout if "http://" in line)
        if command[0] == "play":
            process.send_signal(signal.SIGINT)
        assert process.wait(20) == 0
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


@contextmanager
def running(
    command: str, *arguments: object, in_background: bool = False
) -> Iterator[subprocess.Popen[str]]:
    """Run such a command in a process of its own, whose standard output can be read by lines.

    ``in_background`` it ignores SIGINT, as a shell has it; else not, wherever the tests run.
    """
    handler = signal.SIG_IGN if in_background else signal.SIG_DFL
    with subprocess.Popen(
        [sys.executable, "-m", "ggp_player", command, *CLOCKS, *map(str, arguments)],
        cwd=ROOT,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, handler),
    ) as process:
        yield process
