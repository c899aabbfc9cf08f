"""Resampling: fewer hypotheses that stand for many, without bias."""

from __future__ import annotations

from random import Random

import numpy as np
from numpy.typing import NDArray


def resample(
    weights: NDArray[np.float64], count: int, random: Random
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Choose at most ``count`` of some weighted things; return their numbers and new weights.

    The expected new weight of each is its old one, and their variance is the least that is
    possible: what is heavier than a threshold keeps its weight, and of the others some are drawn,
    systematically in the order given, and get the threshold as weight.

    Source: P. Fearnhead and P. Clifford, On-line inference for hidden Markov models via particle
    filters (2003).
    """
    if len(weights) <= count:
        return np.arange(len(weights)), weights
    threshold = _threshold(weights, count)
    kept = weights >= threshold
    light = np.flatnonzero(~kept)
    cumulative = np.cumsum(weights[light]) / threshold
    drawn = np.searchsorted(cumulative, np.arange(random.random(), cumulative[-1]))
    chosen = np.concatenate([np.flatnonzero(kept), light[drawn]])
    new = np.concatenate([weights[kept], np.full(len(drawn), threshold)])
    order = np.argsort(chosen, kind="stable")
    return chosen[order], new[order]


def _threshold(weights: NDArray[np.float64], count: int) -> float:
    """The c for which the sum of min(weight / c, 1) is ``count``."""
    descending = np.sort(weights)[::-1]
    lighter = np.cumsum(descending[::-1])[::-1]  # the sum of this one and all after it
    for heavy in range(count):
        threshold = lighter[heavy] / (count - heavy)
        if descending[heavy] < threshold:
            return float(threshold)
    return float(lighter[count - 1])
