"""Tournaments: many matches between players, and the standings and ratings that follow.

In come games and players, out go results in a file and a report. To start reading: ``schedule``
plans the matches, ``tournament_run`` has those without a result played, in which order,
``match_play`` here or ``cluster`` elsewhere; ``results`` keeps their results, ``standings`` and
``ratings`` sum them up, ``report`` writes them.

========  =====================================================================================
round     every pairing once in every game
pairing   two players that meet
seating   which player takes which role
set       the matches of a pairing in a game and a round: every seating, all with the same seed
points    the goal value over 100, from 0 to 1; the mean, if a player has several roles
bout      a comparison of two players' points: a win, a draw or a loss
score     a win counts 1, a draw one half
========  =====================================================================================
"""
