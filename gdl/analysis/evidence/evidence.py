"""What the analyses of one game work with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gdl.analysis.evidence.findings import Certainty
from gdl.analysis.evidence.observation import Observation, Samples
from gdl.analysis.evidence.prover import Prover
from gdl.analysis.evidence.reachability import Count
from gdl.analysis.evidence.ternary_simulation import GateGraph
from gdl.engine import PropnetStateMachine


@dataclass(frozen=True, slots=True)
class Evidence:
    """A compiled game, what random playouts showed, and a prover where it is small enough.

    ``supports``: see :func:`gdl.analysis.evidence.ternary_simulation.supports`. ``initial`` uint8 (fluents,).
    """

    machine: PropnetStateMachine
    circuit: GateGraph
    supports: Sequence[int]
    record: Observation
    samples: Samples
    initial: NDArray[np.uint8]
    count: Count
    prover: Prover | None

    def certainty(self, claims: Sequence[int]) -> Certainty:
        """Return how it is known, beside the playouts, that none of the claims ever holds."""
        if self.prover is not None and all(self.prover.never(claims)):
            return Certainty.PROVED
        return Certainty.OBSERVED

    def goal_rows(self, role: int) -> list[tuple[int, int]]:
        """Return the role's goal values in rising order, each with its place among all goals."""
        table = self.machine.engine.goal_table.tolist()
        return [(value, place) for place, (owner, value) in enumerate(table) if owner == role]
