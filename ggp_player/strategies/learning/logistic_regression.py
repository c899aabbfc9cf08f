"""Logistic regression: weights of features that explain how likely an outcome is.

Source: T. Hastie, R. Tibshirani and J. Friedman, The elements of statistical learning (2009),
section 4.4.1: Newton's method, or iteratively reweighted least squares.
"""

from __future__ import annotations

from collections.abc import Generator

import numpy as np
from numpy.typing import NDArray

Weights = NDArray[np.float32]

RIDGE = 10.0
"""What is added to the information on each weight, as if so many samples said that it is 0."""

ROUNDS = 6
"""Newton's method has converged by then."""

ENOUGH = 0.002
"""The change of the weights from which on it goes no further."""

ROWS = 4096
"""Samples that are worked on between two yields."""


def fit(
    features: NDArray[np.uint8], outcomes: NDArray[np.float32]
) -> Generator[None, None, Weights]:
    """Fit weights, float32 (features + 1,), the last of which is a constant term.

    ``features`` uint8 (n, features); ``outcomes`` float32 (n,), from 0 to 1. Yields every few
    hundredths of a second, and returns the weights.
    """
    size = features.shape[1] + 1
    weights = np.zeros(size)
    for _ in range(ROUNDS):
        information, slope = RIDGE * np.eye(size), RIDGE * weights
        for first in range(0, len(features), ROWS):
            part = with_constant(features[first : first + ROWS])
            expected = logistic(part @ weights.astype(np.float32))
            information += (part * (expected * (1 - expected))[:, None]).T @ part
            slope += part.T @ (expected - outcomes[first : first + ROWS])
            yield
        step = np.linalg.solve(information, slope)
        weights -= step
        if np.abs(step).max() < ENOUGH:
            break
    return weights.astype(np.float32)


def explained(
    weights: Weights, features: NDArray[np.uint8], outcomes: NDArray[np.float32]
) -> float:
    """How much of the variance of the outcomes the weights explain, 1 at most."""
    variance = float(outcomes.var()) if len(outcomes) else 0.0
    if variance == 0.0:
        return 0.0
    error = logistic(with_constant(features) @ weights) - outcomes
    return 1 - float((error**2).mean()) / variance


def with_constant(features: NDArray[np.uint8]) -> NDArray[np.float32]:
    """Features with a last column of ones."""
    return np.hstack([features, np.ones((len(features), 1), np.uint8)]).astype(np.float32)


def logistic(values: NDArray[np.float32]) -> NDArray[np.float32]:
    """The logistic function."""
    return np.float32(1) / (np.float32(1) + np.exp(-values))
