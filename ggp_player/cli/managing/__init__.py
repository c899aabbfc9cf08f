"""The commands that manage matches between players: one match, or a tournament.

In come rulesheets, players and clocks from the command line; the work is done by
:mod:`ggp_player.manager`.
"""
