"""Grounding that all tests of a run share: to start gringo takes longer than most games do."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np

from gdl.grounding import GroundingBudget, GroundRows, Row, gringo
from gdl.system.files import write_whole

run_gringo = gringo._run_gringo
"""It starts gringo at every call, for tests that are about that."""


def grounding_once(folder: Path) -> Callable[[str, GroundingBudget], bytes]:
    """Return a function like ``run_gringo`` that keeps the output for each program in a folder."""

    def run(text: str, budget: GroundingBudget) -> bytes:
        known = folder / hashlib.sha256(f"{budget}\n{text}".encode()).hexdigest()
        if known.exists():
            return known.read_bytes()
        output = run_gringo(text, budget)
        write_whole(known, output)
        return output

    return run


def ground_rows(rows: Mapping[Row, int], arity: int) -> GroundRows:
    """Make ground rows of a dictionary."""
    arguments = np.array(list(rows), dtype=np.int32).reshape(len(rows), arity)
    return GroundRows(arguments, np.array(list(rows.values()), dtype=np.int32))
