"""TODO."""

from ggp_player.server.config import Config, load_config
from ggp_player.server.http import serve
from ggp_player.server.player import Player

__all__ = [
    "Config",
    "Player",
    "load_config",
    "serve",
]
