"""Watches functions while they run: each call, line and return of those that are asked for.

Apart, as it alone has to do with ``sys.settrace``.
"""

from __future__ import annotations

import sys
from collections.abc import Container, Iterator
from contextlib import contextmanager
from types import CodeType, FrameType
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from _typeshed import TraceFunction


class Watcher(Protocol):
    """What is told of the watched functions. What it raises ends the program that runs."""

    def on_call(self, frame: FrameType) -> None:
        """A function begins, or a generator goes on after a ``yield``."""

    def on_line(self, frame: FrameType) -> None:
        """The line ``frame.f_lineno`` is about to run."""

    def on_return(self, frame: FrameType, value: object) -> None:
        """A function returns, a generator yields or ends, or either is left by an exception.

        The value is None in the last two cases.
        """


class LineTracer:
    """Tells a watcher of the functions whose code is among ``codes``; others run as ever."""

    def __init__(self, codes: Container[CodeType], watcher: Watcher) -> None:
        self._codes = codes
        self._watcher = watcher

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Watch what this thread runs meanwhile."""
        before = sys.gettrace()
        sys.settrace(self._on_any_call)
        try:
            yield
        finally:
            sys.settrace(before)

    @property
    def is_watching(self) -> bool:
        """Whether it watches. Python ends that where a watcher raises, which may go unheard."""
        return sys.gettrace() == self._on_any_call

    def _on_any_call(self, frame: FrameType, event: str, value: object) -> TraceFunction | None:
        if frame.f_code not in self._codes:
            return None
        self._watcher.on_call(frame)
        return self._on_event

    def _on_event(self, frame: FrameType, event: str, value: object) -> TraceFunction:
        if event == "line":
            self._watcher.on_line(frame)
        elif event == "return":
            self._watcher.on_return(frame, value)
        return self._on_event
