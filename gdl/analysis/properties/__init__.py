"""TODO."""

from gdl.analysis.properties.goals import goals, observed_goals
from gdl.analysis.properties.latches import LatchedFluents, deciding, prove_latches
from gdl.analysis.properties.length import clock_fluents, length, observed_length
from gdl.analysis.properties.mutex_groups import prove_groups
from gdl.analysis.properties.size import size
from gdl.analysis.properties.turns import observed_turns, turns

__all__ = [
    "LatchedFluents",
    "clock_fluents",
    "deciding",
    "goals",
    "length",
    "observed_goals",
    "observed_length",
    "observed_turns",
    "prove_groups",
    "prove_latches",
    "size",
    "turns",
]
