"""TODO."""

from ggp_player.manager.game_manager import (
    RANDOM_ROLE,
    GameManager,
    MatchError,
    MatchSetup,
    Step,
    game_name,
)
from ggp_player.manager.players import Contestant, RemoteContestant, Seat, seat_of, seated

__all__ = [
    "RANDOM_ROLE",
    "Contestant",
    "GameManager",
    "MatchError",
    "MatchSetup",
    "RemoteContestant",
    "Seat",
    "Step",
    "game_name",
    "seat_of",
    "seated",
]
