"""What the planner searches with: spaces of states, guides, and ways to go through them."""

from ggp_player.strategies.planner.planner import Planner

__all__ = [
    "Planner",
]
