"""TODO."""

from gdl.analysis.evidence.disjoint_sets import Union
from gdl.analysis.evidence.evidence import CHANCE, Evidence
from gdl.analysis.evidence.findings import (
    Certainty,
    Choices,
    Division,
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
from gdl.analysis.evidence.influence_graph import Dependence, Part, dependence
from gdl.analysis.evidence.observation import NONE, Observation, observe, observe_block
from gdl.analysis.evidence.prover import Prover
from gdl.analysis.evidence.reachability import Census, Count, take_census
from gdl.analysis.evidence.ternary_simulation import (
    Circuit,
    bits,
    certainty,
    circuit_of,
    spread,
    supports,
    without_others,
)

__all__ = [
    "CHANCE",
    "NONE",
    "Census",
    "Certainty",
    "Choices",
    "Circuit",
    "Count",
    "Dependence",
    "Division",
    "Evidence",
    "Finding",
    "Goals",
    "Latches",
    "Length",
    "Observation",
    "Part",
    "Prover",
    "Size",
    "Structure",
    "Subgame",
    "Symmetry",
    "Turns",
    "Union",
    "bits",
    "certainty",
    "circuit_of",
    "dependence",
    "observe",
    "observe_block",
    "spread",
    "supports",
    "take_census",
    "without_others",
]
