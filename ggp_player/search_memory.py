"""The memory that the searches of this process may take: one figure, set by whoever starts it."""

from __future__ import annotations

from gdl.system import available_memory

MIN_BYTES, MAX_BYTES = 2**26, 2**33
"""The least and the most that is taken where nobody has said how much."""

UNKNOWN_BYTES = 2**32
"""The memory that a machine is taken to have where that is not known."""

_set: int | None = None


def default_search_memory() -> int:
    """A quarter of what is free on this machine or in this container, in bytes."""
    free = available_memory()
    return min(MAX_BYTES, max(MIN_BYTES, (UNKNOWN_BYTES if free is None else free) // 4))


def search_memory() -> int:
    """The bytes that the searches of this process may take together."""
    return default_search_memory() if _set is None else _set


def set_search_memory(size: int) -> None:
    """Set the bytes that the searches of this process may take together."""
    global _set
    _set = size
