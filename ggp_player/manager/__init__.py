"""The game manager: it runs matches between players, and holds them to rules and clocks.

In come a rulesheet, players (strategies here, or the addresses of player servers) and clocks; out
comes a match record. One match is run by :mod:`ggp_player.match_runner`; ``players`` says who may
take a seat, and the package ``tournament`` plays many matches and compares the players.
"""

from ggp_player.errors import MatchError
from ggp_player.manager.mailboxes import Mailboxes, PolledPlayer
from ggp_player.manager.players import (
    MAX_REPLY,
    SENT_DIALECTS,
    RemotePlayer,
    Seat,
    check_reachable,
    compile_searches_of,
    open_player,
    seat_of,
)
from ggp_player.match_rules import LocalRules
from ggp_player.match_runner.game_manager import (
    GameManager,
    MatchSetup,
    MatchStep,
    check_seats,
    game_name,
)
from ggp_player.match_runner.own_faults import LackError, SelfWatch, lack_in
from ggp_player.match_runner.players import DistantPlayer, MatchPlayer

__all__ = [
    "MAX_REPLY",
    "SENT_DIALECTS",
    "DistantPlayer",
    "GameManager",
    "LackError",
    "LocalRules",
    "Mailboxes",
    "MatchError",
    "MatchPlayer",
    "MatchSetup",
    "MatchStep",
    "PolledPlayer",
    "RemotePlayer",
    "Seat",
    "SelfWatch",
    "check_reachable",
    "check_seats",
    "compile_searches_of",
    "game_name",
    "lack_in",
    "open_player",
    "seat_of",
]
