"""TODO."""

from ggp_player.move_service.pool import Pool
from ggp_player.move_service.service import CancellableDeadline, MoveService
from ggp_player.move_service.supervisor import Setup

__all__ = [
    "CancellableDeadline",
    "MoveService",
    "Pool",
    "Setup",
]
