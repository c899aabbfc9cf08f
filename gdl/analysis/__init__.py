"""The structure of a game: what can be known of it before it is played.

>>> import gdl
>>> from gdl.analysis import analyse
>>> structure = analyse(gdl.compile(gdl.load("games/ticTacToe.kif")))
>>> structure.turns.one_at_a_time
Finding(value=True, certainty=<Certainty.PROVED: 'proved'>)
>>> structure.goals.sum.value, structure.length.bound.value, structure.size.states
(100, 9, 5478)
"""

from gdl.analysis.analysis import Analysis, analyse
from gdl.analysis.evidence import (
    Certainty,
    Choices,
    Decomposition,
    Finding,
    Goals,
    Latches,
    Length,
    Size,
    Structure,
    Subgame,
    Symmetry,
    Turns,
)

__all__ = [
    "Analysis",
    "Certainty",
    "Choices",
    "Decomposition",
    "Finding",
    "Goals",
    "Latches",
    "Length",
    "Size",
    "Structure",
    "Subgame",
    "Symmetry",
    "Turns",
    "analyse",
]
