"""The network learns what weights of single fluents cannot, and says when there is nothing."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any, TypeVar

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ggp_player.strategies.learning import network as network_module
from ggp_player.strategies.learning.logistic_regression import logistic
from ggp_player.strategies.learning.network import Network, Samples, train
from ggp_player.strategies.solver import COUNTS, UNITS

Result = TypeVar("Result")
FLUENTS = 6


def result_of(work: Generator[None, None, Result]) -> Result:
    """Do all of some work; return its result."""
    while True:
        try:
            next(work)
        except StopIteration as end:
            found: Result = end.value
            return found


def random_network(random: np.random.Generator, fluents: int = FLUENTS) -> Network:
    return Network(
        random.normal(size=(fluents, UNITS)).astype(np.float32),
        random.normal(size=(2, UNITS)).astype(np.float32),
        random.normal(size=UNITS).astype(np.float32),
        random.normal(size=UNITS).astype(np.float32),
    )


def random_samples(random: np.random.Generator, count: int) -> Samples:
    return Samples(
        random.integers(0, 2, (count, FLUENTS), dtype=np.uint8),
        random.integers(1, 80, (count, 2), dtype=np.uint8),
        random.normal(size=count).astype(np.float32),
        random.random(count).astype(np.float32),
    )


def loss_of(network: Network, samples: Samples) -> float:
    logits = samples.known + network.logits(samples.states, samples.widths)
    return float((np.logaddexp(0, logits) - samples.outcomes * logits).mean())


def test_it_learns_that_two_fluents_are_worth_something_together() -> None:
    random = np.random.default_rng(3)
    samples = random_samples(random, 4000)
    outcomes = (samples.states[:, 0] ^ samples.states[:, 1]).astype(np.float32)
    samples = samples._replace(outcomes=outcomes, known=np.zeros(4000, np.float32))
    found = result_of(train(samples, np.eye(FLUENTS, dtype=np.float32), 1))
    assert found is not None
    fresh = random_samples(random, 500)
    expected = fresh.states[:, 0] != fresh.states[:, 1]
    assert (
        (found.logits(fresh.states, fresh.widths) > 0) == expected
    ).mean() > 0.85  # of single fluents: 0.5


def test_it_learns_what_legal_moves_are_worth() -> None:
    samples = random_samples(np.random.default_rng(4), 4000)
    outcomes = (samples.widths[:, 0] > 30).astype(np.float32)
    samples = samples._replace(outcomes=outcomes, known=np.zeros(4000, np.float32))
    found = result_of(train(samples, np.eye(FLUENTS, dtype=np.float32), 1))
    assert found is not None
    assert loss_of(found, samples) < 0.2


def test_where_the_weights_explain_all_there_is_no_network() -> None:
    samples = random_samples(np.random.default_rng(5), 1000)
    samples = samples._replace(outcomes=logistic(samples.known))
    assert result_of(train(samples, np.eye(FLUENTS, dtype=np.float32), 1)) is None


@pytest.mark.parametrize("count", [0, 1, 200])
def test_of_too_few_states_there_is_no_network(count: int) -> None:
    samples = random_samples(np.random.default_rng(5), count)
    assert result_of(train(samples, np.eye(FLUENTS, dtype=np.float32), 1)) is None


def test_the_same_seed_gives_the_same_network() -> None:
    samples = random_samples(np.random.default_rng(6), 1000)
    samples = samples._replace(outcomes=samples.states[:, 0].astype(np.float32))
    groups = np.eye(FLUENTS, dtype=np.float32)
    first, second = (result_of(train(samples, groups, 7)) for _ in range(2))
    assert first is not None
    assert second is not None
    assert first.is_opposite_of(second.for_the_rival())


def test_fluents_of_a_group_share_their_weights() -> None:
    samples = random_samples(np.random.default_rng(7), 1000)
    samples = samples._replace(outcomes=samples.states[:, 0].astype(np.float32))
    groups = np.repeat(np.eye(3, dtype=np.float32), 2, axis=0)
    found = result_of(train(samples, groups, 1))
    assert found is not None
    np.testing.assert_array_equal(found.fluents[::2], found.fluents[1::2])


def precise_parameters(weights: Any, output: Any) -> network_module._Parameters:
    """Parameters in double precision, which training has no need of."""
    return network_module._Parameters(weights.astype(float), output.astype(float))


@given(seed=st.integers(0, 2**32))
def test_gradients_are_those_of_finite_differences(seed: int) -> None:
    random = np.random.default_rng(seed)
    samples, groups = random_samples(random, 50), np.eye(FLUENTS, dtype=np.float32)
    first = network_module._first_parameters(samples, groups, random)
    # Where nothing holds, units of first parameters are just between counting and not.
    shift = random.normal(size=first.weights.shape)
    parameters = precise_parameters(first.weights + shift, first.output)
    slopes = network_module._gradients(samples, groups, parameters)
    directions = [random.normal(size=slope.shape) for slope in slopes]
    expected = sum(
        float((slope * direction).sum())
        for slope, direction in zip(slopes, directions, strict=True)
    )
    step = 1e-8  # hardly any unit begins or ends to count between points so close
    losses = []
    for sign in (1, -1):
        moved = precise_parameters(
            parameters.weights + sign * step * directions[0],
            parameters.output + sign * step * directions[1],
        )
        losses.append(loss_of(network_module._network(moved, groups), samples))
    found = (losses[0] - losses[1]) / (2 * step)
    assert found == pytest.approx(expected, abs=1e-3, rel=1e-3)


@given(seed=st.integers(0, 2**32))
def test_a_layer_has_a_row_for_each_number_of_legal_moves(seed: int) -> None:
    random = np.random.default_rng(seed)
    network, samples = random_network(random), random_samples(random, 20)
    rows, output = network.layer()
    assert rows.shape == (FLUENTS + 2 * COUNTS + 1, UNITS)
    sums = samples.states @ rows[:FLUENTS] + rows[-1]
    for role, widths in enumerate(np.minimum(samples.widths, COUNTS - 1).T):
        sums += rows[FLUENTS + COUNTS * role + widths]
    expected = network.logits(samples.states, samples.widths)
    np.testing.assert_allclose(np.maximum(sums, 0) @ output, expected, rtol=1e-3, atol=1e-2)


def test_the_rivals_network_says_the_opposite() -> None:
    random = np.random.default_rng(8)
    network, samples = random_network(random), random_samples(random, 20)
    rival = network.for_the_rival()
    assert rival.is_opposite_of(network)
    assert not network.is_opposite_of(network)
    assert not rival.is_opposite_of(random_network(random))
    given = (samples.states, samples.widths)
    np.testing.assert_array_equal(rival.logits(*given), -network.logits(*given))
