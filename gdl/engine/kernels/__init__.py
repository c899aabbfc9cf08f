"""Kernels that serve every game, emitted once through llvmlite.

``interpret(rows, program)``
    Evaluates a gate program in a block: ready at once for any circuit, if slower than native code.
``interpret_moves(rows, program)``
    Evaluates a transition of which unions of moves are found from the moves that are made.
``select(legal, moves, count, scratch, random)``
    Chooses one of the legal moves in every lane, uniformly.
``play(arguments)``
    Runs random playouts: view, results of the lanes that have ended, choice, transition.
``masked_copy(target, origin, count, lanes)``
    Copies ``count`` rows to others, in some lanes.
``scatter(rows, count, state, lanes)``
    Writes a packed state into ``count`` rows, in some lanes.

A block is ``uint64 (rows, words)``; one row is one vector. Arrays are passed by address, C order:

``program``  int64 (4,): address of gates, address of segments, number of segments, address of
             feedback; see :class:`gdl.circuit.layout.GateProgram` for these.
``scratch``  uint64 (at least :func:`scratch_rows`, words).
``random``   uint64 (4, words): the state of a xoshiro256++ generator in every word.
``arguments``  int64: see :class:`.play.PlayoutArguments`.
``lanes``    uint64 (words,): a mask.
``state``    uint64 (any,): the bits of a state, the first row's in the lowest.
"""

from __future__ import annotations

from pathlib import Path

from llvmlite import ir

from gdl.engine.kernels.choice import MAX_LEVELS, emit_select, scratch_rows
from gdl.engine.kernels.interpreter import emit_interpret
from gdl.engine.kernels.ir_helpers import IrHelpers
from gdl.engine.kernels.masked_rows import emit_masked_copy, emit_scatter
from gdl.engine.kernels.move_unions import MoveUnions, emit_interpret_moves, find_move_unions
from gdl.engine.kernels.play import PlayoutArguments, emit_play

__all__ = [
    "MAX_LEVELS",
    "MoveUnions",
    "PlayoutArguments",
    "find_move_unions",
    "kernel_key",
    "kernel_source",
    "scratch_rows",
]


def kernel_source(words: int) -> str:
    """Write the LLVM source of all kernels for blocks of ``64 * words`` lanes."""
    module = ir.Module(name="kernels")
    helpers = IrHelpers(module, words)
    emit_interpret_moves(helpers, emit_interpret(helpers))
    select = emit_select(helpers)
    emit_play(helpers, select)
    emit_masked_copy(helpers)
    emit_scatter(helpers)
    return str(module)


def kernel_key(words: int) -> str:
    """Return the key of the kernels in a cache: the source of this package, and the width."""
    files = sorted(Path(__file__).parent.glob("*.py"))
    return "\n".join([str(words), *(file.read_text(encoding="utf-8") for file in files)])
