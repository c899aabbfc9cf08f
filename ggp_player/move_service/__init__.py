"""TODO."""

from ggp_player.move_service.pool import Pool
from ggp_player.move_service.service import Executor, Patience
from ggp_player.move_service.supervisor import Setup

__all__ = [
    "Executor",
    "Patience",
    "Pool",
    "Setup",
]
