"""TODO."""

from gdl.grounding.gringo import GroundingBudget, GroundProgram, Row
from gdl.grounding.options import RulePasses
from gdl.grounding.pipeline import GroundGame, ground_game

__all__ = [
    "GroundGame",
    "GroundProgram",
    "GroundingBudget",
    "Row",
    "RulePasses",
    "ground_game",
]
