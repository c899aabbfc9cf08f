"""The door for kernels: what they may call of the engine.

Start with :class:`BlockView`, the record through which a kernel sees a block, and the operations
on it. The rest are decorators (:func:`kernel` and its kin), calls of native code by address, single
bits and lanes, hashes, and canonical states under symmetries. Nothing here knows Python objects.
"""

from gdl.array_kernels import Intrinsic, inlined_kernel, kernel, register_archive
from gdl.engine.bits import (
    ONE,
    ZERO,
    first_lane,
    get_state,
    goal_values,
    hash_of,
    is_set,
    lowest,
    mixed,
    population,
    read_lanes,
    write_lanes,
)
from gdl.engine.block_view import (
    BlockView,
    advance,
    choose_moves,
    evaluate_transition,
    evaluate_view,
    load_states,
)
from gdl.engine.calls import (
    GOALS_VIEW,
    GOALS_VIEW_PROGRAM,
    MASKED_COPY,
    MOVES_VIEW,
    SCATTER,
    SELECT,
    TRANSITION,
    TRANSITION_PROGRAM,
    VIEW,
    VIEW_PROGRAM,
    call_evaluator,
    call_masked_copy,
    call_scatter,
    call_select,
    copy_memory,
)
from gdl.engine.canonical_state import (
    elements_fixing,
    is_canonical,
    make_all_canonical,
    make_canonical,
)

__all__ = [
    "GOALS_VIEW",
    "GOALS_VIEW_PROGRAM",
    "MASKED_COPY",
    "MOVES_VIEW",
    "ONE",
    "SCATTER",
    "SELECT",
    "TRANSITION",
    "TRANSITION_PROGRAM",
    "VIEW",
    "VIEW_PROGRAM",
    "ZERO",
    "BlockView",
    "Intrinsic",
    "advance",
    "call_evaluator",
    "call_masked_copy",
    "call_scatter",
    "call_select",
    "choose_moves",
    "copy_memory",
    "elements_fixing",
    "evaluate_transition",
    "evaluate_view",
    "first_lane",
    "get_state",
    "goal_values",
    "hash_of",
    "inlined_kernel",
    "is_canonical",
    "is_set",
    "kernel",
    "load_states",
    "lowest",
    "make_all_canonical",
    "make_canonical",
    "mixed",
    "population",
    "read_lanes",
    "register_archive",
    "write_lanes",
]
