"""TODO."""

from ggp_player.strategies.selection.registry import STRATEGIES, create, strategy_from

__all__ = [
    "STRATEGIES",
    "create",
    "strategy_from",
]
