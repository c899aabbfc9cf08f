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

:mod:`schedule <ggp_player.manager.tournament.make_schedule>` says what is to be played,
:mod:`runner <ggp_player.manager.tournament.runner>` plays it,
:mod:`results <ggp_player.manager.tournament.results>` keeps what came of it,
:mod:`standings <ggp_player.manager.tournament.standings>` and
:mod:`ratings <ggp_player.manager.tournament.ratings>` add it up, and
:mod:`report <ggp_player.manager.tournament.report>` tells it.
"""

from ggp_player.errors import TournamentError
from ggp_player.manager.tournament.entrants import check_players, is_remote
from ggp_player.manager.tournament.games import TournamentGame, load_games
from ggp_player.manager.tournament.ratings import MISSING, is_available, library
from ggp_player.manager.tournament.report import TournamentReport
from ggp_player.manager.tournament.results import Identity, ResultsBook, ResultsFile
from ggp_player.manager.tournament.runner import DEFAULT_MAX_STEPS, Conditions
from ggp_player.manager.tournament.schedule import PlannedMatch, TournamentPlan, make_schedule
from ggp_player.manager.tournament.session import TournamentRun

__all__ = [
    "DEFAULT_MAX_STEPS",
    "MISSING",
    "Conditions",
    "Identity",
    "PlannedMatch",
    "ResultsBook",
    "ResultsFile",
    "TournamentError",
    "TournamentGame",
    "TournamentPlan",
    "TournamentReport",
    "TournamentRun",
    "check_players",
    "is_available",
    "is_remote",
    "library",
    "load_games",
    "make_schedule",
]
