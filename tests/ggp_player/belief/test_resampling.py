"""Resampling is without bias, and keeps what is heavy."""

from random import Random

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ggp_player.belief.resampling import resample

WEIGHTS = st.lists(st.floats(1e-6, 1.0), min_size=1, max_size=60)


@given(WEIGHTS, st.integers(1, 40), st.integers(0, 2**32))
def test_few_stand_for_many(weights: list[float], count: int, seed: int) -> None:
    before = np.array(weights)
    chosen, after = resample(before, count, Random(seed))
    assert len(chosen) == len(set(chosen.tolist())) == len(after)
    assert len(chosen) <= count or len(weights) <= count
    assert (np.diff(chosen) > 0).all()
    if len(weights) <= count:
        assert (after == before).all()


def test_the_mean_weight_is_that_before() -> None:
    before = np.array([0.4, 0.3, *[0.01] * 30])
    means = np.zeros(len(before))
    for seed in range(2000):
        chosen, after = resample(before, 8, Random(seed))
        means[chosen] += after / 2000
    np.testing.assert_allclose(means, before, atol=0.005)
    np.testing.assert_allclose(means[:2], before[:2])  # what is heavy is always kept
