"""A Ray cluster for tests, of some worker processes on this machine."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest


@contextmanager
def ray_cluster(cpus: int) -> Iterator[Any]:
    """Start a cluster, and yield the module; skip the test where Ray is not installed."""
    ray = pytest.importorskip("ray", reason="needs the extra ray")
    ray.init(
        address="local",
        num_cpus=cpus,
        include_dashboard=False,
        log_to_driver=False,
        logging_level="ERROR",
        _node_ip_address="127.0.0.1",
        _system_config={"worker_niceness": 0},  # 15 by default: other tests would starve them
    )
    try:
        yield ray
    finally:
        ray.shutdown()


def workers_at_work(task: str) -> list[int]:
    """The processes of the workers of our cluster that are in a task of this name."""
    rows = subprocess.run(
        ["ps", "-eo", "pid,args"], capture_output=True, text=True, check=True
    ).stdout.splitlines()
    working = [int(row.split()[0]) for row in rows if f"ray::{task}" in row]
    return [pid for pid in working if Path(f"/proc/{pid}").exists() and _belongs_to_us(pid)]


def _belongs_to_us(pid: int) -> bool:
    """Whether a process descends from this one."""
    while pid > 1 and pid != os.getpid():
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        pid = int(fields[1])
    return pid == os.getpid()
