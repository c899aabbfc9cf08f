"""Sums of kernels: what several threads add at a time is all there, and what one adds is, too."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from gdl.array_kernels.atomics import (
    add_to_float64,
    add_to_int32,
    add_to_int64,
    add_to_uint16,
    field_offset,
    observe,
    publish,
    replace_int32,
    replace_int64,
)
from gdl.array_kernels.functions import kernel

THREADS, TIMES = 4, 50_000

RECORD = np.dtype(
    [
        ("total", np.float64),
        ("visits", np.int32),
        ("pending", np.int32),
        ("small", np.uint16),
        ("serial", np.uint16),
        ("winner", np.int32),
    ]
)
_TOTAL, _VISITS = field_offset(RECORD, "total"), field_offset(RECORD, "visits")
_SMALL, _WINNER = field_offset(RECORD, "small"), field_offset(RECORD, "winner")


@kernel
def add_often(records: np.ndarray, times: int, is_shared: bool) -> int:
    """Add to all fields of a record; return the sum of what the visits were before."""
    address, before = records.ctypes.data, 0
    for _ in range(times):
        before += add_to_int32(address + _VISITS, 3, is_shared)
        add_to_int64(address + _VISITS, 1 << 32, is_shared)
        add_to_uint16(address + _SMALL, -1, is_shared)
        add_to_float64(address + _TOTAL, 0.25, is_shared)
    return before


@pytest.mark.parametrize(("threads", "is_shared"), [(1, False), (1, True), (THREADS, True)])
def test_no_addition_is_lost(threads: int, is_shared: bool) -> None:
    records = np.zeros(1, RECORD)
    records["serial"] = 7
    with ThreadPoolExecutor(threads) as pool:
        before = list(pool.map(lambda _: add_often(records, TIMES, is_shared), range(threads)))
    times, record = threads * TIMES, records[0]
    assert (record["visits"], record["pending"]) == (3 * times, times)
    assert record["total"] == 0.25 * times
    assert (record["small"], record["serial"]) == (-times % 2**16, 7)
    assert sum(before) == 3 * times * (times - 1) // 2


@kernel
def claim(records: np.ndarray, number: int) -> bool:
    """Write a number to the winner of a record if there is none."""
    return replace_int32(records.ctypes.data + _WINNER, 0, number)


def test_one_thread_replaces_what_it_expects() -> None:
    for _ in range(50):
        records = np.zeros(1, RECORD)
        with ThreadPoolExecutor(THREADS) as pool:
            won = list(pool.map(claim, [records] * THREADS, range(1, THREADS + 1)))
        assert won.count(True) == 1
        assert records[0]["winner"] == 1 + won.index(True)
        assert not records[0]["serial"]


@kernel
def take_runs(counts: np.ndarray, times: int, size: int) -> int:
    """Move a count on by a size, time and again; return the sum of where that began."""
    total, taken = 0, 0
    while taken < times:
        first = counts[0]
        if replace_int64(counts.ctypes.data, first, first + size):
            total += first
            taken += 1
    return total


def test_runs_that_threads_take_do_not_overlap() -> None:
    counts = np.array([2**40], np.int64)
    with ThreadPoolExecutor(THREADS) as pool:
        begun = list(pool.map(take_runs, [counts] * THREADS, [TIMES] * THREADS, [3] * THREADS))
    runs = THREADS * TIMES
    assert counts[0] == 2**40 + 3 * runs
    assert sum(begun) == runs * 2**40 + 3 * runs * (runs - 1) // 2


@kernel
def hand_over(cells: np.ndarray, times: int) -> int:
    """Write two numbers, the second once the first can be seen."""
    for number in range(1, times + 1):
        cells[0] = number
        publish()
        cells[1] = number
    return 0


@kernel
def look(cells: np.ndarray, times: int) -> int:
    """Count how often the second number is seen without the first."""
    early = 0
    for _ in range(times):
        second = cells[1]
        observe()
        early += cells[0] < second
    return early


def test_what_was_published_is_observed() -> None:
    cells = np.zeros(2, np.int64)
    with ThreadPoolExecutor(2) as pool:
        writing = pool.submit(hand_over, cells, 10 * TIMES)
        looking = pool.submit(look, cells, 10 * TIMES)
        assert (writing.result(), looking.result()) == (0, 0)
    assert cells.tolist() == [10 * TIMES] * 2
