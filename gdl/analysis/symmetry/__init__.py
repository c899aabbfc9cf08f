"""TODO."""

from gdl.analysis.symmetry.symmetry import find_symmetries
from gdl.analysis.symmetry.symmetry_group import generated_group

__all__ = [
    "find_symmetries",
    "generated_group",
]
