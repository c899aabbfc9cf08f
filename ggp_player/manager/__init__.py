"""TODO."""

from ggp_player.errors import MatchError
from ggp_player.manager.game_manager import (
    RANDOM_ROLE,
    GameManager,
    MatchSetup,
    MatchStep,
    game_name,
)
from ggp_player.manager.players import MatchPlayer, RemotePlayer, Seat, seat_of, seated

__all__ = [
    "RANDOM_ROLE",
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
