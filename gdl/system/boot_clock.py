"""The time since the machine was started, which nobody sets."""

from __future__ import annotations

import time
from contextlib import suppress

BOOT_FILE = "/proc/sys/kernel/random/boot_id"
"""Where Linux says which start of the machine this is."""


def boot_instant() -> tuple[str, float] | None:
    """Return which start of the machine this is, and the seconds since, also those asleep.

    Processes of one start can compare the seconds. It is None where that is not known, on macOS and
    Windows.
    """
    with suppress(OSError, AttributeError), open(BOOT_FILE, encoding="ascii") as file:  # noqa: PTH123 see the package
        return file.read().strip(), time.clock_gettime(time.CLOCK_BOOTTIME)
    return None
