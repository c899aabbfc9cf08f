"""Analysis of one position, for ``ggp-player analyze``: searches, reports and search trees.

In come a position (``move_sequences`` finds it from the moves of a match) and a strategy; out go
its choices and values as text and JSON, and the tree that it has searched as a drawing. Start
reading in ``timed_search``. A tree passes ``traced_strategies`` and ``search_trace`` (what was
visited), ``tree_figure`` (what is shown of it), and ``tree_drawing`` (SVG or HTML).
``pattern_report`` says what learned patterns think of a position.
"""
