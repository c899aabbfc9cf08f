"""Logistic regression: weights of features that explain how likely an outcome is.

Source: T. Hastie, R. Tibshirani and J. Friedman, The elements of statistical learning (2009),
section 4.4.1: Newton's method, or iteratively reweighted least squares.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import AbstractContextManager
from functools import cache

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import ThreadpoolController

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
    features: NDArray[np.uint8],
    outcomes: NDArray[np.float32],
    *,
    start: Weights | None = None,
    groups: NDArray[np.float32] | None = None,
    worth: float = 1.0,
    ridge: float = RIDGE,
) -> Generator[None, None, Weights]:
    """Fit weights, float32 (features + 1,), the last of which is a constant term.

    ``features`` uint8 (n, features); ``outcomes`` float32 (n,), from 0 to 1, each of which counts
    for ``worth``. With ``groups`` float32 (features, groups) a feature's weight is the sum of those
    of its groups, and only the latter are fitted. ``ridge`` holds the weights to ``start``,
    0 unless given. Yields every few hundredths of a second, and returns the weights.
    """
    if groups is None:
        groups = np.eye(features.shape[1], dtype=np.float32)
    if start is None:
        start = np.zeros(features.shape[1] + 1, np.float32)
    size = groups.shape[1] + 1
    found = np.zeros(size)
    for _ in range(ROUNDS):
        information, slope = ridge * np.eye(size), ridge * found
        for first in range(0, len(features), ROWS):
            with one_blas_thread():
                part = with_constant(features[first : first + ROWS])
                known = part @ start
                part = np.hstack([part[:, :-1] @ groups, part[:, -1:]])
                expected = logistic(known + part @ found.astype(np.float32))
                information += worth * ((part * (expected * (1 - expected))[:, None]).T @ part)
                slope += worth * (part.T @ (expected - outcomes[first : first + ROWS]))
            yield
        with one_blas_thread():
            step = np.linalg.solve(information, slope)
        found -= step
        if np.abs(step).max() < ENOUGH:
            break
    change = np.append(groups @ found[:-1], found[-1])
    weights: Weights = (start + change).astype(np.float32)
    return weights


def one_blas_thread() -> AbstractContextManager[object]:
    """Keep NumPy to one thread: others wait for each other where cores are busy, and cost more."""
    limited: AbstractContextManager[object] = _blas().limit(limits=1, user_api="blas")
    return limited


@cache
def _blas() -> ThreadpoolController:
    """The numerical libraries that are loaded; finding them takes some milliseconds."""
    return ThreadpoolController()


def with_constant(features: NDArray[np.uint8]) -> NDArray[np.float32]:
    """Features with a last column of ones."""
    return np.hstack([features, np.ones((len(features), 1), np.uint8)]).astype(np.float32)


def logistic(values: NDArray[np.float32]) -> NDArray[np.float32]:
    """The logistic function."""
    return np.float32(1) / (np.float32(1) + np.exp(-values))
