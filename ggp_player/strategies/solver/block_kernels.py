"""Kernels that move states between arrays and the rows of a block. They take arrays only.

Here a *packed state* is uint64 (words,): fluent ``i`` is bit ``i % 64`` of word ``i // 64``. A
block is uint64 (rows, block words), as :mod:`gdl.circuit.layout` describes it; :class:`BlockRows`
says what each row holds.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic
from numpy.typing import NDArray

from gdl.engine import SymmetryGroup
from gdl.engine.kernel_library import allocating_kernel, call_evaluator, is_set, lowest, mixed

Words: TypeAlias = NDArray[np.uint64]


class BlockRows(NamedTuple):
    """A block, the code that evaluates it, and what its rows hold.

    ``block`` uint64 (rows, block words). ``view_code``, ``transition_code`` int64 (2,): the
    addresses of the function and of its program. ``fluents``, ``moves``, ``legal``, ``goals`` and
    ``next``: the first row of each; ``terminal``: its row. ``fluent_count``: the number of fluents.
    ``move_ends`` int64 (roles + 1,): the index of each role's first move, then the number of moves.
    ``goal_table`` int64 (goal rows, 2): role and value of each goal row. ``symmetries``: the group
    by which states are made canonical.
    """

    block: Words
    view_code: NDArray[np.int64]
    transition_code: NDArray[np.int64]
    fluents: int
    moves: int
    legal: int
    goals: int
    next: int
    terminal: int
    fluent_count: int
    move_ends: NDArray[np.int64]
    goal_table: NDArray[np.int64]
    symmetries: SymmetryGroup


def _prefetch_intrinsic(_context: Any, _address: Any) -> tuple[Any, Callable[..., Any]]:  # noqa: ANN401
    def emit(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:  # noqa: ANN401
        pointer, number = ir.IntType(8).as_pointer(), ir.IntType(32)
        signature = ir.FunctionType(ir.VoidType(), [pointer, number, number, number])
        fetch = builder.module.globals.get("llvm.prefetch.p0")
        if fetch is None:
            fetch = ir.Function(builder.module, signature, "llvm.prefetch.p0")
        # To be read, to be kept in all levels of the cache, and it is data.
        hints = [ir.Constant(number, value) for value in (0, 3, 1)]
        builder.call(fetch, [builder.inttoptr(arguments[0], pointer), *hints])
        return context.get_dummy_value()

    return types.void(types.int64), emit


prefetch: Callable[[int], None] = intrinsic(_prefetch_intrinsic)
"""Start to load the memory at an address into the cache, without waiting for it."""


@allocating_kernel
def evaluate(rows: BlockRows, evaluator: NDArray[np.int64]) -> None:
    """Run an evaluator, ``rows.view_code`` or ``rows.transition_code``, in the block."""
    call_evaluator(evaluator[0], rows.block.ctypes.data, evaluator[1])


@allocating_kernel
def transpose(square: Words, spare: Words) -> None:
    """Transpose 64 x 64 bits in place: uint64 (64,); ``spare`` is as large.

    Each of six stages exchanges bits between the two halves of the square and interleaves their
    words, which compiles to vector instructions.
    """
    _exchange(square, spare, 32, 0x00000000FFFFFFFF)
    _exchange(spare, square, 16, 0x0000FFFF0000FFFF)
    _exchange(square, spare, 8, 0x00FF00FF00FF00FF)
    _exchange(spare, square, 4, 0x0F0F0F0F0F0F0F0F)
    _exchange(square, spare, 2, 0x3333333333333333)
    _exchange(spare, square, 1, 0x5555555555555555)


@allocating_kernel
def _exchange(source: Words, target: Words, width: int, mask: int) -> None:
    shift, low_bits = np.uint64(width), np.uint64(mask)
    for i in range(32):
        low, high = source[i], source[i + 32]
        change = ((low >> shift) ^ high) & low_bits
        target[2 * i] = low ^ (change << shift)
        target[2 * i + 1] = high ^ change


@allocating_kernel
def load_states(rows: BlockRows, states: Words, chosen: NDArray[np.int64]) -> None:
    """Load states into the block's first lanes.

    ``states`` uint64 (any, words); ``chosen`` int64 (lanes used,): the state of each lane, by its
    index. In the other lanes, up to the next multiple of 64, all fluents become false.
    """
    square, spare = np.empty(64, np.uint64), np.empty(64, np.uint64)
    for lane in range(0, len(chosen), 64):
        used = min(64, len(chosen) - lane)
        for word in range(states.shape[1]):
            for i in range(used):
                square[i] = states[chosen[lane + i], word]
            square[used:] = 0
            transpose(square, spare)
            for i in range(min(64, rows.fluent_count - 64 * word)):
                rows.block[rows.fluents + 64 * word + i, lane >> 6] = square[i]


@allocating_kernel
def read_rows(rows: BlockRows, first: int, count: int, found: Words) -> None:
    """Read ``count`` rows from ``first`` on, lane by lane, into ``found`` uint64 (lanes, words)."""
    square, spare = np.empty(64, np.uint64), np.empty(64, np.uint64)
    for lane in range(0, len(found), 64):
        used = min(64, len(found) - lane)
        for word in range(found.shape[1]):
            present = min(64, count - 64 * word)
            for i in range(present):
                square[i] = rows.block[first + 64 * word + i, lane >> 6]
            square[present:] = 0
            transpose(square, spare)
            for i in range(used):
                found[lane + i, word] = square[i]


@allocating_kernel
def clear_moves(rows: BlockRows) -> None:
    """Clear the moves of all roles in all lanes."""
    rows.block[rows.moves : rows.moves + rows.move_ends[-1]] = 0


@allocating_kernel
def set_move(rows: BlockRows, lane: int, move: int) -> None:
    """Set a move, by its index among the moves of all roles, in one lane."""
    bit = np.uint64(1) << np.uint64(lane & 63)
    rows.block[rows.moves + move, lane >> 6] |= bit


@allocating_kernel
def advance(rows: BlockRows) -> None:
    """Replace the states in the block by their successors, which the transition has computed."""
    fluents, following, count = rows.fluents, rows.next, rows.fluent_count
    rows.block[fluents : fluents + count] = rows.block[following : following + count]


@allocating_kernel
def goal_of(rows: BlockRows, role: int, lane: int) -> int:
    """Return a role's lowest goal value in a lane, 0 if none holds."""
    for i in range(len(rows.goal_table)):
        if rows.goal_table[i, 0] == role and is_set(rows.block, rows.goals + i, lane):
            return int(rows.goal_table[i, 1])
    return 0


