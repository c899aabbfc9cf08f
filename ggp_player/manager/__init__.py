"""The game manager: it runs matches between players, and holds them to rules and clocks.

In come a rulesheet, players (strategies here, or the addresses of player servers) and clocks; out
comes a match record. Start reading in ``game_manager``; ``players`` says who may take a seat, and
the package ``tournament`` plays many matches and compares the players.
"""

from ggp_player.errors import MatchError
from ggp_player.manager.game_manager import (
    GameManager,
    MatchSetup,
    MatchStep,
    check_seats,
    game_name,
)
from ggp_player.manager.mailboxes import Mailbox, Mailboxes, PolledPlayer
from ggp_player.manager.players import (
    MAX_REPLY,
    SENT_DIALECTS,
    MatchPlayer,
    RemotePlayer,
    Seat,
    open_player,
    seat_of,
)

__all__ = [
    "MAX_REPLY",
    "SENT_DIALECTS",
    "GameManager",
    "Mailbox",
    "Mailboxes",
    "MatchError",
    "MatchPlayer",
    "MatchSetup",
    "MatchStep",
    "PolledPlayer",
    "RemotePlayer",
    "Seat",
    "check_seats",
    "game_name",
    "open_player",
    "seat_of",
]
