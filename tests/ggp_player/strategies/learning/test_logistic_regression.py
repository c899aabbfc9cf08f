"""Logistic regression finds the weights that outcomes were drawn with."""

from __future__ import annotations

from collections.abc import Generator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ggp_player.strategies.learning.logistic_regression import (
    Weights,
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


def test_features_that_never_vary_get_no_weight() -> None:
    random = np.random.default_rng(1)
    features = random.integers(0, 2, (5_000, 3), dtype=np.uint8)
    features[:, 1] = 0
    outcomes = features[:, 0].astype(np.float32)
    found = finished(fit(features, outcomes))
    assert found[0] > 3
    assert found[1] == 0
    assert abs(found[2]) < 0.5


def test_outcomes_that_are_all_the_same_are_likely() -> None:
    features, outcomes = np.ones((100, 2), np.uint8), np.ones(100, np.float32)
    found = finished(fit(features, outcomes))
    assert logistic(with_constant(features) @ found).min() > 0.8


def test_what_is_learned_of_a_group_holds_for_features_that_were_never_seen() -> None:
    random = np.random.default_rng(1)
    features = random.integers(0, 2, (5_000, 4), dtype=np.uint8)
    features[:, 3] = 0
    outcomes = (features[:, 2] | features[:, 1]).astype(np.float32)
    groups = np.array([[1, 0], [0, 1], [0, 1], [0, 1]], np.float32)
    found = finished(fit(features, outcomes, groups=groups))
    assert found[1] == found[2] == found[3] > 3
    assert abs(found[0]) < 0.5


def test_weights_stay_near_the_start() -> None:
    features, outcomes = np.eye(3, dtype=np.uint8), np.array([1, 0, 1], np.float32)
    start = np.array([-2, 2, 0, 0], np.float32)
    near, far = (finished(fit(features, outcomes, start=start, ridge=r)) for r in (1000.0, 0.1))
    assert np.abs(near - start).max() < 0.01
    assert far[0] > -1
    assert far[1] < 1


def test_outcomes_that_are_worth_less_change_less() -> None:
    features, outcomes = np.eye(3, dtype=np.uint8), np.array([1, 0, 1], np.float32)
    much, little = (finished(fit(features, outcomes, worth=worth)) for worth in (1.0, 0.1))
    assert 0 < little[0] < much[0]
