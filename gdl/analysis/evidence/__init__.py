"""The first stage of the analysis: what is gathered of a game before anything is concluded.

In comes a compiled game (or, for a survey alone, any state machine); out goes its
:class:`Evidence`: a survey of random play with sampled states, the circuit as a graph, the
reachable states where they are few, and a prover. Start in ``evidence``. ``findings`` holds what
the later stages conclude: the fields of :class:`Structure`, each a :class:`Finding`.
"""

from gdl.analysis.evidence.block_survey import observe_blocks
from gdl.analysis.evidence.disjoint_sets import DisjointSets
from gdl.analysis.evidence.evidence import Evidence
from gdl.analysis.evidence.findings import (
    Choices,
    Confidence,
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
from gdl.analysis.evidence.gate_graph import GateGraph, fanin_cone, gate_graph_of
from gdl.analysis.evidence.influence_graph import (
    Cluster,
    InfluenceGraph,
    bit_indices,
    build_influence_graph,
    propagate_supports,
    supports,
)
from gdl.analysis.evidence.prover import Prover
from gdl.analysis.evidence.reachability import (
    Reachability,
    ReachableStates,
    enumerate_reachable,
)
from gdl.analysis.evidence.survey import NONE, Distribution, Survey, observe, take_survey
from gdl.analysis.evidence.ternary_simulation import simulate_ternary

__all__ = [
    "NONE",
    "Choices",
    "Cluster",
    "Confidence",
    "Decomposition",
    "DisjointSets",
    "Distribution",
    "Evidence",
    "Finding",
    "GateGraph",
    "Goals",
    "InfluenceGraph",
    "Latches",
    "Length",
    "Prover",
    "Reachability",
    "ReachableStates",
    "Size",
    "Structure",
    "Subgame",
    "Survey",
    "Symmetry",
    "Turns",
    "bit_indices",
    "build_influence_graph",
    "enumerate_reachable",
    "fanin_cone",
    "gate_graph_of",
    "observe",
    "observe_blocks",
    "propagate_supports",
    "simulate_ternary",
    "supports",
    "take_survey",
]
