"""Rows become states and states rows, and hashes distinguish states."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gdl.array_kernels import kernel
from gdl.engine.bits import (
    as_words,
    count_bits,
    hash_states,
    next_bit,
    packed_from_rows,
    population,
    read_lanes,
    rows_from_packed,
    transpose,
    write_lanes,
)
from tests.support.slow_blocks import Rows

words = st.integers(0, 2**64 - 1)
shapes = st.tuples(st.integers(0, 70), st.sampled_from([1, 2, 3, 8]), st.integers(0, 99))


def rows_of(shape: tuple[int, int, int]) -> Rows:
    count, words, seed = shape
    return np.random.default_rng(seed).integers(0, 2**64, size=(count, words), dtype=np.uint64)


@given(shapes)
def test_a_lane_is_a_column_of_bits(shape: tuple[int, int, int]) -> None:
    rows = rows_of(shape)
    states = packed_from_rows(rows)
    assert states.shape == (64 * shape[1], -(-len(rows) // 8))
    for lane in range(0, 64 * shape[1], 13):
        bits = [int(row[lane // 64]) >> lane % 64 & 1 for row in rows]
        assert int.from_bytes(states[lane].tobytes(), "little") == sum(
            bit << i for i, bit in enumerate(bits)
        )


@given(shapes)
def test_packed_rows_come_back(shape: tuple[int, int, int]) -> None:
    rows = rows_of(shape)
    assert np.array_equal(rows_from_packed(packed_from_rows(rows), len(rows), shape[1]), rows)


@given(shapes, st.integers(0, 64))
def test_lanes_without_a_state_are_zero(shape: tuple[int, int, int], count: int) -> None:
    states = packed_from_rows(rows_of(shape))
    rows = rows_from_packed(states[:count], shape[0], shape[1])
    again = packed_from_rows(rows)
    assert np.array_equal(again[:count], states[:count])
    assert not again[count:].any()


def bits_of(words: Rows) -> np.ndarray:
    return np.unpackbits(words.astype("<u8").view(np.uint8), bitorder="little")


def test_a_square_is_transposed() -> None:
    square = np.random.default_rng(1).integers(0, 2**64, 64, dtype=np.uint64)
    before = bits_of(square).reshape(64, 64)
    transpose(square, np.empty_like(square))
    assert (bits_of(square).reshape(64, 64) == before.T).all()


@given(shapes)
def test_kernels_make_the_same_states_and_rows(shape: tuple[int, int, int]) -> None:
    rows, states = rows_of(shape), as_words(packed_from_rows(rows_of(shape)))
    found = np.empty_like(states)
    read_lanes(rows, 0, len(rows), found)
    assert np.array_equal(found, states)
    back = np.empty_like(rows)
    write_lanes(back, 0, len(back), states, np.arange(len(states)))
    assert np.array_equal(back, rows)


def test_too_many_states_are_refused() -> None:
    with pytest.raises(ValueError, match="65 states do not fit into 64 lanes"):
        rows_from_packed(np.zeros((65, 1), dtype=np.uint8), 8, 1)


def test_hashes_are_the_same_everywhere() -> None:
    states = np.array([[0] * 9, [1] + [0] * 8, [0] * 8 + [1]], dtype=np.uint8)
    assert [hex(value) for value in hash_states(states).tolist()] == [
        "0x0",
        "0x7ab40e090f363a7d",
        "0x5692161d100b05e5",
    ]


def test_hashes_distinguish_states() -> None:
    generator = np.random.default_rng(1)
    for size in (3, 8, 40):
        states = np.unique(generator.integers(0, 256, size=(20_000, size), dtype=np.uint8), axis=0)
        hashes = hash_states(states)
        assert len(np.unique(hashes)) == len(states)
        other = hash_states(states, seed=1)
        assert not (hashes == other).any()
        bits = np.unpackbits(hashes.view(np.uint8)).reshape(len(states), 64)
        assert (abs(bits.mean(axis=0) - 0.5) < 0.02).all()


def test_states_without_fluents_have_one_hash() -> None:
    assert len(np.unique(hash_states(np.zeros((5, 0), dtype=np.uint8)))) == 1
    assert hash_states(np.zeros((0, 3), dtype=np.uint8)).shape == (0,)


@given(st.sets(st.integers(0, 199)), st.integers(0, 199), st.integers(0, 199))
def test_bits_in_a_range_are_counted_and_found(held: set[int], first: int, last: int) -> None:
    bits = np.zeros((2, 4), np.uint64)
    for bit in held:
        bits[1, bit >> 6] |= np.uint64(1) << np.uint64(bit & 63)
    first, last = sorted((first, last))
    inside = sorted(bit for bit in held if first <= bit < last)
    assert count_bits(bits, 1, first, last) == len(inside)
    assert next_bit(bits, 1, first, last) == (inside[0] if inside else last)
    assert next_bit(bits, 0, first, last) == last


@kernel
def _lead(own: np.uint64, other: np.uint64) -> int:
    return population(own) - population(other)


@given(words, words)
def test_counts_of_bits_can_be_subtracted(own: int, other: int) -> None:
    """Numba would keep an unsigned count unsigned, and the difference would wrap around."""
    assert _lead(np.uint64(own), np.uint64(other)) == own.bit_count() - other.bit_count()
