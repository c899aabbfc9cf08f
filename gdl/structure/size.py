"""How large a game is: lines of play, estimated, and states, counted where they are few."""

from __future__ import annotations

from math import fsum, inf, isfinite

from gdl.structure.census import Count
from gdl.structure.findings import Size
from gdl.structure.observation import Observation


def size(record: Observation, count: Count | None = None) -> Size:
    """Return how large a game is.

    Lines of play are estimated: each playout is a sample, the product of the numbers of joint
    moves on its way.
    """
    lines = None
    if record.line_counts:
        finite = all(map(isfinite, record.line_counts))
        shares = [each / record.playouts for each in record.line_counts]
        lines = fsum(shares) if finite else inf
    if count is None:
        return Size(lines, None, 0)
    states = None if count.census is None else count.census.states
    return Size(lines, states, count.counted)
