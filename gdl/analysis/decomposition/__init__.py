"""The decomposition of a game into independent parts, parallel or in series.

In comes :class:`gdl.analysis.evidence.Evidence`; out goes a
:class:`gdl.analysis.evidence.Decomposition`. Start in ``decomposition``, which factors the
influence graph; ``part_merging`` unites parts that the goals bind together, and lists what the rest
of a game sees of a part, for strategies that search part by part.
"""

from gdl.analysis.decomposition.decomposition import decompose
from gdl.analysis.decomposition.part_merging import Conjunction, evaluate_conditions, interface_of

__all__ = [
    "Conjunction",
    "decompose",
    "evaluate_conditions",
    "interface_of",
]
