"""The laboratory: what measures how strong a search is, and whether a change has made it stronger.

Sets of solved positions tell how often a search errs: :mod:`.solved_positions` stores them,
:mod:`.position_maker` makes them with the solvers of :mod:`.solving`, and :mod:`.position_test`
lets strategies choose moves in them.
"""
