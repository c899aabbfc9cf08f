"""Arrays are used again only when nobody holds them."""

from __future__ import annotations

import numpy as np

from gdl.engine.array_pool import MOST_ARRAYS, ArrayPool


def test_what_somebody_holds_is_not_handed_out() -> None:
    pool = ArrayPool((3, 4))
    first = pool.take()
    assert first.shape == (3, 4)
    address = first.ctypes.data
    second = pool.take()
    assert second is not first
    view = first.reshape(2, 6)[:, 1:]
    del first
    assert not np.shares_memory(pool.take(), view)
    buffer = second.data
    del second
    assert not any(np.shares_memory(pool.take(), np.asarray(buffer)) for _ in range(3))
    del view
    assert pool.take().ctypes.data == address


def test_zeros_are_zeros_each_time() -> None:
    pool = ArrayPool((5,), np.float64)
    first = pool.zeros()
    first[:] = 3
    address = first.ctypes.data
    del first
    again = pool.zeros()
    assert again.ctypes.data == address
    assert again.dtype == np.float64
    assert not again.any()


def test_many_that_are_held_are_no_problem() -> None:
    pool = ArrayPool((2,))
    held = [pool.take() for _ in range(3 * MOST_ARRAYS)]
    assert len({id(array) for array in held}) == len(held)
    held.clear()
    again = {pool.take().ctypes.data for _ in range(20)}
    assert len(again) == 1
