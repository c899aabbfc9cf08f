"""Strategies, one algorithm a file; :mod:`ggp_player.strategies.base` says how to add one."""

from ggp_player.strategies.base import Choice, Position, Strategy

__all__ = ["Choice", "Position", "Strategy"]
