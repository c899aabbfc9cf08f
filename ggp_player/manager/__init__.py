"""TODO."""

from ggp_player.errors import MatchError
from ggp_player.manager.game_manager import (
    GameManager,
    MatchSetup,
    MatchStep,
    game_name,
)
from ggp_player.manager.players import MatchPlayer, RemotePlayer, Seat, seat_of, seated

__all__ = [
    "GameManager",
    "MatchError",
    "MatchPlayer",
    "MatchSetup",
    "MatchStep",
    "RemotePlayer",
    "Seat",
    "game_name",
    "seat_of",
    "seated",
]
