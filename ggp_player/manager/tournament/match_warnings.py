"""The warnings of one match, told from those of the matches beside it."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

MAX_WARNINGS = 20
"""How many warnings of a match are kept."""

_kept: ContextVar[list[str] | None] = ContextVar("_kept", default=None)


class _Keeper(logging.Handler):
    """Files each warning under the match in whose task, or a task that it began, it arises."""

    def emit(self, record: logging.LogRecord) -> None:
        kept = _kept.get()
        if kept is not None and len(kept) < MAX_WARNINGS:
            kept.append(record.getMessage())


@contextmanager
def keeping_warnings() -> Iterator[None]:
    """Let warnings be kept for the time of the context."""
    keeper = _Keeper(logging.WARNING)
    root = logging.getLogger()
    root.addHandler(keeper)
    try:
        yield
    finally:
        root.removeHandler(keeper)


@contextmanager
def warnings_of_match() -> Iterator[list[str]]:
    """Yield a list that gets the warnings of this task and of the tasks it begins."""
    kept: list[str] = []
    token = _kept.set(kept)
    try:
        yield kept
    finally:
        _kept.reset(token)
