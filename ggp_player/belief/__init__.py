"""What a role knows of the state in a game with hidden information (GDL-II).

A role is told its own move and its percepts after each step, and must infer the rest.
:class:`Belief` holds the states that agree with all of that, each with its probability; it is where
a search over information sets begins. :mod:`.batch` evaluates many steps together, and
:func:`hides_states` finds out whether a game hides anything at all.

Terms of the field: an *information set* of a role holds all histories that look the same to it, so
that it must decide in all of them alike; here it is a number (:class:`InformationSets`). A
*hypothesis* is a state together with the information sets of the other roles in it.
"""

from ggp_player.belief.batch import Joint, StepOutcome, View, batch_machine
from ggp_player.belief.belief import (
    ROOT,
    Belief,
    BeliefLimits,
    Hypothesis,
    InformationSets,
    StepObservation,
    hides_states,
)

__all__ = [
    "ROOT",
    "Belief",
    "BeliefLimits",
    "Hypothesis",
    "InformationSets",
    "Joint",
    "StepObservation",
    "StepOutcome",
    "View",
    "batch_machine",
    "hides_states",
]
