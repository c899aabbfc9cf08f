"""TODO."""

from gdl.grounding.gringo import Budget, GroundProgram, Row
from gdl.grounding.options import RulePasses
from gdl.grounding.pipeline import GroundGame, ground_game

__all__ = [
    "Budget",
    "GroundGame",
    "GroundProgram",
    "Row",
    "RulePasses",
    "ground_game",
]
