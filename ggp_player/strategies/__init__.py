"""Ways to choose moves; :mod:`ggp_player.strategies.base` says what one is and how to add one."""

from ggp_player.errors import StrategyError
from ggp_player.strategies.base import (
    Choice,
    LoneStrategy,
    MoveReport,
    Position,
    Strategy,
)

__all__ = [
    "Choice",
    "LoneStrategy",
    "MoveReport",
    "Position",
    "Strategy",
    "StrategyError",
]
