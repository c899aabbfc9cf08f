"""The structure of a game: what can be known of it before it is played.

In comes a state machine, out goes a :class:`Structure`. The stages are packages: ``evidence`` is
gathered first (random play, reachable states, a prover), ``properties`` are found in it (turns,
goals, length, size, latches, mutex groups), then ``decomposition`` (independent parts) and
``symmetry``. Start in ``analysis``, which calls them in this order. Of a match that is over
:func:`decisive_facts` and :func:`ending_rules` tell what has decided it.

>>> import gdl
>>> from gdl.analysis import analyse
>>> structure = analyse(gdl.compile(gdl.load("games/ticTacToe.kif")))
>>> structure.turns.one_at_a_time
Finding(value=True, confidence=<Confidence.PROVED: 'proved'>)
>>> structure.goals.sum.value, structure.length.bound.value, structure.size.states
(100, 9, 5478)
"""

import importlib
from typing import TYPE_CHECKING

from gdl.analysis.decisive_facts import decisive_facts, ending_rules

if TYPE_CHECKING:
    from gdl.analysis.analysis import Analysis, analyse
    from gdl.analysis.evidence.findings import (
        Choices,
        Confidence,
        Decomposition,
        Finding,
        Structure,
        Subgame,
        Symmetry,
    )
    from gdl.analysis.evidence.survey import NONE, Distribution, Survey, take_survey

__all__ = [
    "NONE",
    "Analysis",
    "Choices",
    "Confidence",
    "Decomposition",
    "Distribution",
    "Finding",
    "Structure",
    "Subgame",
    "Survey",
    "Symmetry",
    "analyse",
    "decisive_facts",
    "ending_rules",
    "take_survey",
]

_LATER = ("evidence.findings", "evidence.survey", "analysis")
"""The modules of the names that are imported when they are asked for."""


def __getattr__(name: str) -> object:
    """Import what plays a game to survey it, NumPy among it, when it is asked for.

    Boards, names of moves and decisive facts are found without it, by processes that start often.
    """
    for module in _LATER if name in __all__ else ():
        found = importlib.import_module(f"{__name__}.{module}")
        if hasattr(found, name):
            return getattr(found, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
