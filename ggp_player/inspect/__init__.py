"""Analysis of one position, for ``ggp-player analyze``: searches, reports and search trees.

In come a position (``move_sequences`` finds it from the moves of a match) and a strategy; out go
its choices and values as text and JSON, and the tree that it has searched as a drawing. Start
reading in ``timed_search``. A tree passes ``traced_strategies`` and ``search_trace`` (what was
visited), ``tree_figure`` (what is shown of it), and ``tree_drawing`` (SVG or HTML).
``pattern_report`` says what learned patterns think of a position.
"""

from ggp_player.inspect.move_sequences import MatchPrefix
from ggp_player.inspect.pattern_report import (
    learn_for_report,
    patterns_object,
    print_patterns,
    report_patterns,
)
from ggp_player.inspect.report import json_object, print_analysis, print_position
from ggp_player.inspect.search_benchmark import measure_searches
from ggp_player.inspect.timed_search import (
    TimedSearch,
    machine_for,
    searching_role,
    strategy_for,
    timed_search,
)
from ggp_player.inspect.traced_strategies import TRACED_STRATEGIES, TracedStrategy
from ggp_player.inspect.tree_drawing import PAGE_LIMITS, tree_dot, tree_html, tree_svg
from ggp_player.inspect.tree_figure import FigureLimits, TreeFigure, make_tree_figure

__all__ = [
    "PAGE_LIMITS",
    "TRACED_STRATEGIES",
    "FigureLimits",
    "MatchPrefix",
    "TimedSearch",
    "TracedStrategy",
    "TreeFigure",
    "json_object",
    "learn_for_report",
    "machine_for",
    "make_tree_figure",
    "measure_searches",
    "patterns_object",
    "print_analysis",
    "print_patterns",
    "print_position",
    "report_patterns",
    "searching_role",
    "strategy_for",
    "timed_search",
    "tree_dot",
    "tree_html",
    "tree_svg",
]
