"""The match runner: it asks the players of one match, and holds them to the rules and the clocks.

Start reading in ``game_manager``; ``players`` says what a player is to it. Matches of players here
or on the network run on it as they are; in :mod:`ggp_player.play` it also goes back to earlier
steps, and gives the seats to others.
"""

from ggp_player.match_runner.game_manager import (
    GameManager,
    MatchSetup,
    MatchStep,
    check_seats,
    game_name,
)
from ggp_player.match_runner.own_faults import LackError, SelfWatch, lack_in
from ggp_player.match_runner.players import DistantPlayer, LocalPlayer, MatchPlayer, SeatedPlayer

__all__ = [
    "DistantPlayer",
    "GameManager",
    "LackError",
    "LocalPlayer",
    "MatchPlayer",
    "MatchSetup",
    "MatchStep",
    "SeatedPlayer",
    "SelfWatch",
    "check_seats",
    "game_name",
    "lack_in",
]
