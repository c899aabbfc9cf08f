"""A PostgreSQL server for tests; they are skipped where there is none."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from subprocess import DEVNULL
from tempfile import TemporaryDirectory
from typing import Any

import pytest


@contextmanager
def postgresql_server() -> Iterator[str]:
    """Run a PostgreSQL server, and yield the folder that has its socket."""
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
        options = f"-c listen_addresses='' -c fsync=off -k {name}"
        subprocess.run(["pg_ctl", "-D", "data", "-o", options, "-w", "start"], **quiet)
        try:
            yield name
        finally:
            subprocess.run(["pg_ctl", "-D", "data", "-m", "immediate", "stop"], **quiet)


def new_database(folder: str, name: str) -> str:
    """Create a database at the server that has its socket in a folder, and return its URL."""
    import psycopg

    with psycopg.connect(f"postgresql://test@/postgres?host={folder}", autocommit=True) as server:
        server.execute(psycopg.sql.SQL("CREATE DATABASE {}").format(psycopg.sql.Identifier(name)))
    return f"postgresql://test@/{name}?host={folder}"
