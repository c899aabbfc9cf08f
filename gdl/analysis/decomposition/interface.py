"""The interface of a part: what the rest of a game sees of some of its facts.

Every conjunction that reads these facts and others is split in two: the literals that depend on
these facts alone are a condition of the interface. Two states that agree on the interface and on
all other facts give the outputs that were asked for the same values.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from gdl.analysis.decomposition.part_merging import conjunctions
from gdl.analysis.evidence import GateGraph, propagate_supports

Conjunction: TypeAlias = NDArray[np.int64]
"""int64 (n,): literals of rows, of which all must hold."""

OWN, OTHER = 1, 2
"""What a row depends on, as bits: the facts of the part; any other facts or moves."""


def interface_of(circuit: GateGraph, own: Set[int], outputs: Sequence[int]) -> list[Conjunction]:
    """Find the conditions through which alone some literals depend on the fluents of some rows."""
    seeds = {row: OWN if row in own else OTHER for row in (*circuit.fluents, *circuit.moves)}
    depends = propagate_supports(circuit, seeds)
    asked = {literal >> 1 for literal in outputs}
    seen = {literal >> 1: [literal] for literal in outputs} | conjunctions(circuit, outputs)
    found = {
        tuple(sorted(literal for literal in literals if depends[literal >> 1] == OWN))
        for row, literals in seen.items()
        if depends[row] == OWN | OTHER or row in asked
    }
    return [np.array(literals, dtype=np.int64) for literals in sorted(found) if literals]


def evaluate_conditions(
    rows: NDArray[np.uint64], conditions: Sequence[Conjunction]
) -> NDArray[np.uint64]:
    """Evaluate conditions in the lanes of some rows: uint64 (conditions, words).

    All rows must have been written, which the interpreter does and native code does not.
    """
    found = [
        np.bitwise_and.reduce(rows[each >> 1] ^ -(each & 1)[:, None].astype(np.uint64), axis=0)
        for each in conditions
    ]
    return np.array(found, dtype=np.uint64).reshape(len(found), rows.shape[1])
