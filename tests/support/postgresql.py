"""A PostgreSQL server for tests; they are skipped where there is none."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from subprocess import DEVNULL
from tempfile import TemporaryDirectory
from typing import Any

import pytest


def postgresql() -> Iterator[str]:
    """Run a PostgreSQL server at a socket in a folder of its own, and yield its URL."""
    for program in ("initdb", "pg_ctl"):
        if shutil.which(program) is None:
            pytest.skip(f"there is no {program}")
    pytest.importorskip("psycopg", reason="the extra postgresql is not installed")
    with TemporaryDirectory(ignore_cleanup_errors=True) as name:
        quiet: dict[str, Any] = {"check": True, "stdout": DEVNULL, "stderr": DEVNULL, "cwd": name}
        if os.geteuid() == 0:  # PostgreSQL does not run as root
            shutil.chown(name, "nobody")
            quiet["user"] = "nobody"
        subprocess.run(["initdb", "-D", "data", "-U", "test", "--auth=trust", "-N"], **quiet)
        options = f"-c listen_addresses='' -k {name}"
        subprocess.run(["pg_ctl", "-D", "data", "-o", options, "-w", "start"], **quiet)
        try:
            yield f"postgresql://test@/postgres?host={name}"
        finally:
            subprocess.run(["pg_ctl", "-D", "data", "-m", "immediate", "stop"], **quiet)
