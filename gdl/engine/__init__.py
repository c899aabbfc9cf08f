"""Propositional networks: a ground game as a circuit that evaluates many states at once.

Every ground atom is a row of machine words in which each bit, a *lane*, belongs to another state;
an AND of two rows is an AND in all lanes. A *block* is the rows of the states evaluated together.

The way from rules to a machine: :mod:`gdl.grounding.gringo` instantiates them, :mod:`.builder` makes the
circuit of AND gates (:mod:`.network`), :mod:`.layout` gives every gate its row, :mod:`.kernels`
and :mod:`.codegen` write it in LLVM's language, :mod:`.machine_code` compiles that, and
:mod:`.lanes` is what others use.
"""

from gdl.engine.block import (
    MAX_CODE_GATES,
    Bits,
    Block,
    Engine,
    Playouts,
    aligned_rows,
    load_kernels,
    program_array,
)
from gdl.engine.canonical_state import (
    MAX_ELEMENTS,
    SymmetryGroup,
    group_of_permutations,
    trivial_group,
)
from gdl.engine.hashing import hash_states
from gdl.engine.llvm_codegen import vector
from gdl.engine.machine import PropnetStateMachine
from gdl.engine.native_code import cache_folder, native_code
from gdl.engine.packing import Packed, as_words, packed_from_rows, rows_from_packed
from gdl.engine.successors import Expander, packed_state
from gdl.engine.warm_up import kernels_are_warm, warm_up_kernels

__all__ = [
    "MAX_CODE_GATES",
    "MAX_ELEMENTS",
    "Bits",
    "Block",
    "Engine",
    "Expander",
    "Packed",
    "Playouts",
    "PropnetStateMachine",
    "SymmetryGroup",
    "aligned_rows",
    "as_words",
    "cache_folder",
    "group_of_permutations",
    "hash_states",
    "kernels_are_warm",
    "load_kernels",
    "native_code",
    "packed_from_rows",
    "packed_state",
    "program_array",
    "rows_from_packed",
    "trivial_group",
    "vector",
    "warm_up_kernels",
]
