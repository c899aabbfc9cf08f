"""Building the archive of the kernels for circuits, which is shipped with the package.

Run as a program, this file builds it in the folder that is given, or in this one. It needs Numba,
and the environment that :mod:`gdl.array_kernels.numba_compiler` asks for: so let
``python -m ggp_player.worker.kernel_build`` run it, which builds the searches' kernels too. Apart
from the kernels, since it is a program, and since a change here must not make their archive stale.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from gdl.array_kernels.archive import no_archives
from gdl.circuit.arrays import Integers
from gdl.circuit.native import kernels
from gdl.circuit.native.kernels import CombinedSets, Pairs, SetGroups


def run_all_kernels() -> None:
    """Call each kernel with arguments of the types that it is called with."""
    keys, values = np.full(8, kernels.EMPTY, dtype=np.int64), _numbers(*range(8))
    left, right, out = _numbers(4), _numbers(2), _numbers(0)
    kernels.find_gates(keys, values, Pairs(left, right, out, _numbers(0)), -2)
    kernels.fill_gates(keys, values, left, right, out)
    kernels.look_up(keys, values, left, out)
    kernels.store(keys, values, left, out)
    kernels.rewrite_gates(np.zeros((2, 8), dtype=np.int64), _numbers(8), False, out, _numbers(0))
    waiting = np.ones(3, dtype=np.uint8)
    kernels.order_depth_first(_numbers(0, 0, 2), _numbers(0, 0, 2), waiting, _numbers(2), out)
    is_marked = np.ones(2, dtype=np.bool_)
    kernels.mark_what_is_read(_numbers(0, 0), _numbers(0, 0), is_marked, _numbers(1, 1, 0))
    counts = np.zeros((kernels.DIGITS, 1 << kernels.DIGIT_BITS), dtype=np.int64)
    kernels.sort_numbers(_numbers(1, 0), _numbers(0, 0), counts)
    kernels.order_numbers(_numbers(1, 0), _numbers(0, 0), _numbers(0, 0), counts)
    _combine_sets()


def _combine_sets() -> None:
    one, members = _numbers(1), np.array([2], dtype=np.int32)
    given = SetGroups(_numbers(0), one, np.zeros(1, dtype=np.bool_), members, one, _numbers(2), one)
    out = CombinedSets(_numbers(0), np.zeros(1, dtype=np.bool_), _numbers(0))
    kernels.combine_sets(given, True, np.zeros((2, 1), dtype=np.uint64), out)


def _numbers(*numbers: int) -> Integers:
    return np.array(numbers, dtype=np.int64)


def build(folder: Path) -> None:
    """Build the archive in a folder; the environment must be set for it, else RuntimeError."""
    from gdl.array_kernels.numba_compiler import build_archive, check_environment, recording

    check_environment()
    with no_archives(), recording() as recorded:
        run_all_kernels()
    build_archive(folder, recorded, {kernels.__name__})


if __name__ == "__main__":
    build(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent)
