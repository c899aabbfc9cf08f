"""A transposition table: bounds of the values of states, from depth-limited searches.

A state is reached on many paths, and again in every deeper search. For each state the table keeps
the bounds on its value that the deepest search so far has found.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from functools import wraps
from typing import Concatenate, ParamSpec, Protocol, TypeVar

from gdl import State
from ggp_player.strategies.textbook.game_tree import HIGHEST_VALUE, LOWEST_VALUE
from ggp_player.strategies.textbook.memory import MemoTable

TO_THE_END = 1_000_000
"""The depth of a search that reached no horizon: its value holds for any depth."""


@dataclass(frozen=True, slots=True)
class ValueBounds:
    """A search of ``depth`` steps has found a value between ``low`` and ``high``, 0 to 100."""

    depth: int
    low: float
    high: float

    def decide(self, alpha: float, beta: float) -> float | None:
        """Return a value that decides a search between alpha and beta, or None."""
        if self.low == self.high or self.low >= beta:
            return self.low
        return self.high if self.high <= alpha else None


class Transposing(Protocol):
    """A search with a table, which counts how often it has stopped at its horizon."""

    table: MemoTable[tuple[Hashable, ...], ValueBounds]
    horizons: int


Search = TypeVar("Search", bound=Transposing)
View = ParamSpec("View")
Scoring = Callable[Concatenate[Search, State, int, float, float, View], float]


def transposed(score: Scoring[Search, View]) -> Scoring[Search, View]:
    """Look up ``score(state, depth, alpha, beta, ...)`` in the table of the search first.

    Arguments after beta say from whose view the state is scored, and are part of the key. An entry
    is used if it comes from as deep a search and decides between alpha and beta.
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
