"""The choice of moves: legal, exactly one, uniform in every lane, and independent between lanes.

Sums of squared deviations have a known mean and variance where all outcomes are equally likely,
so that they turn into standard scores. All draws are seeded: a test that passes once always does.
"""

from __future__ import annotations

import ctypes
from functools import cache
from math import sqrt

import numpy as np
import pytest
from numpy.typing import NDArray

from gdl.engine.block import aligned_rows
from gdl.engine.kernels import scratch_rows
from tests.support.marks import thorough
from tests.support.slow_blocks import Rows, kernels, random_rows

WORDS = 8
LANES = 64 * WORDS
BOUND = 4.5
"""Standard scores beyond this, on either side, come once in 150,000 times."""

MOVES = (1, 2, 3, 5, 7, 9, 64, 155, 256, 257, 1000, 4000)
SEVERAL = [*MOVES[1:-1], *thorough(MOVES[-1])]

Bits = NDArray[np.uint8]
"""uint8 (moves, lanes)."""


class Chooser:
    """Chooses among the same legal moves again and again."""

    def __init__(self, legal: Rows, seed: int) -> None:
        self.count, self.words = legal.shape
        kinds = [ctypes.c_void_p] * 2, ctypes.c_int64, [ctypes.c_void_p] * 2
        kind = ctypes.CFUNCTYPE(None, *kinds[0], kinds[1], *kinds[2])
        self._select = kind(kernels(self.words).address("select"))
        self._legal = legal
        self._moves = aligned_rows(self.count, self.words)
        self._scratch = aligned_rows(scratch_rows(self.count), self.words)
        self._random = random_rows(5, self.words, seed)[1:].copy()
        self._state = aligned_rows(4, self.words)
        self._state[:] = self._random

    def choose(self) -> Bits:
        """Return which move each lane has got."""
        self._moves[:] = 2**64 - 1
        self._select(
            self._legal.ctypes.data,
            self._moves.ctypes.data,
            self.count,
            self._scratch.ctypes.data,
            self._state.ctypes.data,
        )
        return unpacked(self._moves)


def unpacked(rows: Rows) -> Bits:
    return np.unpackbits(rows.view(np.uint8), axis=1, bitorder="little")


