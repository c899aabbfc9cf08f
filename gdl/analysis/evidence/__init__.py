"""TODO."""

from gdl.analysis.evidence.disjoint_sets import DisjointSets
from gdl.analysis.evidence.evidence import Evidence
from gdl.analysis.evidence.findings import (
    Certainty,
    Choices,
    Decomposition,
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
from gdl.analysis.evidence.influence_graph import Cluster, InfluenceGraph, influence_graph
from gdl.analysis.evidence.observation import NONE, Observation, observe, observe_block
from gdl.analysis.evidence.prover import Prover
from gdl.analysis.evidence.reachability import Count, ReachableStates, enumerate_reachable
from gdl.analysis.evidence.ternary_simulation import (
    GateGraph,
    bits,
    gate_graph_of,
    spread,
    supports,
    ternary_simulation,
    without_others,
)

__all__ = [
    "NONE",
    "Certainty",
    "Choices",
    "Cluster",
    "Count",
    "Decomposition",
    "DisjointSets",
    "Evidence",
    "Finding",
    "GateGraph",
    "Goals",
    "InfluenceGraph",
    "Latches",
    "Length",
    "Observation",
    "Prover",
    "ReachableStates",
    "Size",
    "Structure",
    "Subgame",
    "Symmetry",
    "Turns",
    "bits",
    "enumerate_reachable",
    "gate_graph_of",
    "influence_graph",
    "observe",
    "observe_block",
    "spread",
    "supports",
    "ternary_simulation",
    "without_others",
]
