"""The newest choice can be read at any instant, whatever its writer is doing."""

import os
import struct
import tempfile
from pathlib import Path

import pytest

from ggp_player.events import BestMove
from ggp_player.worker.choice_buffer import SLOT, ChoiceBuffer


@pytest.fixture
def choice() -> ChoiceBuffer:
    return ChoiceBuffer()


def test_nothing_is_there_at_first(choice: ChoiceBuffer) -> None:
    assert choice.newest(0) is None
    assert choice.newest(1) is None
    assert choice.wanted == 0


def test_the_newest_choice_is_read(choice: ChoiceBuffer) -> None:
    for value in range(5):
        found = BestMove("(mark 1 é)", value / 4, proved=value == 4, note=f"depth {value}")
        choice.publish(7, found)
        assert choice.newest(7) == found


def test_a_choice_of_another_search_does_not_count(choice: ChoiceBuffer) -> None:
    choice.publish(1, BestMove("a"))
    assert choice.newest(2) is None
    choice.publish(2, BestMove("b"))
    assert choice.newest(2) == BestMove("b")
    assert choice.newest(1) is None


def test_a_writer_that_dies_leaves_the_choice_before(choice: ChoiceBuffer) -> None:
    whole = BestMove("whole")
    choice.publish(1, BestMove("older"))
    choice.publish(1, whole)
    struct.pack_into("=II40s", choice.memory, 24 + SLOT, 12345, 40, b"half of a cho")
    assert choice.newest(1) == whole


def test_what_is_written_over_is_not_taken_for_a_choice(choice: ChoiceBuffer) -> None:
    choice.publish(1, BestMove("a"))
    struct.pack_into("=II", choice.memory, 24 + SLOT, 12345, 2**32 - 1)
    assert choice.newest(1) is None


def test_a_choice_too_long_for_its_slot(choice: ChoiceBuffer) -> None:
    choice.publish(1, BestMove("a" * (SLOT - 100)))
    with pytest.raises(ValueError, match="there is room for"):
        choice.publish(1, BestMove("b" * SLOT))
    assert choice.newest(1) == BestMove("a" * (SLOT - 100))


def test_what_is_wanted(choice: ChoiceBuffer) -> None:
    choice.wanted = 3
    choice.publish(3, BestMove("a"))
    assert choice.wanted == 3


def test_no_file_is_needed_where_the_system_has_memory_without_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail(*_arguments: object, **_named: object) -> None:
        raise OSError(30, "Read-only file system", "/dev/shm/x")

    monkeypatch.setattr(tempfile, "mkstemp", fail)
    if hasattr(os, "memfd_create"):
        descriptors = len(list(Path("/proc/self/fd").iterdir()))
        for _ in range(3):
            ChoiceBuffer().publish(1, BestMove("a"))
        assert len(list(Path("/proc/self/fd").iterdir())) == descriptors
        monkeypatch.delattr(os, "memfd_create")
    with pytest.raises(OSError, match="Read-only"):
        ChoiceBuffer()
