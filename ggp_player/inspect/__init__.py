"""TODO."""

from ggp_player.inspect.joint_move_lists import Beginning
from ggp_player.inspect.report import json_object, print_analysis, print_position
from ggp_player.inspect.search_benchmark import measure_searches
from ggp_player.inspect.timed_search import TimedSearch, timed_search
from ggp_player.inspect.traced_strategies import TRACED_STRATEGIES, TracedStrategy
from ggp_player.inspect.tree_figure import Figure, figure_of
from ggp_player.inspect.tree_svg import svg_text

__all__ = [
    "TRACED_STRATEGIES",
    "Beginning",
    "Figure",
    "TimedSearch",
    "TracedStrategy",
    "figure_of",
    "json_object",
    "measure_searches",
    "print_analysis",
    "print_position",
    "svg_text",
    "timed_search",
]
