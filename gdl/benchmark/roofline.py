"""The roofline: how many AND operations the processor can do at most."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from time import thread_time

import numpy as np

from gdl.engine import native_code, vector

WIDTHS = (2, 4, 8)
"""The widths that are measured, in words: vectors of 128, 256 and 512 bits."""

CHAINS = 12
"""Independent chains of operations; with one more operand for each they fit in 32 registers."""

TURNS = 2_000_000
REPETITIONS = 5

_FUNCTION = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64)


def roofline_ands(clock: Callable[[], float] = thread_time) -> float:
    """Measure the ANDs of two bits per second that one core can do: the best of some repetitions.

    All operands are in registers; gates must load and store theirs. ``clock`` counts the CPU
    seconds of this thread. Takes some 0.1 s.
    """
    return max(_speed(words, clock) for words in WIDTHS)


def _speed(words: int, clock: Callable[[], float]) -> float:
    source = _source(words)
    code = native_code(source, lambda: source)
    function = _FUNCTION(code.address("ands"))
    raw = np.full(2 * CHAINS * words + words, 2**64 - 1, dtype=np.uint64)
    address = -(-raw.ctypes.data // (8 * words)) * 8 * words
    best = float("inf")
    for _ in range(REPETITIONS):
        began = clock()
        function(address, TURNS)
        best = min(best, clock() - began)
    return 64.0 * words * CHAINS * TURNS / best


def _source(words: int) -> str:
    """Write LLVM source of ``void ands(rows, turns)``: in each turn one AND for each chain.

    Values move on by one chain a turn, and the loop is not unrolled, so that LLVM finds nothing
    to optimise away.
    """
    kind = vector(words)
    chains = range(CHAINS)
    aligned = f"align {8 * words}"
    addresses = [f"  %p{i} = getelementptr {kind}, ptr %rows, i64 {i}" for i in range(2 * CHAINS)]
    loads = [f"  %v{i} = load {kind}, ptr %p{i}, {aligned}" for i in range(2 * CHAINS)]
    values = [f"  %a{i} = phi {kind} [ %v{i}, %entry ], [ %n{i}, %loop ]" for i in chains]
    ands = [f"  %n{i} = and {kind} %a{(i + 1) % CHAINS}, %v{CHAINS + i}" for i in chains]
    stores = [f"  store {kind} %n{i}, ptr %p{i}, {aligned}" for i in chains]
    lines = [
        "define void @ands(ptr %rows, i64 %turns) {",
        "entry:",
        *addresses,
        *loads,
        "  br label %loop",
        "loop:",
        "  %turn = phi i64 [ 0, %entry ], [ %next, %loop ]",
        *values,
        *ands,
        "  %next = add i64 %turn, 1",
        "  %more = icmp slt i64 %next, %turns",
        "  br i1 %more, label %loop, label %done, !llvm.loop !0",
        "done:",
        *stores,
        "  ret void",
        "}",
        '!0 = distinct !{!0, !{!"llvm.loop.unroll.disable"}}',
    ]
    return "\n".join(lines)
