"""What commands that print results share: their console, and how they end."""

from __future__ import annotations

import math
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from rich.console import Console

from ggp_player.clock import Clock, monotonic

CONCLUDING_SECONDS = 5.0
"""How long a command that was interrupted may write down what it has, before it can be again."""


def result_console(pipe_width: int = 160, *, stderr: bool = False, wraps: bool = True) -> Console:
    """The console for results: plain text, in ``pipe_width`` columns where it is no terminal."""
    console = Console(
        highlight=False, markup=False, emoji=False, stderr=stderr, soft_wrap=not wraps
    )
    if not console.is_terminal:
        console.width = pipe_width
    return console


@contextmanager
def interrupted_once(clock: Clock = monotonic) -> Iterator[None]:
    """Have SIGINT and SIGTERM raise KeyboardInterrupt here, and not again while that is handled.

    Ctrl-C goes to all processes of a terminal, and whoever has started one may pass it on, or press
    the keys twice: what is to be written then is written once. After :data:`CONCLUDING_SECONDS`
    another signal counts. One that is ignored, as SIGINT is in the background, stays so.
    """
    last = -math.inf

    def interrupt(_number: int, _frame: FrameType | None) -> None:
        nonlocal last
        if clock() < last + CONCLUDING_SECONDS:
            return
        last = clock()
        raise KeyboardInterrupt

    numbers = (signal.SIGINT, signal.SIGTERM)
    before = {number: signal.getsignal(number) for number in numbers}
    heard = [number for number, handler in before.items() if handler is not signal.SIG_IGN]
    for number in heard:
        signal.signal(number, interrupt)
    try:
        yield
    finally:
        for number in heard:
            signal.signal(number, before[number])
