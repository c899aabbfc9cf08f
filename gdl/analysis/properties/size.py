"""How large a game is: lines of play, estimated, and states, counted where they are few."""

from __future__ import annotations

from math import fsum, inf, isfinite

from gdl.analysis.evidence import Count, Observation, Size

WINDOW = 2
"""Steps before and after one whose meetings are counted with it, as they are few."""

ENOUGH_PAIRS = 10_000
"""Pairs of playouts of which some should meet, or there are very many states."""


def find_size(record: Observation, count: Count | None = None) -> Size:
    """Return how large a game is.

    Lines of play are estimated: each playout is a sample, the product of the numbers of joint
    moves on its way. So are states: of as many pairs of playouts as there are states after so
    many steps, one meets on average if all states are as likely; if not, more do.
    """
    lines = None
    if record.line_counts:
        finite = all(map(isfinite, record.line_counts))
        shares = [each / record.playouts for each in record.line_counts]
        lines = fsum(shares) if finite else inf
    if count is None:
        return Size(lines, None, 0)
    states = None if count.census is None else count.census.states
    return Size(lines, states, count.counted, _typical_states(record))


def _typical_states(record: Observation) -> int | None:
    """Return how many states playouts seem to have to meet in, None where they do not meet."""
    total = 0.0
    for step in range(len(record.pairs)):
        around = slice(max(0, step - WINDOW), step + WINDOW + 1)
        pairs, meetings = sum(record.pairs[around]), sum(record.meetings[around])
        if meetings:
            total += pairs / meetings
        elif pairs >= ENOUGH_PAIRS:
            return None
    return round(total)
