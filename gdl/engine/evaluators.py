"""Evaluators: the functions that evaluate a gate program in a block, interpreted or native."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gdl.circuit import GateProgram, Layout, circuit_kernels_are_ready, load_circuit_kernels
from gdl.engine.kernels import kernel_key, kernel_source
from gdl.engine.llvm_codegen import program_source, sequence_source
from gdl.native_code import (
    NativeCode,
    compile_in_isolation,
    compile_source,
    is_compiled,
    native_code,
)

FEW_GATES = 1_000
"""For up to this many gates LLVM needs a fifth of a second, and no process of its own."""

_EVALUATOR = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)


@dataclass(frozen=True, slots=True)
class ProgramEvaluator:
    """A function ``void f(rows, program)``, by address, with the address of its program."""

    function: int
    program: int

    def __call__(self, rows: int) -> None:
        """Evaluate in the block at an address."""
        try:
            _EVALUATOR(self.function)(rows, self.program)
        except ctypes.ArgumentError as error:
            # Both arguments are numbers: ctypes reports a stack that is too deep in this way.
            raise RecursionError(str(error)) from None


def load_kernels(words: int) -> NativeCode:
    """Return the kernels of a width, compiled if they are not in the cache on disk."""
    return native_code(kernel_key(words), lambda: kernel_source(words))


def compile_gates(source: str, gates: int) -> NativeCode:
    """Compile the source of some gates, in a process of its own where that takes long.

    Raises RuntimeError if LLVM runs out of memory.
    """
    compiler = compile_source if gates <= FEW_GATES else compile_in_isolation
    return native_code(source, lambda: source, compiler)


def evaluator_sources(layout: Layout, words: int) -> Iterator[str]:
    """Yield LLVM source of the evaluators; the view is in two parts where goals are expensive."""
    outputs = layout.outputs
    after_view = {*_rows_read(layout.transition), *outputs}
    if layout.goals_are_expensive:
        after_moves = after_view.union(_rows_read(layout.goals_view))
        yield evaluator_source("moves_view", layout.moves_view, words, sorted(after_moves))
        yield evaluator_source("goals_view", layout.goals_view, words, outputs)
        yield sequence_source("view", ["moves_view", "goals_view"])
    else:
        yield evaluator_source("view", layout.view, words, sorted(after_view))
    yield evaluator_source("transition", layout.transition, words, outputs)


def evaluator_source(name: str, program: GateProgram, words: int, kept: Sequence[int]) -> str:
    """Return LLVM source of one evaluator; ``kept`` are the rows that others read."""
    return program_source(name, program.gates, program.segments, program.feedback, words, kept)


def _rows_read(program: GateProgram) -> Sequence[int]:
    read = [program.gates[:, 1] >> 1, program.gates[:, 2] >> 1, program.feedback[:, 1] >> 1]
    return [int(row) for row in np.unique(np.concatenate(read))]


def program_array(program: GateProgram) -> NDArray[np.int64]:
    """Return a gate program as the interpreter takes it; the arrays must outlive it."""
    return np.array(
        [
            program.gates.ctypes.data,
            program.segments.ctypes.data,
            len(program.segments),
            program.feedback.ctypes.data,
        ],
        dtype=np.int64,
    )


WIDTHS = (1, 8)
"""The widths of the blocks in use, in words: single states, and blocks of 512."""


def warm_up_kernels() -> None:
    """Compile the shared kernels into the cache on disk, which takes some seconds once."""
    for words in WIDTHS:
        load_kernels(words)
    load_circuit_kernels()


def kernels_are_warm() -> bool:
    """Check whether the shared kernels are compiled already."""
    shared = all(is_compiled(kernel_key(words)) for words in WIDTHS)
    return shared and circuit_kernels_are_ready()
