"""Selection: which strategy plays, by name, by parameters in text, or by the game.

In comes a text such as ``auto`` or ``alpha_beta:depth=3``, out a :class:`.Strategy` for one role in
one match. Start reading in :mod:`.registry`, which lists all strategies, and asks
:mod:`.own_strategies` for those from outside this package; :mod:`.auto` chooses among them by the
game, and :mod:`.portfolio` runs several side by side.
"""

from ggp_player.strategies.selection.auto import add_winning_moves
from ggp_player.strategies.selection.parameters import (
    StrategyDescription,
    describe_strategies,
)
from ggp_player.strategies.selection.registry import (
    STRATEGIES,
    create,
    strategy_class,
    strategy_from,
)

__all__ = [
    "STRATEGIES",
    "StrategyDescription",
    "add_winning_moves",
    "create",
    "describe_strategies",
    "strategy_class",
    "strategy_from",
]
