"""The symmetries of a game: permutations of facts, moves and roles that keep the rules.

In comes a compiled game; out go generators of its symmetry group, and the group as arrays for
:mod:`gdl.engine`. Start in ``symmetry``: it draws the ground rules as a graph (``rule_graph``),
searches it for ``automorphisms``, and multiplies the generators out.
"""

from gdl.analysis.symmetry.symmetry import find_symmetries, generated_group, likely_group

__all__ = [
    "find_symmetries",
    "generated_group",
    "likely_group",
]
