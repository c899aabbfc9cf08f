"""A folder whose modules take the place of others, if they are imported by mistake."""

import os
import subprocess
import sys
from pathlib import Path

HOSTILE = (
    *("aiohttp", "clingo", "ctypes", "gdl", "ggp_player", "json", "lark", "llvmlite", "numba"),
    *("numpy", "platformdirs", "pydantic", "random", "resource", "signal", "socket", "tempfile"),
)
"""Packages of ours, of others and of Python itself: what the processes that we start import."""


def write_hostile_modules(folder: Path) -> Path:
    """Write a package for each name in ``HOSTILE`` that fails when it is imported."""
    for name in HOSTILE:
        (folder / name).mkdir()
        (folder / name / "__init__.py").write_text(f"raise SystemError('hostile {name}')")
    return folder


def command(code: str) -> list[str]:
    """The command line of a process that runs code, with the search path of this one.

    The path is not in its environment, and the current folder is not in its path, as it is for the
    commands that an installation makes.
    """
    return [sys.executable, "-c", f"import sys; sys.path[:] = {sys.path!r}\n{code}"]


def run_in(folder: Path, code: str, *arguments: object) -> str:
    """Run code in a folder and return its output; it must succeed and import nothing there."""
    done = subprocess.run(
        [*command(code), *map(str, arguments)],
        cwd=folder,
        env={name: value for name, value in os.environ.items() if name != "PYTHONPATH"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, "hostile" in done.stderr) == (0, False), done.stderr
    return done.stdout
