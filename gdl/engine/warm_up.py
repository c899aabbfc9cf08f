"""Warming up: the kernels that every game shares are compiled into the cache on disk."""

from __future__ import annotations

from gdl.circuit import circuit_kernels_are_ready, load_circuit_kernels
from gdl.engine.evaluators import kernels_are_ready, load_kernels

WIDTHS = (1, 8)
"""The widths of the blocks in use, in words: single states, and blocks of 512."""


def warm_up_kernels() -> None:
    """Compile the shared kernels into the cache on disk, which takes some seconds once."""
    for words in WIDTHS:
        load_kernels(words)
    load_circuit_kernels()


def kernels_are_warm() -> bool:
    """Check whether the shared kernels are compiled already."""
    return all(map(kernels_are_ready, WIDTHS)) and circuit_kernels_are_ready()
