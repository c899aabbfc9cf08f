"""TODO."""

from gdl.analysis.properties.goals import find_goals, observed_goals
from gdl.analysis.properties.latches import LatchedFluents, deciding, prove_latches
from gdl.analysis.properties.length import clock_fluents, find_length, observed_length
from gdl.analysis.properties.mutex_groups import prove_mutex_groups
from gdl.analysis.properties.size import find_size
from gdl.analysis.properties.turns import find_turns, observed_turns

__all__ = [
    "LatchedFluents",
    "clock_fluents",
    "deciding",
    "find_goals",
    "find_length",
    "find_size",
    "find_turns",
    "observed_goals",
    "observed_length",
    "observed_turns",
    "prove_latches",
    "prove_mutex_groups",
]
