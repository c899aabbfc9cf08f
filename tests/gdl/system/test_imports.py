"""A process that was just started can use :mod:`gdl.system` at once: it imports little."""

from __future__ import annotations

import subprocess
import sys

from gdl.system import child_environment

SLOW = {"asyncio", "gdl.public_api", "hashlib", "inspect", "numpy", "pathlib", "re", "typing"}

TELL = "import gdl.system, sys; print(*sys.modules)"


def test_nothing_slow_is_imported() -> None:
    command = [sys.executable, "-S", "-c", TELL]  # without the site module, as gringo's worker
    done = subprocess.run(
        command, env=child_environment(), capture_output=True, check=True, text=True
    )
    assert "gdl.system" in done.stdout.split()
    assert not SLOW & set(done.stdout.split())
