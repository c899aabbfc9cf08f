"""The sequential test: after each pair, whether enough is known to say which hypothesis holds.

The generalised sequential probability ratio test compares the hypotheses that A's expected result
is that of ``elo0`` or of ``elo1``, with all else about the distribution of results left open. With
pairs as observations, and by the normal approximation of their mean, the log-likelihood ratio is

    LLR = n (s1 - s0) (2 m - s0 - s1) / (2 v)

where n pairs have the mean m and the variance v, and s0 and s1 are the expected results. This takes
five results of a pair (0, 1/4, 1/2, 3/4, 1), for which it is what fishtest computes up to terms of
third order, and any others between 0 and 1. It crosses log((1 - beta) / alpha) where elo1 is
accepted, and log(beta / (1 - alpha)) where elo0 is (A. Wald's bounds).

The variance of a few pairs may be 0 by chance: each estimate counts ``PRIOR_PAIRS`` pairs in
advance, with the variance of matches that are decided by tossing a coin. So the test is slower at
first, never hastier.

Several games are weighed equally: m is the mean of their means, and v / n is the sum of the games'
v / n over the square of their number.

Sources: A. Wald, Sequential tests of statistical hypotheses (1945); M. Van den Bergh, A practical
introduction to the GSPRT (2018) and Normalized Elo (2020), notes for fishtest, hardy.uhasselt.be.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import inf, log, log10, sqrt

PRIOR_PAIRS = 4
"""Pairs that count in advance in each estimate of a variance."""

PRIOR_VARIANCE = 0.125
"""Their variance: that of the mean of two matches that are won or lost by tossing a coin."""

MIN_PAIRS = 8
"""Pairs of each game before anything is decided."""

QUANTILE = 1.959964
"""Of the normal distribution, for 95 % on both sides."""


class SequentialVerdict(StrEnum):
    """What a test says."""

    H1 = "H1"
    """A is stronger, rather by elo1 than by elo0."""
    H0 = "H0"
    """A is not stronger by elo1: rather by elo0, or less."""
    OPEN = "open"
    """Nothing is decided."""


def expected_result(elo: float) -> float:
    """The expected result, 0 to 1, of who is so many Elo stronger."""
    return 1 / (1 + 10 ** (-elo / 400))


def elo_of(result: float) -> float:
    """The difference in Elo that an expected result stands for; infinite for 0 and 1."""
    if not 0 < result < 1:
        return inf if result > 0 else -inf
    return 400 * log10(result / (1 - result))


@dataclass(frozen=True, slots=True)
class Estimate:
    """The mean result of ``pairs`` pairs, and the standard error of that mean."""

    pairs: int
    mean: float
    error: float

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of the expected result, within 0 and 1."""
        return self.bounds(QUANTILE)

    def bounds(self, quantile: float) -> tuple[float, float]:
        """The interval of so many standard errors on either side, within 0 and 1."""
        reach = quantile * self.error
        return max(0.0, self.mean - reach), min(1.0, self.mean + reach)

    @property
    def elo(self) -> tuple[float, float, float]:
        """The difference in Elo, and its 95 % interval."""
        low, high = self.interval
        return elo_of(self.mean), elo_of(low), elo_of(high)


NOTHING = Estimate(0, 0.5, inf)
"""What is known before the first pair."""


@dataclass(slots=True)
class PairSums:
    """The sums of the results of pairs, each from 0 to 1, that an estimate needs."""

    pairs: int = 0
    total: float = 0.0
    squares: float = 0.0

    def add(self, result: float) -> None:
        """Add the mean result of a pair."""
        self.pairs += 1
        self.total += result
        self.squares += result * result

    @property
    def estimate(self) -> Estimate:
        """The mean and its standard error."""
        if not self.pairs:
            return NOTHING
        mean = self.total / self.pairs
        deviations = max(0.0, self.squares - self.pairs * mean * mean)
        variance = (deviations + PRIOR_PAIRS * PRIOR_VARIANCE) / (self.pairs + PRIOR_PAIRS)
        return Estimate(self.pairs, mean, sqrt(variance / self.pairs))


def at_equal_weight(estimates: Sequence[Estimate]) -> Estimate:
    """The estimate over several games, each with the same weight; ``pairs`` are those of all."""
    if not estimates or any(not each.pairs for each in estimates):
        return NOTHING
    count = len(estimates)
    mean = sum(each.mean for each in estimates) / count
    error = sqrt(sum(each.error**2 for each in estimates)) / count
    return Estimate(sum(each.pairs for each in estimates), mean, error)


@dataclass(frozen=True, slots=True)
class SequentialTest:
    """The test of ``elo0`` against ``elo1``, with the probabilities of errors of either kind.

    ``alpha`` is that of accepting elo1 where elo0 holds, ``beta`` that of the converse. Raises
    ValueError unless elo0 < elo1, and the probabilities lie between 0 and a half.
    """

    elo0: float = 0.0
    elo1: float = 20.0
    alpha: float = 0.05
    beta: float = 0.05

    def __post_init__(self) -> None:
        if not self.elo0 < self.elo1:
            raise ValueError(f"elo0 must be less than elo1: {self.elo0} is not below {self.elo1}")
        for name in ("alpha", "beta"):
            if not 0 < getattr(self, name) < 0.5:
                raise ValueError(f"{name} must lie between 0 and 0.5, found {getattr(self, name)}")

    @property
    def bounds(self) -> tuple[float, float]:
        """The log-likelihood ratios at which elo0 and elo1 are accepted."""
        return log(self.beta / (1 - self.alpha)), log((1 - self.beta) / self.alpha)

    def ratio(self, estimate: Estimate) -> float:
        """The log-likelihood ratio of elo1 over elo0; 0 before the first pair."""
        if not estimate.pairs:
            return 0.0
        low, high = expected_result(self.elo0), expected_result(self.elo1)
        return (high - low) * (2 * estimate.mean - low - high) / (2 * estimate.error**2)

    def verdict(self, estimate: Estimate) -> SequentialVerdict:
        """What an estimate decides, if there were pairs enough."""
        low, high = self.bounds
        ratio = self.ratio(estimate)
        if ratio >= high:
            return SequentialVerdict.H1
        return SequentialVerdict.H0 if ratio <= low else SequentialVerdict.OPEN
