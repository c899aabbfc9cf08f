"""The evidence that the analyses of one game share.

Apart from all that it holds, since each of these modules would otherwise import the others.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gdl.analysis.evidence.block_survey import Samples
from gdl.analysis.evidence.findings import Confidence
from gdl.analysis.evidence.gate_graph import GateGraph
from gdl.analysis.evidence.prover import Prover
from gdl.analysis.evidence.reachability import ReachableStates
from gdl.analysis.evidence.survey import Survey
from gdl.engine import PropnetStateMachine
from gdl.language import Term


@dataclass(frozen=True, slots=True)
class Evidence:
    """A compiled game, a survey of random playouts, and a prover where the game is small enough.

    ``supports`` comes from :func:`gdl.analysis.evidence.influence_graph.supports`; ``initial``,
    uint8 (fluents,), is the initial state. ``reachable`` is None where there are too many states;
    ``counted_states`` is how many were counted.
    """

    machine: PropnetStateMachine
    circuit: GateGraph
    supports: Sequence[int]
    survey: Survey
    samples: Samples
    initial: NDArray[np.uint8]
    reachable: ReachableStates | None
    counted_states: int
    prover: Prover | None

    def confidence(self, claims: Sequence[int]) -> Confidence:
        """PROVED if the prover shows that none of the claims ever holds, otherwise OBSERVED."""
        if self.prover is not None and all(self.prover.never(claims)):
            return Confidence.PROVED
        return Confidence.OBSERVED

    def facts_of(self, fluents: Iterable[int]) -> frozenset[Term]:
        """The facts that some fluents are, given by index."""
        return frozenset(self.machine.facts[fluent] for fluent in fluents)

    def goal_rows(self, role: int) -> list[tuple[int, int]]:
        """The role's goal values in rising order, each with its index among all goals."""
        table = self.machine.engine.goal_table.tolist()
        return [(value, index) for index, (owner, value) in enumerate(table) if owner == role]
