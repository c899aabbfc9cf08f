"""What must hold of any input holds of the seeds, of what was found, and of some hundred others."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from random import Random

import pytest

from tests.fuzz.registry import ENTRIES, findings
from tests.fuzz.target import Finding, Target, TooSlowError, cpu_limit, find
from tests.support.paths import ROOT

IN_PROCESS = sorted({*ENTRIES} - {"http"})
"""The targets that need no server."""

INPUTS = {"rulesheets": 25, "machines": 15}
"""How many mutations are tried for the slow targets."""

MOST_INPUTS = 200


def fail_on(found: Finding | None) -> None:
    if found is not None:
        pytest.fail(f"{found.data!r}\n{found.story}")


@pytest.mark.parametrize("name", IN_PROCESS)
def test_random_mutations(name: str) -> None:
    target = ENTRIES[name].load()
    random, seeds = Random(name), target.seeds()
    for _ in range(INPUTS.get(name, MOST_INPUTS)):
        data = target.mutate(random.choice(seeds), random)[: target.max_bytes]
        fail_on(find(target, data))


@pytest.mark.parametrize(
    ("name", "path"),
    [(name, path) for name in IN_PROCESS for path in findings(name)],
    ids=lambda value: value.name if isinstance(value, Path) else value,
)
def test_what_was_found_is_mended(name: str, path: Path) -> None:
    fail_on(find(ENTRIES[name].load(), path.read_bytes()))
