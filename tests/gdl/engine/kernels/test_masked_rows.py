"""The kernels that write states into some lanes leave the rows that plain numpy does."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from gdl.engine.block import aligned_rows
from tests.support.slow_blocks import kernels

P, N = ctypes.c_void_p, ctypes.c_int64
WIDTHS = pytest.mark.parametrize("words", [1, 2, 4, 8])
COUNTS = st.integers(0, 200)
SEEDS = st.integers(0, 2**32)


def filled(random: np.random.Generator, rows: int, words: int) -> NDArray[np.uint64]:
    found = aligned_rows(rows, words)
    found[:] = random.integers(0, 2**64, size=(rows, words), dtype=np.uint64)
    return found


@WIDTHS
@given(count=COUNTS, seed=SEEDS)
def test_rows_are_copied_in_some_lanes(words: int, count: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    target, origin = filled(random, count + 1, words), filled(random, count + 1, words)
    lanes = filled(random, 1, words)[0]
    expected = target.copy()
    expected[:count] = (target[:count] & ~lanes) | (origin[:count] & lanes)
    masked_copy = ctypes.CFUNCTYPE(None, P, P, N, P)(kernels(words).address("masked_copy"))
    masked_copy(target.ctypes.data, origin.ctypes.data, count, lanes.ctypes.data)
    assert (target == expected).all()


@WIDTHS
@given(count=COUNTS, seed=SEEDS)
def test_a_packed_state_is_written_into_some_lanes(words: int, count: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    rows, lanes = filled(random, count + 1, words), filled(random, 1, words)[0]
    state = random.integers(0, 2**64, size=4, dtype=np.uint64)
    bits = np.unpackbits(state.view(np.uint8), bitorder="little")[:count].astype(bool)
    expected = rows.copy()
    expected[:count] = np.where(bits[:, None], rows[:count] | lanes, rows[:count] & ~lanes)
    scatter = ctypes.CFUNCTYPE(None, P, N, P, P)(kernels(words).address("scatter"))
    scatter(rows.ctypes.data, count, state.ctypes.data, lanes.ctypes.data)
    assert (rows == expected).all()
