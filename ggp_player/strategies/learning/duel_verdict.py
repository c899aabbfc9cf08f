"""When a duel is decided, and for whom: a sequential test, truncated.

It tests :data:`EQUAL` against :data:`BETTER` by the likelihood ratio of the points, match after
match. A draw counts as half a match won and half a match lost, which can only make errors rarer
than without draws. What it accepts how often, and after how many matches, is in ``docs/search.md``.

Source: A. Wald, Sequential tests of statistical hypotheses (1945).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from math import log

EQUAL, BETTER = 0.5, 0.75
"""The shares of the points between which a duel decides."""

FALSE_ALARM, MISS = 0.08, 0.12
"""How often a challenger worth ``EQUAL`` may be taken, and one worth ``BETTER`` may not, about."""

MAX_MATCHES = 26
"""After so many matches the more likely of the two holds."""


class Verdict(Enum):
    """Who should play the match."""

    OPEN = "open"
    CHALLENGER = "challenger"
    CHAMPION = "champion"


@dataclass(slots=True)
class Score:
    """The points of a challenger, in hundredths of the goal values, in so many matches."""

    points: float = 0.0
    matches: int = 0

    @property
    def share(self) -> float:
        """The part of the points that it has won."""
        return self.points / self.matches if self.matches else 0.5

    @property
    def verdict(self) -> Verdict:
        """What the test says."""
        lost = self.matches - self.points
        ratio = self.points * log(BETTER / EQUAL) + lost * log((1 - BETTER) / (1 - EQUAL))
        if ratio >= log((1 - MISS) / FALSE_ALARM):
            return Verdict.CHALLENGER
        if ratio <= log(MISS / (1 - FALSE_ALARM)):
            return Verdict.CHAMPION
        if self.matches < MAX_MATCHES:
            return Verdict.OPEN
        return Verdict.CHALLENGER if ratio >= 0 else Verdict.CHAMPION
