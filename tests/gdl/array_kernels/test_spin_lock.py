"""The lock of kernels: what is done while it is held is done by one thread at a time."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from gdl.array_kernels.functions import kernel
from gdl.array_kernels.spin_lock import CACHE_LINE, acquire, new_lock, release, unshared_zeros

THREADS, TIMES = 4, 50_000


@kernel
def count(lock: np.ndarray, counts: np.ndarray, times: int) -> int:
    """Count up two numbers while the lock is held; return how often they were not equal."""
    unequal = 0
    for _ in range(times):
        acquire(lock)
        unequal += counts[0] != counts[1]
        counts[0] += 1
        counts[1] += 1
        release(lock)
    return unequal


@pytest.mark.parametrize("yields", [True, False])
def test_no_update_is_lost(yields: bool) -> None:
    lock, counts = new_lock(), np.zeros(2, np.int64)
    assert lock[1] != 0
    if not yields:
        lock[1] = 0
    with ThreadPoolExecutor(THREADS) as pool:
        unequal = list(pool.map(lambda _: count(lock, counts, TIMES), range(THREADS)))
    assert unequal == [0] * THREADS
    assert counts.tolist() == [THREADS * TIMES] * 2
    assert lock[0] == 0


@pytest.mark.parametrize("shape", [1, 5, (3, 7), (64, 2)])
def test_arrays_have_cache_lines_of_their_own(shape: int | tuple[int, ...]) -> None:
    array = unshared_zeros(shape, np.int32)
    assert array.shape == (shape if isinstance(shape, tuple) else (shape,))
    assert array.dtype == np.int32
    assert array.flags.c_contiguous
    assert array.ctypes.data % CACHE_LINE == 0
    base = array
    while isinstance(base.base, np.ndarray):
        base = base.base
    lines = -(-array.nbytes // CACHE_LINE) * CACHE_LINE
    assert array.ctypes.data + lines <= base.ctypes.data + base.nbytes
    assert not array.any()
