"""A transposition table: what depth-limited searches have found out about a state's value.

One state is reached by many paths, and again in every deeper search. The table keeps, for each
state, the bounds that the deepest search so far has put on its value.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from functools import wraps
from typing import Concatenate, ParamSpec, Protocol, TypeVar

from gdl import State
from ggp_player.strategies.textbook.memory import Table

LOWEST_VALUE, HIGHEST_VALUE = 0, 100
"""The range of goal values."""

TO_THE_END = 1_000_000
"""The depth of a search that met no horizon: its value is the game's, however deep one looks."""


@dataclass(frozen=True, slots=True)
class ValueBounds:
    """A value is ``low`` to ``high``, 0 to 100, by a search of ``depth`` steps."""

    depth: int
    low: float
    high: float

    def decide(self, alpha: float, beta: float) -> float | None:
        """Return a value that serves a search between alpha and beta, None where none does."""
        if self.low == self.high or self.low >= beta:
            return self.low
        return self.high if self.high <= alpha else None


class Transposing(Protocol):
    """A search with a table, which counts how often it has stopped at its horizon."""

    table: Table[tuple[Hashable, ...], ValueBounds]
    horizons: int


Search = TypeVar("Search", bound=Transposing)
View = ParamSpec("View")
Scoring = Callable[Concatenate[Search, State, int, float, float, View], float]


def transposed(score: Scoring[Search, View]) -> Scoring[Search, View]:
    """Answer ``score(state, depth, alpha, beta, ...)`` from the search's table where it can.

    What follows beta says from whose view the state is scored, and is part of the table's key. An
    entry is used where it is from as deep a search and decides between alpha and beta.
    """

    @wraps(score)
    def recall(
        self: Search,
        state: State,
        depth: int,
        alpha: float,
        beta: float,
        /,
        *view: View.args,
        **options: View.kwargs,
    ) -> float:
        key = (state, *view)
        known = self.table.get(key)
        if known is not None and known.depth >= depth:
            value = known.decide(alpha, beta)
            if value is not None:
                self.horizons += known.depth < TO_THE_END
                return value
        horizons = self.horizons
        value = score(self, state, depth, alpha, beta, *view, **options)
        reached = depth if self.horizons > horizons else TO_THE_END
        low = value if value > alpha else LOWEST_VALUE
        high = value if value < beta else HIGHEST_VALUE
        self.table[key] = ValueBounds(reached, low, high)
        return value

    return recall
