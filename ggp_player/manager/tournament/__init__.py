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

from ggp_player.errors import TournamentError
from ggp_player.manager.tournament.games import TournamentGame, load_games
from ggp_player.manager.tournament.match_log import MatchLog
from ggp_player.manager.tournament.match_play import DEFAULT_MAX_STEPS, MatchConditions
from ggp_player.manager.tournament.players import check_players, takes_one_match
from ggp_player.manager.tournament.ratings import rate, ratings
from ggp_player.manager.tournament.report import TournamentReport
from ggp_player.manager.tournament.results import (
    Identity,
    LineFile,
    MatchResult,
    ResultsFile,
    ResultsLog,
)
from ggp_player.manager.tournament.schedule import (
    SEED_BITS,
    PlannedMatch,
    TournamentPlan,
    make_schedule,
)
from ggp_player.manager.tournament.standings import (
    Bout,
    Interval,
    StandingsRow,
    interval,
    match_points,
    standings,
)
from ggp_player.manager.tournament.tournament_run import TournamentRun

__all__ = [
    "DEFAULT_MAX_STEPS",
    "SEED_BITS",
    "Bout",
    "Identity",
    "Interval",
    "LineFile",
    "MatchConditions",
    "MatchLog",
    "MatchResult",
    "PlannedMatch",
    "ResultsFile",
    "ResultsLog",
    "StandingsRow",
    "TournamentError",
    "TournamentGame",
    "TournamentPlan",
    "TournamentReport",
    "TournamentRun",
    "check_players",
    "interval",
    "load_games",
    "make_schedule",
    "match_points",
    "rate",
    "ratings",
    "standings",
    "takes_one_match",
]
