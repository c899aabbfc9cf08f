"""Strategies, one algorithm a file; :mod:`ggp_player.strategies.base` says how to add one."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from ggp_player.strategies.alpha_beta import AlphaBeta
from ggp_player.strategies.auto import Auto
from ggp_player.strategies.base import Choice, Position, Strategy, StrategyError
from ggp_player.strategies.bounded_minimax import BoundedMinimax
from ggp_player.strategies.creation import strategy_from
from ggp_player.strategies.deliberation import Deliberation
from ggp_player.strategies.enumeration import Enumeration
from ggp_player.strategies.legal import Legal
from ggp_player.strategies.max_n import MaxN
from ggp_player.strategies.minimax import Minimax
from ggp_player.strategies.monte_carlo import MonteCarlo
from ggp_player.strategies.planner import Planner
from ggp_player.strategies.planning import Planning
from ggp_player.strategies.proof import Proof
from ggp_player.strategies.random_move import RandomMove
from ggp_player.strategies.uct import Uct

STRATEGIES: Mapping[str, type[Strategy]] = MappingProxyType(
    {
        kind.name: kind
        for kind in (
            Auto,
            AlphaBeta,
            BoundedMinimax,
            Deliberation,
            Enumeration,
            Legal,
            MaxN,
            Minimax,
            MonteCarlo,
            Planner,
            Planning,
            Proof,
            RandomMove,
            Uct,
        )
    }
)
"""Every strategy by its name."""


def create(spec: str) -> Strategy:
    """Return a new strategy, for one role in one match.

    ``spec`` is a name from ``STRATEGIES``, or a name with parameters, or a class of your own:
    ``minimax``, ``bounded_minimax:lower=0,upper=51``, ``package.module:Class``. Raises
    :class:`StrategyError` where it is none of these.
    """
    return strategy_from(spec, STRATEGIES)


__all__ = ["STRATEGIES", "Choice", "Position", "Strategy", "StrategyError", "create"]
