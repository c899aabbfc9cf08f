"""Kernels that serve every game, emitted once through llvmlite.

``interpret(rows, program)``
    Evaluates a gate program in a block, at once for any network, if not as fast as machine code.
``select(legal, moves, count, scratch, random)``
    Chooses one of the legal moves in every lane, uniformly.
``play(job)``
    Runs random playouts: view, results of the lanes that have ended, choice, transition.
``merge(target, origin, count, lanes)``
    Copies so many rows to others, in some lanes.
``put(rows, count, state, lanes)``
    Writes a packed state into so many rows, in some lanes.

A block is ``uint64 (rows, words)``; one row is one vector. Arrays are passed by address, C order:

``program``  int64 (4,): address of gates, address of segments, number of segments, address of
             feedback; see :class:`gdl.circuit.layout.GateProgram` for these.
``scratch``  uint64 (at least :func:`scratch_rows`, words).
``random``   uint64 (4, words): the state of a xoshiro256++ generator in every word.
``job``      int64 (len(PlayoutArguments),): see :class:`.play.PlayoutArguments`.
``lanes``    uint64 (words,): a mask.
``state``    uint64 (any,): the bits of a state, the first row's in the lowest.
"""

from __future__ import annotations

import re
from pathlib import Path

from llvmlite import ir

from gdl.engine.kernels.choice import MAX_LEVELS, emit_select, scratch_rows
from gdl.engine.kernels.interpreter import emit_interpret
from gdl.engine.kernels.ir_helpers import IrHelpers
from gdl.engine.kernels.play import PlayoutArguments, emit_play
from gdl.engine.kernels.states import emit_merge, emit_put

__all__ = ["MAX_LEVELS", "PlayoutArguments", "kernel_key", "kernel_source", "scratch_rows"]


def kernel_source(words: int) -> str:
    """Return the LLVM source of all kernels for blocks of ``64 * words`` lanes."""
    module = ir.Module(name="kernels")
    kit = IrHelpers(module, words)
    emit_interpret(kit)
    select = emit_select(kit)
    emit_play(kit, select)
    emit_merge(kit)
    emit_put(kit)
    # llvmlite still writes the types of some pointers; LLVM itself has but one pointer type.
    return re.sub(r"(i64|<\d+ x i64>|void \(ptr, ptr\))\*", "ptr", str(module))


def kernel_key(words: int) -> str:
    """Return what stands for the kernels' source in a cache: these files, and the width."""
    files = sorted(Path(__file__).parent.glob("*.py"))
    return "\n".join([str(words), *(file.read_text(encoding="utf-8") for file in files)])
