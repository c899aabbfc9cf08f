"""Programs of a few lines, each in a process of its own that imports what this one does."""

from __future__ import annotations

import subprocess
import sys

from gdl.system import child_environment


def printed_by(code: str, *arguments: str, **environment: str) -> str:
    """What a program prints, which must end without an error."""
    command = [sys.executable, "-c", code, *arguments]
    environment = {**child_environment(), **environment}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return done.stdout
