"""What enumeration and proof search with: states in lanes, stores, tables, and kernels."""

from ggp_player.strategies.solver.enumeration import Enumeration
from ggp_player.strategies.solver.proof import MAX_DEPTH, Proof, ProofTree
from ggp_player.strategies.solver.series import Series

__all__ = [
    "MAX_DEPTH",
    "Enumeration",
    "Proof",
    "ProofTree",
    "Series",
]
