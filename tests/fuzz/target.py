"""Targets of fuzzing, and findings: inputs for which something does not hold."""

from __future__ import annotations

import signal
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from random import Random
from types import FrameType

from tests.support.paths import ROOT


@dataclass(frozen=True)
class Target:
    """What is fuzzed.

    ``check`` raises whatever it likes where something does not hold of the bytes. It gets
    ``seconds`` of CPU time for each input. ``mutate`` makes a new input of one that is known,
    ``cross`` of two.
    """

    name: str
    check: Callable[[bytes], None]
    seeds: Callable[[], Sequence[bytes]]
    mutate: Callable[[bytes, Random], bytes]
    cross: Callable[[bytes, bytes, Random], bytes] | None = None
    seconds: float = 1.0
    max_bytes: int = 4096


class TooSlowError(BaseException):
    """The time of an input is over; no handler of ordinary errors may catch it."""


@dataclass
class Finding:
    """An input for which something does not hold, and what was raised."""

    data: bytes
    error: BaseException = field(repr=False)

    @property
    def place(self) -> str:
        """The kind of the error, and the last line of the checkout that it has passed."""
        frames = traceback.extract_tb(self.error.__traceback__)
        checkout = [frame for frame in frames if frame.filename.startswith(f"{ROOT}/")]
        own = [frame for frame in checkout if frame.filename != __file__]
        if not own:
            return type(self.error).__name__
        module = own[-1].filename.removeprefix(f"{ROOT}/").removesuffix(".py").replace("/", ".")
        line = "" if isinstance(self.error, TooSlowError) else f"-{own[-1].lineno}"
        return f"{type(self.error).__name__}-{module}{line}"

    @property
    def story(self) -> str:
        """The traceback."""
        return "".join(traceback.format_exception(self.error))


def find(target: Target, data: bytes) -> Finding | None:
    """Check an input; return what does not hold of it."""
    try:
        with cpu_limit(target.seconds):
            target.check(data)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        return Finding(data, error)
    return None


@contextmanager
def cpu_limit(seconds: float) -> Iterator[None]:
    """Raise :class:`TooSlowError` in this thread after so much CPU time; limits may be nested.

    Again after as much, as Python drops what is raised in a destructor or a callback.
    """
    before = signal.getsignal(signal.SIGPROF)
    outer, _ = signal.getitimer(signal.ITIMER_PROF)

    def end(_number: int, _frame: FrameType | None) -> None:
        raise TooSlowError(f"over {seconds:g} s of CPU time")

    signal.signal(signal.SIGPROF, end)
    signal.setitimer(signal.ITIMER_PROF, seconds, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
        if outer:
            signal.setitimer(signal.ITIMER_PROF, outer)
