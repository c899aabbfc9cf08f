"""The memory of the searches: what was set, or a share of what is free."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from ggp_player import search_memory as module
from ggp_player.search_memory import (
    MAX_BYTES,
    MIN_BYTES,
    UNKNOWN_BYTES,
    default_search_memory,
    search_memory,
    set_search_memory,
)


@pytest.fixture(autouse=True)
def nothing_set(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(module, "_set", None)
    yield
    monkeypatch.setattr(module, "_set", None)


@pytest.mark.parametrize(
    ("free", "share"),
    [
        (2**33, 2**31),
        (2**20, MIN_BYTES),
        (2**40, MAX_BYTES),
        (None, UNKNOWN_BYTES // 4),
    ],
)
def test_a_quarter_of_what_is_free(
    free: int | None, share: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "available_memory", lambda: free)
    assert default_search_memory() == search_memory() == share


def test_what_was_set_counts() -> None:
    set_search_memory(12345)
    assert search_memory() == 12345
