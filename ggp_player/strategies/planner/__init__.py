"""Planning in games of one role, on the compiled engine.

A position of a one-player game goes in; moves of the best plan found so far come out.
:mod:`.planner` is the strategy: it follows a plan, and runs the searches of
:mod:`.plan_portfolio` to find a better one. These are nested Monte Carlo search
(:mod:`.nested_search`), beam and breadth-first search (:mod:`.beam_search`), best-first and
depth-first search (:mod:`.best_first`), and the search of independent subgames
(:mod:`.subgame_search`). All expand states in blocks (:mod:`.state_space`), remember them in
:mod:`.search_memory` and rank them by :mod:`.heuristics`, most of which rest on a delete relaxation
of the circuit (:mod:`.delete_relaxation`). Start reading at :mod:`.planner`.
"""
