"""Errors of two searches on the same positions: which of them errs less often."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import comb, sqrt

SIGNIFICANCE = 0.05
"""A difference this probable, or more, by chance alone is called none."""


@dataclass(frozen=True, slots=True)
class ErrorCount:
    """How many of some positions a search has got wrong."""

    errors: int
    positions: int

    @property
    def share(self) -> float:
        """The share of errors, 0 to 1."""
        return self.errors / self.positions if self.positions else 0.0

    @property
    def standard_error(self) -> float:
        """The standard error of the share."""
        return sqrt(self.share * (1 - self.share) / self.positions) if self.positions else 0.0


@dataclass(frozen=True, slots=True)
class PairedErrors:
    """On how many positions only the first search errs, and on how many only the second."""

    only_first: int
    only_second: int
    positions: int

    @property
    def p_value(self) -> float:
        """The probability of a difference at least as large if both err equally often.

        McNemar's exact test, with two sides. Source: Q. McNemar, Note on the sampling error of the
        difference between correlated proportions or percentages (1947).
        """
        discordant = self.only_first + self.only_second
        fewer = min(self.only_first, self.only_second)
        ways = sum(comb(discordant, count) for count in range(fewer + 1))
        return min(1.0, float(Fraction(2 * ways, 2**discordant)))

    @property
    def difference(self) -> float:
        """The share of errors of the first less that of the second."""
        return (self.only_first - self.only_second) / self.positions if self.positions else 0.0

    @property
    def verdict(self) -> str:
        """Which search errs less often, in words."""
        if self.p_value >= SIGNIFICANCE:
            return "no difference that chance could not make"
        better = "second" if self.only_first > self.only_second else "first"
        return f"the {better} errs less often"


def paired(first: Sequence[bool], second: Sequence[bool]) -> PairedErrors:
    """Compare errors on the same positions, in the same order. Raises ValueError for other ones."""
    if len(first) != len(second):
        raise ValueError(
            f"expected errors on the same positions; found {len(first)}, {len(second)}"
        )
    both = list(zip(first, second, strict=True))
    return PairedErrors(
        sum(one and not other for one, other in both),
        sum(other and not one for one, other in both),
        len(both),
    )
