"""How many replies without an end there are, such as pages that are kept up to date."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager


class Streams:
    """Counts streams: at most ``most`` at a time, and ``of_address`` of one address."""

    def __init__(self, most: int, of_address: int) -> None:
        self._most = most
        self._of_address_most = of_address
        self._of_address: Counter[str] = Counter()

    def __len__(self) -> int:
        return self._of_address.total()

    def has_room(self, address: str | None) -> bool:
        """Return whether an address may open one more."""
        return len(self) < self._most and self._of_address[address or ""] < self._of_address_most

    @contextmanager
    def counted(self, address: str | None) -> Iterator[None]:
        """Count a stream of an address while this is entered."""
        self._of_address[address or ""] += 1
        try:
            yield
        finally:
            self._of_address -= Counter((address or "",))
