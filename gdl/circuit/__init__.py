"""TODO."""

from gdl.circuit.aig import TRUE
from gdl.circuit.compiler import CompiledGame, assemble, compile_game
from gdl.circuit.layout import GateProgram, Layout
from gdl.circuit.options import CompileOptions, Passes, stages

__all__ = [
    "TRUE",
    "CompileOptions",
    "CompiledGame",
    "GateProgram",
    "Layout",
    "Passes",
    "assemble",
    "compile_game",
    "stages",
]
