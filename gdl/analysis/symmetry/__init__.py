"""TODO."""

from gdl.analysis.symmetry.symmetry import symmetries
from gdl.analysis.symmetry.symmetry_group import closure

__all__ = [
    "closure",
    "symmetries",
]
