"""A search of a textbook strategy, step by step: its tree as it grows, and the line that runs.

The strategy runs as it is, on a small game, while :mod:`.recording` watches some functions of its
own module by ``sys.settrace``: the lines, bounds and values of a step are those of the running
frames. :mod:`.routines` says which functions these are. :mod:`.value_recorder` makes nodes of their
calls, :mod:`.playout_recorder` of the nodes of a tree of playouts, and both write to the
:mod:`.step_log`, which is bounded. The lane search is compiled and so cannot be watched: of it
:mod:`.tree_growth` shows what it reports of its tree. Start reading in :mod:`.recording`.
"""
