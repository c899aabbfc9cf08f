"""What happens, for whoever follows: each has a queue, and one that does not read is cut off."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from pydantic_core import to_json

from ggp_player.clock import WallClock, wall_clock

MAX_WAITING = 2_000
"""Items that wait for a reader before it is cut off."""


class News:
    """Hands every item to all who follow, as JSON with its ``kind``, ``time`` and number."""

    def __init__(self, now: WallClock = wall_clock) -> None:
        self._now = now
        self._queues: set[asyncio.Queue[bytes | None]] = set()
        self._count = 0

    def publish(self, kind: str, **values: object) -> None:
        """Tell all who follow."""
        self._count += 1
        if not self._queues:
            return
        item: Mapping[str, object] = {
            "kind": kind,
            "number": self._count,
            "time": self._now(),
            **values,
        }
        line = to_json(item)
        for queue in list(self._queues):
            if queue.qsize() >= MAX_WAITING:
                self._queues.discard(queue)
                queue.put_nowait(None)
            else:
                queue.put_nowait(line)

    @contextmanager
    def follow(self) -> Iterator[asyncio.Queue[bytes | None]]:
        """Yield a queue of items, with None at the end."""
        queue: asyncio.Queue[bytes | None] = asyncio.Queue()
        self._queues.add(queue)
        try:
            yield queue
        finally:
            self._queues.discard(queue)

    def close(self) -> None:
        """End all queues."""
        for queue in self._queues:
            queue.put_nowait(None)
        self._queues.clear()
