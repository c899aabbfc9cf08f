"""A linear model of values: a weight for each fluent, fitted by ridge regression.

Source: T. Hastie, R. Tibshirani and J. Friedman, The elements of statistical learning (2009),
section 3.4.1.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ggp_player.strategies.learning.self_play import LabelledStates

RIDGE = 1.0
"""What is added to the sum of squares of each fluent, as if so many samples said nothing."""


def features(states: NDArray[np.uint64], fluents: int) -> NDArray[np.float32]:
    """Packed states, uint64 (n, S), as float32 (n, fluents + 1): 0 or 1, and a last column of 1."""
    packed = states.astype("<u8", copy=False).view(np.uint8)
    bits = np.unpackbits(packed, axis=1, count=fluents, bitorder="little")
    return np.hstack([bits, np.ones((len(bits), 1), np.uint8)]).astype(np.float32)


def fit(samples: LabelledStates, fluents: int) -> NDArray[np.float32]:
    """Fit weights, float32 (R, fluents + 1), to samples."""
    inputs = features(samples.states, fluents)
    squares = (inputs.T @ inputs).astype(np.float64)
    squares[np.diag_indices_from(squares)] += RIDGE
    targets = inputs.T.astype(np.float64) @ samples.values
    return np.ascontiguousarray(np.linalg.solve(squares, targets).T, np.float32)


def explained(weights: NDArray[np.float32], samples: LabelledStates) -> float:
    """How much of the variance of the first role's values the weights explain, 1 at most."""
    inputs = features(samples.states, weights.shape[1] - 1)
    found = np.clip(inputs @ weights[0], 0, 1)
    values = samples.values[:, 0]
    variance = float(values.var())
    return 1 - float(((values - found) ** 2).mean()) / variance if variance else 0.0
