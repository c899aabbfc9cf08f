"""TODO."""

from gdl.analysis.decomposition.decomposition import division
from gdl.analysis.decomposition.interface import Conjunction, holds, interface

__all__ = [
    "Conjunction",
    "division",
    "holds",
    "interface",
]
