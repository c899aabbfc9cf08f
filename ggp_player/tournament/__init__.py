"""Tournaments: many matches between players, and what they say about who is stronger.

========  =====================================================================================
round     every pairing once in every game
pairing   two players that meet
seating   which player takes which role
set       the matches of a pairing in a game and a round: every seating, all with the same seed
points    the goal value over 100, from 0 to 1; of several roles, their mean
bout      a comparison of two players' points: a win, a draw or a loss
score     a win counts 1, a draw one half
========  =====================================================================================

:mod:`schedule <ggp_player.tournament.schedule>` says what is to be played,
:mod:`runner <ggp_player.tournament.runner>` plays it,
:mod:`results <ggp_player.tournament.results>` keeps what came of it,
:mod:`standings <ggp_player.tournament.standings>` and
:mod:`ratings <ggp_player.tournament.ratings>` add it up, and
:mod:`report <ggp_player.tournament.report>` tells it.
"""
