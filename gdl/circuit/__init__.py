"""From ground rules to a circuit: an and-inverter graph, and its gates laid out for a block.

In comes a :class:`gdl.grounding.GroundGame`, or a ruleset, which is ground first. Out comes a
:class:`CompiledGame`: roles, facts and moves, and a :class:`Layout`, which says what each row of a
block holds and which gates compute it. :mod:`gdl.engine` evaluates it.

Start reading at :mod:`.compiler`, which goes through the steps: :mod:`.builder` makes a graph
(:mod:`.aig`) of the rules, :mod:`.cube_extraction` makes it smaller, :mod:`.layout` gives each
gate a row. :mod:`.options` lists the passes.

A game can have a million ground rules and as many gates, so that all steps work on arrays: rules
in compressed sparse rows (:mod:`.rule_table`), level by level (:mod:`.dependency_order`), as
products of literals (:mod:`.products`) in which moves are merged (:mod:`.move_sets`) and common
literals factored out (:mod:`.factoring`), then cubes with pairs in common
(:mod:`.pair_extraction`). Loops over many gates are kernels: see :mod:`.native`. Fluents and moves
are sorted and found in :mod:`.ground_symbols`.

Searches may ask for one circuit more, which finds the moves that win at once:
:mod:`.winning_moves`.
"""

from gdl.circuit.aig import TRUE
from gdl.circuit.compiler import CompiledGame, compile_game, compile_ground_game
from gdl.circuit.layout import GateProgram, Layout
from gdl.circuit.native import circuit_kernels_are_ready, load_circuit_kernels
from gdl.circuit.options import CompileOptions, stages

__all__ = [
    "TRUE",
    "CompileOptions",
    "CompiledGame",
    "GateProgram",
    "Layout",
    "circuit_kernels_are_ready",
    "compile_game",
    "compile_ground_game",
    "load_circuit_kernels",
    "stages",
]
