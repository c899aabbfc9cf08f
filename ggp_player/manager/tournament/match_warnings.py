"""Log warnings by match, while several matches are played at the same time."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

MAX_WARNINGS = 20
"""The most warnings that are kept of a match."""

_collected: ContextVar[list[str] | None] = ContextVar("_collected", default=None)


class _Collector(logging.Handler):
    """Files each warning under the match whose task, or a task started by it, has logged it."""

    def emit(self, record: logging.LogRecord) -> None:
        collected = _collected.get()
        if collected is not None and len(collected) < MAX_WARNINGS:
            collected.append(record.getMessage())


@contextmanager
def collecting_warnings() -> Iterator[None]:
    """Collect warnings while the context is open."""
    collector = _Collector(logging.WARNING)
    root = logging.getLogger()
    root.addHandler(collector)
    try:
        yield
    finally:
        root.removeHandler(collector)


@contextmanager
def warnings_of_match() -> Iterator[list[str]]:
    """Yield a list that receives the warnings of this task and of the tasks started by it."""
    collected: list[str] = []
    token = _collected.set(collected)
    try:
        yield collected
    finally:
        _collected.reset(token)
