"""What figures from different computers depend on."""

from __future__ import annotations

import platform
from pathlib import Path
from typing import Any

from gdl.system import available_cpus, load_average


def circumstances() -> dict[str, Any]:
    """Return the processor, its cores, the load when this is called, and the version of Python."""
    return {
        "processor": _processor_name(),
        "cores": available_cpus(),
        "load": load_average(),
        "python": platform.python_version(),
    }


def _processor_name() -> str:
    """Return the name of the processor, as far as the system knows it."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()
