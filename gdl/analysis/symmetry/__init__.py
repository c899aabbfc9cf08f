"""The symmetries of a game: permutations of facts, moves and roles that keep the rules.

In comes a compiled game; out go generators of its symmetry group, and the group as arrays for
:mod:`gdl.engine`. Start in ``symmetry``: it draws the ground rules as a graph (``rule_graph``) and
searches it for ``automorphisms``; ``symmetry_group`` multiplies the generators out.
"""

from gdl.analysis.symmetry.symmetry import find_symmetries
from gdl.analysis.symmetry.symmetry_group import generated_group

__all__ = [
    "find_symmetries",
    "generated_group",
]
