"""Grounding that all tests of a run share: to start gringo takes longer than most games do."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from tempfile import NamedTemporaryFile

from gdl.grounding import gringo
from gdl.grounding.gringo import GroundingBudget

run_gringo = gringo._run_gringo
"""It starts gringo at every call, for tests that are about that."""


def grounding_once(folder: Path) -> Callable[[str, GroundingBudget], bytes]:
    """Return what can take the place of ``run_gringo``, and keeps its output in a folder."""

    def run(text: str, budget: GroundingBudget) -> bytes:
        known = folder / hashlib.sha256(f"{budget}\n{text}".encode()).hexdigest()
        if known.exists():
            return known.read_bytes()
        output = run_gringo(text, budget)
        with NamedTemporaryFile(dir=folder, delete=False) as file:
            file.write(output)
        Path(file.name).replace(known)
        return output

    return run
