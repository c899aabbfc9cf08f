"""TODO."""

from gdl.circuit.aig import TRUE
from gdl.circuit.compiler import Parts, assemble, compile_parts
from gdl.circuit.layout import GateProgram, Layout
from gdl.circuit.options import CompileOptions, Passes, stages

__all__ = [
    "TRUE",
    "CompileOptions",
    "GateProgram",
    "Layout",
    "Parts",
    "Passes",
    "assemble",
    "compile_parts",
    "stages",
]
