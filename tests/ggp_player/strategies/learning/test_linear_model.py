"""The linear model finds the weights that the values were made of."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ggp_player.strategies.learning.linear_model import explained, features, fit
from ggp_player.strategies.learning.self_play import LabelledStates

FLUENTS = 70


def random_samples(seed: int, weights: np.ndarray, count: int = 2000) -> LabelledStates:
    """Random states whose values are sums of weights, (roles, fluents + 1), of what is true."""
    random = np.random.default_rng(seed)
    bits = random.integers(0, 2, (count, 128), dtype=np.uint8)
    bits[:, FLUENTS:] = 0
    states = np.packbits(bits, axis=1, bitorder="little").view("<u8").astype(np.uint64)
    inputs = np.hstack([bits[:, :FLUENTS], np.ones((count, 1), np.uint8)])
    return LabelledStates(states, inputs @ weights.T)


def test_features_are_the_bits_of_a_state_and_a_one() -> None:
    states = np.array([[0b101, 1 << 5]], np.uint64)
    (row,) = features(states, FLUENTS)
    assert row.dtype == np.float32
    assert np.flatnonzero(row).tolist() == [0, 2, 64 + 5, FLUENTS]


@given(st.integers(0, 2**32 - 1))
def test_weights_are_found_again(seed: int) -> None:
    weights = np.random.default_rng(seed).uniform(-0.02, 0.02, (2, FLUENTS + 1))
    weights[:, -1] = 0.5
    samples = random_samples(seed, weights)
    found = fit(samples, FLUENTS)
    assert found.shape == weights.shape
    guessed = features(samples.states, FLUENTS) @ found.T
    assert np.abs(guessed - samples.values).max() < 0.01
    assert explained(found, random_samples(seed + 1, weights)) > 0.99


def test_weights_of_something_else_explain_nothing() -> None:
    random = np.random.default_rng(1)
    weights = random.uniform(-0.02, 0.02, (1, FLUENTS + 1))
    other = random.uniform(-0.02, 0.02, (1, FLUENTS + 1))
    weights[:, -1] = other[:, -1] = 0.5
    found = fit(random_samples(2, weights), FLUENTS)
    assert explained(found, random_samples(3, other)) < 0.5
