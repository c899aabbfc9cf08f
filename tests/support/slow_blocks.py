"""Blocks evaluated slowly: gate programs in numpy, one gate after the other."""

from __future__ import annotations

from functools import cache

import numpy as np
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn
from numpy.typing import NDArray

from gdl.circuit.layout import GateProgram
from gdl.engine.block import aligned_rows
from gdl.engine.evaluators import load_kernels

Rows = NDArray[np.uint64]

kernels = cache(load_kernels)
"""The kernels of a width; their addresses are good as long as they are held."""


def random_rows(rows: int, words: int, seed: int) -> Rows:
    """Return rows of random bits, the first of which is zero, as in every block."""
    block = aligned_rows(rows, words)
    generator = np.random.default_rng(seed)
    block[1:] = generator.integers(0, 2**64, size=(rows - 1, words), dtype=np.uint64)
    return block


def evaluate(program: GateProgram, rows: Rows) -> None:
    """Evaluate a gate program in place."""
    for first, last, first_loop, last_loop in program.segments.tolist():
        feedback = program.feedback[first_loop:last_loop].tolist()
        for row, _ in feedback:
            rows[row] = 0
        while True:
            for row, left, right in program.gates[first:last].tolist():
                rows[row] = literal(rows, left) & literal(rows, right)
            before = rows[[row for row, _ in feedback]]
            for row, definition in feedback:
                rows[row] = literal(rows, definition)
            if np.array_equal(before, rows[[row for row, _ in feedback]]):
                break


def literal(rows: Rows, number: int) -> NDArray[np.uint64]:
    """Return a literal's row, flipped where it is negated."""
    row: NDArray[np.uint64] = rows[number >> 1]
    return ~row if number & 1 else row


INPUTS = 6


@st.composite
def gate_programs(draw: DrawFn) -> tuple[GateProgram, int]:
    """Draw a gate program over some input rows; return it with its number of rows.

    In a segment with feedback every row grows or shrinks as the rows read early grow, so that
    there is a least fixpoint.
    """
    generator = np.random.default_rng(draw(st.integers(0, 2**32)))
    known = [2 * row + sign for row in range(1 + INPUTS) for sign in (0, 1)]
    next_row = 1 + INPUTS
    gates: list[tuple[int, int, int]] = []
    segments: list[tuple[int, int, int, int]] = []
    feedback: list[tuple[int, int]] = []
    sizes = st.tuples(st.integers(0, 130), st.integers(0, 3))
    for size, loops in draw(st.lists(sizes, min_size=1, max_size=3)):
        start, first_loop = len(gates), len(feedback)
        early = range(next_row, next_row + loops)
        next_row += loops
        growing = known + [2 * row for row in early]
        shrinking = known + [2 * row + 1 for row in early]
        made: list[int] = []
        for _ in range(size):
            grows = bool(loops) and generator.random() < 0.5
            usable = growing if grows else shrinking
            left, right = generator.choice(usable[-30:], 2).tolist()
            gates.append((next_row, left, right))
            (growing if grows else shrinking).append(2 * next_row)
            (shrinking if grows else growing).append(2 * next_row + 1)
            made += [2 * next_row, 2 * next_row + 1]
            next_row += 1
        feedback += [(row, int(generator.choice(growing[-20:]))) for row in early]
        segments.append((start, len(gates), first_loop, len(feedback)))
        known = known + made + [2 * row + sign for row in early for sign in (0, 1)]
    program = GateProgram(
        np.array(gates, dtype=np.int32).reshape(-1, 3),
        np.array(segments, dtype=np.int64).reshape(-1, 4),
        np.array(feedback, dtype=np.int32).reshape(-1, 2),
    )
    return program, next_row
