"""Keeps what is wrong with inputs from being logged again and again."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def no_log(most: int = logging.CRITICAL) -> Iterator[None]:
    """Log no records up to a level meanwhile."""
    before = logging.root.manager.disable
    logging.disable(most)
    try:
        yield
    finally:
        logging.disable(before)
