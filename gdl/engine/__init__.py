"""The engine: a circuit evaluated for many states at once, by the interpreter or as native code.

Every ground atom is a row of machine words in which each bit, a *lane*, belongs to another state;
an AND of two rows is an AND in all lanes. A *block* is the rows of the states evaluated together.

In comes a :class:`gdl.circuit.Layout`, the gates and rows of a game; out come legal moves, ends,
goals, next states and random playouts, for 512 states at a time. Start reading in :mod:`.block`:
:class:`Engine` is a circuit ready to run, :class:`Block` the states in its rows; the functions
that run the gates are in :mod:`.evaluators`. On top of them :mod:`.machine` is the state machine,
:mod:`.successors` expands states, :mod:`.perft` counts paths;
:mod:`.stepper` makes lanes into environments, in one call of :mod:`.lane_kernels` for each step.
Strategies with kernels of their own use :mod:`.kernel_library`, the door for kernels. The hot loop
of random playouts is :mod:`.kernels.play`.

There are four generators of code, each for a reason:

- Python text, :mod:`gdl.datalog.python_codegen`: join plans over sets of tuples, which only Python
  has. It must be ready within milliseconds and understand every rulesheet.
- LLVM text, :mod:`.llvm_codegen`: the gates of one game, up to 300,000 straight lines of three
  instructions. Writing lines is many times faster than building an object for each. So do the
  kernels of GPUs, :mod:`.device`, which have the gates in them.
- llvmlite's IRBuilder, :mod:`.kernels`: the loops that every game shares. They work on rows as
  vectors of up to 1,024 bits, which Numba does not have, and have control flow, which is easier to
  build than to write as text.
- Numba, :mod:`gdl.array_kernels` and the kernels of strategies: searches on trees and tables,
  scalar code that should read as Python does; it calls the other two by address. It is compiled
  ahead of time: users need LLVM only.
"""

from gdl.engine.bits import Packed, as_words, hash_states, packed_from_rows, rows_from_packed
from gdl.engine.block import (
    MAX_CODE_GATES,
    Bits,
    Block,
    Engine,
    Playouts,
    aligned_rows,
)
from gdl.engine.block_view import BlockView
from gdl.engine.canonical_state import (
    MAX_ELEMENTS,
    SymmetryGroup,
    group_of_permutations,
    trivial_group,
)
from gdl.engine.evaluators import kernels_are_warm, load_kernels, program_array, warm_up_kernels
from gdl.engine.llvm_codegen import vector
from gdl.engine.machine import PropnetStateMachine
from gdl.engine.stepper import Autoreset, Stepper, SteppingPlan, StepResult, random_actions
from gdl.engine.successors import Expander, packed_state
from gdl.native_code import native_code

__all__ = [
    "MAX_CODE_GATES",
    "MAX_ELEMENTS",
    "Autoreset",
    "Bits",
    "Block",
    "BlockView",
    "Engine",
    "Expander",
    "Packed",
    "Playouts",
    "PropnetStateMachine",
    "StepResult",
    "Stepper",
    "SteppingPlan",
    "SymmetryGroup",
    "aligned_rows",
    "as_words",
    "group_of_permutations",
    "hash_states",
    "kernels_are_warm",
    "load_kernels",
    "native_code",
    "packed_from_rows",
    "packed_state",
    "program_array",
    "random_actions",
    "rows_from_packed",
    "trivial_group",
    "vector",
    "warm_up_kernels",
]
