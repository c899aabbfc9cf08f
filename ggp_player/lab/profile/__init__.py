"""Profiles: what a search does with its time, game by game, in minutes.

component
    What a search spends time on: a prover, the tree search, a part of the learner. Components name
    themselves (:class:`.Component`), so that a profile needs nothing of a strategy but its choices.
searching
    The time that is left when the analysis of the game and the learner have had theirs. A prover's
    share is measured by it: the learner ends sooner or later, and then the share is the same.
counts
    Descents, playouts and nodes of a component. They depend on the machine only by how many of them
    come to a second.

:mod:`.places` finds the states to search, :mod:`.search_profile` measures one search,
:mod:`.solving` what it takes to prove stored positions, :mod:`.game_profile` all that for a game,
and :mod:`.profile_report` tells.
"""
