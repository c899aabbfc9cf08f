"""TODO."""

from ggp_player.inspect.joint_move_lists import Beginning
from ggp_player.inspect.report import json_object, print_analysis, print_position
from ggp_player.inspect.timed_search import TimedSearch, timed_search
from ggp_player.inspect.traced_strategies import TRACED_STRATEGIES, TracedStrategy
from ggp_player.inspect.tree_drawing import tree_dot, tree_svg
from ggp_player.inspect.tree_figure import TreeFigure, figure_of

__all__ = [
    "TRACED_STRATEGIES",
    "Beginning",
    "TimedSearch",
    "TracedStrategy",
    "TreeFigure",
    "figure_of",
    "json_object",
    "print_analysis",
    "print_position",
    "timed_search",
    "tree_dot",
    "tree_svg",
]
