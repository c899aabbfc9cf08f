"""Strategies: a position comes in, better and better choices of a move come out.

:mod:`.base` says what a strategy is and how to add one; start there. The packages, from top to
bottom; each imports only what is below it:

- :mod:`.selection`: strategies by name (``registry``) or by the game (``auto``, ``portfolio``)
- :mod:`.mcts`, :mod:`.solver`, :mod:`.planner`: the strong searches, on the compiled engine; none
  of them imports another
- :mod:`.textbook`: minimax, alpha-beta, max^n and their like, on any state machine
- :mod:`.engine_strategy`: :class:`EngineStrategy`, the base class of the strong searches
- :mod:`.base`: :class:`Strategy`, :class:`Position`, :class:`Choice` with its :class:`Counts`, and
  the words for how a move was found and what a search was limited by
- :mod:`.components`: which part of a search runs, for whoever measures it
"""

from ggp_player.errors import StrategyError
from ggp_player.strategies.base import (
    BranchReport,
    Choice,
    Counts,
    Limit,
    LoneStrategy,
    Method,
    MoveReport,
    Position,
    Strategy,
)
from ggp_player.strategies.components import (
    LEARNING,
    PROVERS,
    Component,
    Meter,
    Usage,
    component,
    metering,
    tally,
)
from ggp_player.strategies.engine_strategy import EngineStrategy, compiled_machine

__all__ = [
    "LEARNING",
    "PROVERS",
    "BranchReport",
    "Choice",
    "Component",
    "Counts",
    "EngineStrategy",
    "Limit",
    "LoneStrategy",
    "Meter",
    "Method",
    "MoveReport",
    "Position",
    "Strategy",
    "StrategyError",
    "Usage",
    "compiled_machine",
    "component",
    "metering",
    "tally",
]
