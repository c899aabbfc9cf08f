"""The choice buffer: the best choice so far, in memory that server and search process share.

The search process writes whenever it finds something better; the server reads at the deadline.
Neither waits for the other, and either may be killed at any instant. There are two slots and a
counter: a choice is written to the slot that the counter does not point at, then the counter goes
up by one. A writer that dies leaves the other slot whole. A checksum tells a reader that was
overtaken by two writes, or by a CPU that reorders them, to read again.

::

    offset  0   uint64   counter; its parity is the slot that holds the newest choice, 0: none yet
            8   uint64   wanted: the number of the search that the server wants, 0: none
           16   uint64   whether somebody wants to know what the search thinks, 0 or 1
           24   slot 0:  uint32 checksum, uint32 length, as JSON the search's number and the choice
           24 + SLOT     slot 1
"""

from __future__ import annotations

import json
import os
import struct
import zlib
from contextlib import suppress
from dataclasses import astuple
from multiprocessing.heap import Arena
from multiprocessing.util import Finalize

from ggp_player.events import BestMove

SLOT = 2**16
"""Bytes of a slot. Moves have some dozen characters; the longest known has some hundred."""

_START = 24
_COUNTER = struct.Struct("=Q")
_SLOT_HEADER = struct.Struct("=II")
_READS = 100


class ChoiceBuffer:
    """Holds the newest :class:`.BestMove`; one process writes it, another reads it.

    It can be handed to a process of :mod:`multiprocessing` as an argument. Without an arena it is
    new and empty, in memory of its own: ctypes would take it from a heap, which never shrinks.
    """

    def __init__(self, arena: Arena | None = None) -> None:
        self._arena = arena or _new_arena(_START + 2 * SLOT)
        self.memory = self._arena.buffer

    def __reduce__(self) -> tuple[type[ChoiceBuffer], tuple[Arena]]:
        return ChoiceBuffer, (self._arena,)

    @property
    def wanted(self) -> int:
        """The number of the search that is to go on, 0 for none; the server sets it."""
        return self._number(8)

    @wanted.setter
    def wanted(self, search: int) -> None:
        _COUNTER.pack_into(self.memory, 8, search)

    @property
    def is_watched(self) -> bool:
        """Whether the search is to report what it thinks; the server sets it."""
        return bool(self._number(16))

    @is_watched.setter
    def is_watched(self, is_watched: bool) -> None:
        _COUNTER.pack_into(self.memory, 16, is_watched)

    def publish(self, search: int, best: BestMove) -> None:
        """Make a search's choice the newest. Raises ValueError for one that does not fit a slot."""
        data = json.dumps([search, *astuple(best)]).encode()
        room = SLOT - _SLOT_HEADER.size
        if len(data) > room:
            raise ValueError(f"the choice takes {len(data)} bytes; there is room for {room}")
        counter = self._number(0) + 1
        start = self._slot(counter)
        _SLOT_HEADER.pack_into(self.memory, start, zlib.crc32(data), len(data))
        begin = start + _SLOT_HEADER.size
        struct.pack_into(f"{len(data)}s", self.memory, begin, data)
        _COUNTER.pack_into(self.memory, 0, counter)

    def newest(self, search: int) -> BestMove | None:
        """The choice that the search found last, None where it has found none yet."""
        for _ in range(_READS):
            counter = self._number(0)
            if counter == 0:
                return None
            data = self._read(self._slot(counter))
            if data is not None:
                found_by, *best = json.loads(data)
                return BestMove(*best) if found_by == search else None
        return None

    def _read(self, start: int) -> bytes | None:
        checksum, length = _SLOT_HEADER.unpack_from(self.memory, start)
        begin = start + _SLOT_HEADER.size
        room = SLOT - _SLOT_HEADER.size
        data: bytes = struct.unpack_from(f"{min(length, room)}s", self.memory, begin)[0]
        return data if zlib.crc32(data) == checksum else None

    def _slot(self, counter: int) -> int:
        return _START + SLOT * (counter % 2)

    def _number(self, offset: int) -> int:
        number: int = _COUNTER.unpack_from(self.memory, offset)[0]
        return number


def _new_arena(size: int) -> Arena:
    """Return shared memory of so many bytes, without a file where the system can.

    Python makes a file in ``/dev/shm``, which in a container may be read-only, or full.
    """
    with suppress(AttributeError, OSError):
        descriptor = os.memfd_create("choices")
        os.ftruncate(descriptor, size)
        arena = Arena(size, descriptor)
        Finalize(arena, os.close, (descriptor,))
        return arena
    return Arena(size)