def packed(bits: Bits) -> Rows:
    rows = aligned_rows(len(bits), bits.shape[1] // 64)
    rows[:] = np.packbits(bits, axis=1, bitorder="little").view(np.uint64)
    return rows


@cache
def drawn(moves: int, times: int) -> NDArray[np.int64]:
    """Return the move of every lane, all being legal, so many times: int64 (times, lanes)."""
    chooser = Chooser(packed(np.ones((moves, LANES), dtype=np.uint8)), seed=moves)
    return np.stack([chooser.choose().argmax(axis=0) for _ in range(times)])


def score(counts: NDArray[np.int64]) -> float:
    """Return the standard score of counts, (experiments, outcomes), if all are equally likely."""
    experiments, outcomes = counts.shape
    draws = int(counts[0].sum())
    assert (counts.sum(axis=1) == draws).all()
    expected = draws / outcomes
    statistic = float(((counts - expected) ** 2 / expected).sum())
    freedom = experiments * (outcomes - 1)
    return (statistic - freedom) / sqrt(2 * freedom * (1 - 1 / draws))


def counted(values: NDArray[np.int64], outcomes: int) -> NDArray[np.int64]:
    """Return how often each value occurs in each column: int64 (columns, outcomes)."""
    columns = values.shape[1]
    numbered = values + outcomes * np.arange(columns)
    return np.bincount(numbered.ravel(), minlength=columns * outcomes).reshape(columns, outcomes)


def times_for(moves: int) -> int:
    return 2000 if moves < 100 else 150


# ---------------------------------------------------------------------- legality


@pytest.mark.parametrize("words", [1, 2, 8])
@pytest.mark.parametrize("moves", MOVES)
def test_one_legal_move_where_there_is_one(moves: int, words: int) -> None:
    generator = np.random.default_rng(moves)
    for share in (0.0, 0.01, 0.5, 1.0):
        legal = (generator.random((moves, 64 * words)) < share).astype(np.uint8)
        legal[:, ::7] = 0
        chooser = Chooser(packed(legal), seed=1)
        for _ in range(5):
            chosen = chooser.choose()
            assert not (chosen & ~legal & 1).any()
            assert np.array_equal(chosen.sum(axis=0), legal.any(axis=0))


def test_tens_of_thousands_of_moves() -> None:
    moves = 50_000
    legal = np.zeros((moves, 64), dtype=np.uint8)
    legal[40_000:40_003] = 1
    chooser = Chooser(packed(legal), seed=1)
    counts = np.zeros(moves, dtype=np.int64)
    for _ in range(100):
        counts += chooser.choose().sum(axis=1, dtype=np.int64)
    assert counts.sum() == 6400
    assert abs(score(counts[40_000:40_003][None, :])) < BOUND


@pytest.mark.parametrize("moves", [2, 9, 155])
def test_forced_moves_are_made(moves: int) -> None:
    generator = np.random.default_rng(moves)
    legal = np.zeros((moves, LANES), dtype=np.uint8)
    legal[generator.integers(0, moves, LANES), np.arange(LANES)] = 1
    assert np.array_equal(Chooser(packed(legal), seed=1).choose(), legal)


def test_a_lane_is_served_whatever_the_others_may_do() -> None:
    """One lane has a choice of two, all others none at all or all moves."""
    for others in (0, 1):
        legal = np.full((20, LANES), others, dtype=np.uint8)
        legal[:, 100] = 0
        legal[[3, 17], 100] = 1
        chooser = Chooser(packed(legal), seed=3)
        lane = np.stack([chooser.choose()[:, 100] for _ in range(200)])
        assert (lane.sum(axis=1) == 1).all()
        assert lane[:, 3].sum() + lane[:, 17].sum() == 200
        assert 60 < lane[:, 3].sum() < 140


def test_the_same_seed_makes_the_same_choices() -> None:
    legal = packed(np.ones((9, LANES), dtype=np.uint8))
    first, second, other = (Chooser(legal, seed) for seed in (1, 1, 2))
    assert all(np.array_equal(first.choose(), second.choose()) for _ in range(5))
    assert not np.array_equal(first.choose(), other.choose())


# ---------------------------------------------------------------------- uniformity


@pytest.mark.parametrize("moves", SEVERAL)
def test_every_lane_chooses_uniformly(moves: int) -> None:
    assert abs(score(counted(drawn(moves, times_for(moves)), moves))) < BOUND


@pytest.mark.parametrize("moves", SEVERAL)
def test_all_lanes_together_choose_uniformly(moves: int) -> None:
    together = drawn(moves, times_for(moves)).reshape(-1, 1)
    assert abs(score(counted(together, moves))) < BOUND


@pytest.mark.parametrize("lanes", [0, 63, 64, 511])
def test_single_lanes_choose_uniformly(lanes: int) -> None:
    values = drawn(9, times_for(9))[:, [lanes]]
    assert abs(score(counted(values, 9))) < BOUND


@pytest.mark.parametrize("moves", [9, 155])
def test_uniformly_among_different_legal_moves(moves: int) -> None:
    """Every lane has its own legal moves; the scores of all lanes add up."""
    generator = np.random.default_rng(moves)
    legal = (generator.random((moves, LANES)) < 0.5).astype(np.uint8)
    chooser = Chooser(packed(legal), seed=5)
    draws = times_for(moves)
    counts = sum(chooser.choose().astype(np.int64) for _ in range(draws))
    options = legal.sum(axis=0, dtype=np.int64)
    expected = draws / np.maximum(options, 1)
    statistic = float((((counts - expected) ** 2) * legal / expected).sum())
    freedom = int(np.maximum(options - 1, 0).sum())
    assert abs(statistic - freedom) / sqrt(2 * freedom * (1 - 1 / draws)) < BOUND


# ---------------------------------------------------------------------- independence


@pytest.mark.parametrize("moves", [2, 3, 5, 7, 9])
@pytest.mark.parametrize("distance", [1, 2, 32, 64, 256])
def test_pairs_of_lanes_are_independent(moves: int, distance: int) -> None:
    """All pairs of choices come equally often, for disjoint pairs of lanes."""
    values = drawn(moves, times_for(moves))
    left = np.flatnonzero(np.arange(LANES) // distance % 2 == 0)
    pairs = moves * values[:, left] + values[:, left + distance]
    assert abs(score(counted(pairs, moves**2))) < BOUND
    assert abs(score(counted(pairs.reshape(-1, 1), moves**2))) < BOUND


@pytest.mark.parametrize("moves", SEVERAL)
@pytest.mark.parametrize("distance", [1, 64])
def test_neighbours_agree_as_often_as_by_chance(moves: int, distance: int) -> None:
    values = drawn(moves, times_for(moves))
    agree = values[:, distance:] == values[:, :-distance]
    assert abs(score_of_agreement(agree, moves)) < BOUND


@pytest.mark.parametrize("moves", SEVERAL)
def test_one_choice_does_not_tell_the_next(moves: int) -> None:
    values = drawn(moves, times_for(moves))
    assert abs(score_of_agreement(values[1:] == values[:-1], moves)) < BOUND


def score_of_agreement(agree: NDArray[np.bool_], moves: int) -> float:
    """Return the standard score of a number of agreements, each of probability 1 / moves."""
    chance = 1 / moves
    deviation = sqrt(agree.size * chance * (1 - chance))
    return (int(agree.sum()) - agree.size * chance) / deviation


def test_the_scores_notice_a_small_bias() -> None:
    """What these tests are worth: a die that falls on one side 5 % too often, and a copied lane."""
    generator = np.random.default_rng(0)
    chances = np.array([1.05, *[7.95 / 8] * 8]) / 9
    loaded = generator.choice(9, size=(2000, LANES), p=chances)
    assert score(counted(loaded.reshape(-1, 1), 9)) > BOUND
    fair = generator.integers(0, 9, size=(2000, LANES))
    assert abs(score(counted(fair, 9))) < BOUND
    copied = np.where(generator.random((2000, LANES)) < 0.01, np.roll(fair, 1, axis=1), fair)
    agree = copied[:, 1:] == copied[:, :-1]
    assert score_of_agreement(agree, 9) > BOUND
