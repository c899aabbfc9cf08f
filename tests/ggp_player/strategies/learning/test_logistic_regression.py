"""Logistic regression finds the weights that outcomes were drawn with."""

from __future__ import annotations

from collections.abc import Generator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ggp_player.strategies.learning.logistic_regression import (
    Weights,
    explained,
    fit,
    logistic,
    with_constant,
)

FEATURES = 8


def finished(fitting: Generator[None, None, Weights]) -> Weights:
    while True:
        try:
            next(fitting)
        except StopIteration as end:
            weights: Weights = end.value
            return weights


@given(st.integers(0, 2**32))
def test_the_weights_are_found(seed: int) -> None:
    random = np.random.default_rng(seed)
    weights = random.uniform(-1, 1, FEATURES + 1).astype(np.float32)
    features = random.integers(0, 2, (20_000, FEATURES), dtype=np.uint8)
    chances = logistic(with_constant(features) @ weights)
    outcomes = (random.random(len(chances)) < chances).astype(np.float32)
    found = finished(fit(features, outcomes))
    assert found == pytest.approx(weights, abs=0.25)
    assert explained(found, features, outcomes) > explained(0 * found, features, outcomes) - 0.001


def test_features_that_never_vary_get_no_weight() -> None:
    random = np.random.default_rng(1)
    features = random.integers(0, 2, (5_000, 3), dtype=np.uint8)
    features[:, 1] = 0
    outcomes = features[:, 0].astype(np.float32)
    found = finished(fit(features, outcomes))
    assert found[0] > 3
    assert found[1] == 0
    assert abs(found[2]) < 0.2


def test_outcomes_that_are_all_the_same_are_not_explained() -> None:
    features = np.ones((100, 2), np.uint8)
    outcomes = np.ones(100, np.float32)
    found = finished(fit(features, outcomes))
    assert np.isfinite(found).all()
    assert explained(found, features, outcomes) == 0.0
    assert explained(found, features[:0], outcomes[:0]) == 0.0
