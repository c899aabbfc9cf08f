"""The second stage of the analysis: single properties of a game.

In comes :class:`gdl.analysis.evidence.Evidence`, or a survey alone; out go findings. One property
a module: ``turns``, ``goals``, ``length``, ``size``, ``latches`` and ``mutex_groups``. Start in
``turns``. The ``observed_*`` functions conclude from random playouts; the others prove what they
can, from the reachable states or with the prover.
"""

from gdl.analysis.properties.goals import find_goals, observed_goals
from gdl.analysis.properties.latches import (
    LatchedFluents,
    find_deciding_latches,
    prove_latches,
)
from gdl.analysis.properties.length import clock_fluents, find_length, observed_length
from gdl.analysis.properties.mutex_groups import prove_mutex_groups
from gdl.analysis.properties.size import find_size
from gdl.analysis.properties.turns import find_turns, observed_turns

__all__ = [
    "LatchedFluents",
    "clock_fluents",
    "find_deciding_latches",
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
