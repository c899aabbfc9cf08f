"""TODO."""

from gdl.analysis.decomposition.decomposition import decompose
from gdl.analysis.decomposition.interface import Conjunction, holds, interface_of

__all__ = [
    "Conjunction",
    "decompose",
    "holds",
    "interface_of",
]
