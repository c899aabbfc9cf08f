"""How large a game is: lines of play, estimated, and states, counted where they are few.

Apart from length, though both are in steps of playouts: each property has a module of its name.
"""

from __future__ import annotations

from gdl.analysis.evidence.findings import Size
from gdl.analysis.evidence.reachability import Reachability
from gdl.analysis.evidence.survey import Survey

WINDOW = 2
"""Steps before and after one that are pooled with it, as meetings are few."""

ENOUGH_PAIRS = 10_000
"""If none of so many pairs of playouts meet, there are very many states."""


def find_size(survey: Survey, reachability: Reachability | None = None) -> Size:
    """Find the size of a game; states are counted or estimated only given its reachability."""
    if reachability is None:
        return Size(survey.lines, None, 0)
    reachable = reachability.reachable
    states = None if reachable is None else reachable.states
    return Size(survey.lines, states, reachability.counted, _typical_states(survey))


def _typical_states(survey: Survey) -> int | None:
    """Estimate the number of states by how often playouts meet, None where they do not.

    If the n states after a number of steps were all equally likely, one in n pairs of playouts
    would meet; where they are not, more do.
    """
    total = 0.0
    for step in range(len(survey.pairs)):
        around = slice(max(0, step - WINDOW), step + WINDOW + 1)
        pairs, meetings = sum(survey.pairs[around]), sum(survey.meetings[around])
        if meetings:
            total += pairs / meetings
        elif pairs >= ENOUGH_PAIRS:
            return None
    return round(total)
