"""A small network that learns what a linear evaluation leaves unexplained.

It has one hidden layer of rectified linear units over the fluents and the numbers of legal moves.
Its output is added to the logit of the linear evaluation, which stays as it is. The labelled states
are of games, one game after another; the last of them are held out, and the network is as it was
when it explained these best.

Source: D. Kingma and J. Ba, Adam: a method for stochastic optimization (2015).
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gdl.engine import aligned_rows
from ggp_player.strategies.learning.logistic_regression import logistic, one_blas_thread
from ggp_player.strategies.solver import COUNTS, UNITS, HiddenLayer

BATCH = 256
"""States between two steps of gradient descent."""

EPOCHS = 40
"""How often each state is looked at."""

RATE = 0.002
"""The first step size of Adam; it goes down to 0 by a cosine."""

DECAY = 0.03
"""The part of the parameters that a step of size 1 takes away."""

HELD_OUT = 0.1
"""The part of the states that tells when the network is best."""

FIRST_OUTPUT = 0.1
"""The standard deviation of the output's first weights."""

SCALE = np.float32(1 / 16)
"""Legal moves are counted in this unit, so that they are of the size of fluents."""

Matrix = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Network:
    """A network of one hidden layer, whose output is added to a logit.

    ``fluents`` float32 (fluents, UNITS): what each fluent adds to each unit. ``widths`` float32
    (roles, UNITS): what each legal move of a role adds, of which it has ``COUNTS`` less 1 at most.
    ``constants`` float32 (UNITS,): what is always added. ``output`` float32 (UNITS,): what each
    unit adds to the logit where it is positive.
    """

    fluents: Matrix
    widths: Matrix
    constants: Matrix
    output: Matrix

    def for_the_rival(self) -> Network:
        """The network that says the opposite."""
        return replace(self, output=-self.output)

    def is_opposite_of(self, other: Network) -> bool:
        """Whether all logits are the negative ones of the other's."""
        inputs = ("fluents", "widths", "constants")
        same = (np.array_equal(getattr(self, name), getattr(other, name)) for name in inputs)
        return all(same) and np.array_equal(self.output, -other.output)

    def layer(self) -> HiddenLayer:
        """The layer as kernels take it: a row for each number of legal moves of each role."""
        counts = np.arange(COUNTS, dtype=np.float32)[:, None]
        parts = [self.fluents, *(counts * row for row in self.widths), self.constants[None]]
        rows = aligned_rows(sum(map(len, parts)), UNITS // 2).view(np.float32)
        np.concatenate(parts, out=rows)
        return HiddenLayer(rows, self.output)

    def logits(self, states: NDArray[np.uint8], widths: NDArray[np.uint8]) -> Matrix:
        """What it adds to the logits of states, float32 (n,); see :class:`Samples`."""
        sums = states.astype(np.float32) @ self.fluents + self.constants
        sums += np.minimum(widths, COUNTS - 1).astype(np.float32) @ self.widths
        found: Matrix = np.maximum(sums, np.float32(0)) @ self.output
        return found


class Samples(NamedTuple):
    """What a network learns from.

    ``states`` uint8 (n, fluents). ``widths`` uint8 (n, roles): the legal moves of each role.
    ``known`` float32 (n,): the logits of the linear evaluation. ``outcomes`` float32 (n,), from 0
    to 1.
    """

    states: NDArray[np.uint8]
    widths: NDArray[np.uint8]
    known: Matrix
    outcomes: Matrix

    def part(self, chosen: NDArray[np.int64] | slice) -> Samples:
        """Some of the samples."""
        return Samples(
            self.states[chosen], self.widths[chosen], self.known[chosen], self.outcomes[chosen]
        )


@dataclass(slots=True)
class _Parameters:
    """What is fitted: weights of groups and widths (inputs + 1, UNITS), and the output (UNITS,)."""

    weights: Matrix
    output: Matrix
    steps: int = 0
    moments: list[tuple[Matrix, Matrix]] = field(default_factory=list)

    def descend(self, gradients: tuple[Matrix, Matrix], rate: float) -> None:
        """Make a step of Adam, with decay of the parameters apart from it."""
        parameters = (self.weights, self.output)
        if not self.moments:
            self.moments = [(np.zeros_like(each), np.zeros_like(each)) for each in parameters]
        self.steps += 1
        first, second = 1 - 0.9**self.steps, 1 - 0.999**self.steps
        for values, slope, (mean, square) in zip(parameters, gradients, self.moments, strict=True):
            mean += np.float32(0.1) * (slope - mean)
            square += np.float32(0.001) * (slope * slope - square)
            step = mean / np.float32(first) / (np.sqrt(square / np.float32(second)) + 1e-8)
            values -= np.float32(rate) * (step + np.float32(DECAY) * values)


def train(samples: Samples, groups: Matrix, seed: int) -> Generator[None, None, Network | None]:
    """Train a network; None where the held-out states are explained as well without one.

    Fewer than ``BATCH`` states give none, either. ``groups`` float32 (fluents, groups): fluents
    share weights as in :func:`.fit`. Yields every few hundredths of a second.
    """
    random = np.random.default_rng(seed)
    count = len(samples.outcomes)
    if count < BATCH:
        return None
    fitted = samples.part(slice(0, int((1 - HELD_OUT) * count)))
    held_out = samples.part(slice(len(fitted.outcomes), count))
    size = len(fitted.outcomes)
    with one_blas_thread():
        parameters = _first_parameters(fitted.part(slice(0, BATCH)), groups, random)
    best, least = None, (yield from _loss(held_out, None))
    steps = EPOCHS * -(-size // BATCH)
    for _ in range(EPOCHS):
        order = random.permutation(size)
        for first in range(0, size, BATCH):
            rate = RATE * 0.5 * (1 + np.cos(np.pi * parameters.steps / steps))
            with one_blas_thread():
                chosen = np.sort(order[first : first + BATCH])
                gradients = _gradients(fitted.part(chosen), groups, parameters)
                parameters.descend(gradients, float(rate))
            yield
        network = _network(parameters, groups)
        loss = yield from _loss(held_out, network)
        if loss < least:
            best, least = network, loss
    return best


def inputs_of(states: NDArray[np.uint8], widths: NDArray[np.uint8]) -> Matrix:
    """What a network sees: fluents, scaled numbers of legal moves, and a last column of ones."""
    wide = np.minimum(widths, COUNTS - 1) * SCALE
    ones = np.ones((len(states), 1), np.float32)
    return np.hstack([states.astype(np.float32), wide, ones])


def _first_parameters(samples: Samples, groups: Matrix, random: np.random.Generator) -> _Parameters:
    """Random parameters with which units are about as often positive as not."""
    shape = (groups.shape[1] + samples.widths.shape[1] + 1, UNITS)
    weights = random.normal(0, 1, shape).astype(np.float32)
    weights[-1] = 0
    sums = inputs_of(samples.states, samples.widths) @ _expanded(weights, groups)
    weights /= sums.std(axis=0) + 1e-6
    weights[-1] = -sums.mean(axis=0) / (sums.std(axis=0) + 1e-6)
    return _Parameters(weights, random.normal(0, FIRST_OUTPUT, UNITS).astype(np.float32))


def _expanded(weights: Matrix, groups: Matrix) -> Matrix:
    """The weights of single fluents, of widths, and the constant."""
    members = groups.shape[1]
    return np.concatenate([groups @ weights[:members], weights[members:]])


def _gradients(samples: Samples, groups: Matrix, parameters: _Parameters) -> tuple[Matrix, Matrix]:
    """The slope of the mean cross entropy, by the weights and by the output."""
    inputs = inputs_of(samples.states, samples.widths)
    units = np.maximum(inputs @ _expanded(parameters.weights, groups), np.float32(0))
    error = logistic(samples.known + units @ parameters.output) - samples.outcomes
    error /= np.float32(len(error))
    behind = inputs.T @ ((error[:, None] * parameters.output) * (units > 0))
    fluents = len(groups)
    slope = np.concatenate([groups.T @ behind[:fluents], behind[fluents:]])
    return slope, units.T @ error


def _network(parameters: _Parameters, groups: Matrix) -> Network:
    expanded = _expanded(parameters.weights, groups)
    fluents, widths = expanded[: len(groups)], SCALE * expanded[len(groups) : -1]
    return Network(fluents, widths, expanded[-1], parameters.output.copy())


def _loss(samples: Samples, network: Network | None) -> Generator[None, None, float]:
    """The mean cross entropy with a network, or without one."""
    total = 0.0
    for first in range(0, len(samples.outcomes), 8 * BATCH):
        part = samples.part(slice(first, first + 8 * BATCH))
        with one_blas_thread():
            values = part.known.copy()
            if network is not None:
                values += network.logits(part.states, part.widths)
            total += float((np.logaddexp(0, values) - part.outcomes * values).sum())
        yield
    return total / max(1, len(samples.outcomes))
