"""What commands that print results share: their console, and how they end."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import NoReturn

from rich.console import Console

INTERRUPTED = 128 + signal.SIGINT
"""The exit status after Ctrl-C, by the convention of shells."""


def result_console(pipe_width: int = 160, *, stderr: bool = False, wraps: bool = True) -> Console:
    """The console for results: plain text, in ``pipe_width`` columns where it is no terminal."""
    console = Console(
        highlight=False, markup=False, emoji=False, stderr=stderr, soft_wrap=not wraps
    )
    if not console.is_terminal:
        console.width = pipe_width
    return console


@contextmanager
def sigterm_as_ctrl_c() -> Iterator[None]:
    """Have SIGTERM raise KeyboardInterrupt here, so that it loses no more than Ctrl-C does."""

    def interrupt(_number: int, _frame: FrameType | None) -> NoReturn:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
