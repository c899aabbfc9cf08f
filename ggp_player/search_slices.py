"""How long a search goes on before its next choice: one figure, set by whoever starts searches."""

from __future__ import annotations

NORMAL_SECONDS = 0.03
"""CPU time between two choices in a match, roughly."""

_set = NORMAL_SECONDS


def slice_seconds() -> float:
    """The CPU time, in seconds, that a search of this process should take between two choices."""
    return _set


def slice_share() -> float:
    """The part of a normal slice that :func:`slice_seconds` is, for slices that count something."""
    return _set / NORMAL_SECONDS


def set_slice_seconds(seconds: float) -> None:
    """Set the CPU time between two choices: shorter ones for limits of some hundredths of a second.

    Raises ValueError unless it is positive.
    """
    global _set
    if not seconds > 0:
        raise ValueError(f"expected a positive number of seconds; found {seconds}")
    _set = seconds
