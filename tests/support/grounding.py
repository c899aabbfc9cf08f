"""Grounding that all tests of a run share: to start gringo takes longer than most games do."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path

from gdl.grounding import gringo
from gdl.grounding.gringo import GroundingBudget
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