@allocating_kernel
def bits_between(bits: Words, lane: int, first: int, last: int, found: NDArray[np.int32]) -> int:
    """List the bits of a lane that are set from ``first`` up to ``last``, counted from ``first``.

    ``bits`` uint64 (lanes, words). They are written to the lane's line of ``found``, int32 (lanes,
    bits), from column ``first`` on. Returns their number.
    """
    count = 0
    bit = next_bit(bits, lane, first, last)
    while bit < last:
        found[lane, first + count] = bit - first
        count += 1
        bit = next_bit(bits, lane, bit + 1, last)
    return count


@allocating_kernel
def next_bit(bits: Words, lane: int, first: int, last: int) -> int:
    """Return the first bit of a lane that is set from ``first`` on, else ``last``."""
    bit = first
    while bit < last:
        rest = bits[lane, bit >> 6] >> np.uint64(bit & 63)
        if rest != 0:
            return min(bit + lowest(rest), last)
        bit = (bit | 63) + 1
    return last


@allocating_kernel
def hash_of(states: Words, index: int, seed: int) -> np.uint64:
    """Return a 64-bit hash of one of the packed states uint64 (any, words)."""
    value = np.uint64(seed)
    for word in range(states.shape[1]):
        value = mixed(value ^ states[index, word])
    return value
