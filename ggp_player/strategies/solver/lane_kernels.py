"""Kernels that move states between arrays and the rows of a block. They take arrays only.

A *packed state* is here uint64 (words,): bit ``i % 64`` of word ``i // 64`` is fluent ``i``. A
block is uint64 (rows, block words), as :mod:`gdl.circuit.layout` describes it; :class:`Rows` says
which row is what.
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


class Rows(NamedTuple):
    """A block and what evaluates it.

    ``block`` uint64 (rows, block words). ``view_code``, ``transition_code`` int64 (2,): the
    addresses of the function and of its program. ``first`` int64 (6,): the first rows of fluents,
    moves, legal, goals and next, and the row of terminal. ``move_ends`` int64 (roles + 1,): each
    role's first move among all moves, and their number. ``goals`` int64 (goal rows, 2): role and
    value of each. Of states that are ``images`` of each other one stands for all.
    """

    block: Words
    view_code: NDArray[np.int64]
    transition_code: NDArray[np.int64]
    first: NDArray[np.int64]
    move_ends: NDArray[np.int64]
    goals: NDArray[np.int64]
    images: SymmetryGroup


FLUENTS, MOVES, LEGAL, GOALS, NEXT, TERMINAL = range(6)
"""Places in ``Rows.first``."""


def _fetch_early(_context: Any, _address: Any) -> tuple[Any, Callable[..., Any]]:  # noqa: ANN401
    def emit(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:  # noqa: ANN401
        pointer, number = ir.IntType(8).as_pointer(), ir.IntType(32)
        signature = ir.FunctionType(ir.VoidType(), [pointer, number, number, number])
        fetch = builder.module.globals.get("llvm.prefetch.p0")
        if fetch is None:
            fetch = ir.Function(builder.module, signature, "llvm.prefetch.p0")
        how = [ir.Constant(number, value) for value in (0, 3, 1)]
        builder.call(fetch, [builder.inttoptr(arguments[0], pointer), *how])
        return context.get_dummy_value()

    return types.void(types.int64), emit


prefetch: Callable[[int], None] = intrinsic(_fetch_early)
"""Has the memory at an address fetched, to be read soon, and waits for nothing."""


@allocating_kernel
def evaluate(rows: Rows, evaluator: NDArray[np.int64]) -> None:
    """Run an evaluator, ``rows.view_code`` or ``rows.transition_code``, in the block."""
    call_evaluator(evaluator[0], rows.block.ctypes.data, evaluator[1])


@allocating_kernel
def transpose(square: Words, spare: Words) -> None:
    """Transpose 64 x 64 bits in place: uint64 (64,), with another one to work in.

    Each of six stages exchanges bits between the two halves of the square and shuffles their
    words together, which vectors do well.
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
def load_states(rows: Rows, states: Words, chosen: NDArray[np.int64]) -> None:
    """Put states into the block's first lanes.

    ``states`` uint64 (any, words); ``chosen`` int64 (lanes used,): which of them, lane by lane.
    The lanes beyond, up to the next multiple of 64, hold no fluents.
    """
    square, spare = np.empty(64, np.uint64), np.empty(64, np.uint64)
    first = rows.first[FLUENTS]
    count = rows.first[MOVES] - first
    for lane in range(0, len(chosen), 64):
        used = min(64, len(chosen) - lane)
        for word in range(states.shape[1]):
            for i in range(used):
                square[i] = states[chosen[lane + i], word]
            square[used:] = 0
            transpose(square, spare)
            for i in range(min(64, count - 64 * word)):
                rows.block[first + 64 * word + i, lane >> 6] = square[i]


@allocating_kernel
def read_rows(rows: Rows, first: int, count: int, found: Words) -> None:
    """Read rows lane by lane: ``found`` uint64 (lanes wanted, words) gets their bits."""
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
def clear_moves(rows: Rows) -> None:
    """Take all moves back, in all lanes."""
    rows.block[rows.first[MOVES] : rows.first[MOVES] + rows.move_ends[-1]] = 0


@allocating_kernel
def set_move(rows: Rows, lane: int, move: int) -> None:
    """Make a move, by its place among all moves, in one lane."""
    bit = np.uint64(1) << np.uint64(lane & 63)
    rows.block[rows.first[MOVES] + move, lane >> 6] |= bit


@allocating_kernel
def advance(rows: Rows) -> None:
    """Put the states after the moves in the place of those before them."""
    first = rows.first[FLUENTS]
    count = rows.first[MOVES] - first
    after = rows.first[NEXT]
    rows.block[first : first + count] = rows.block[after : after + count]


@allocating_kernel
def goal_of(rows: Rows, role: int, lane: int) -> int:
    """Return a role's lowest goal value in a lane, 0 where there is none."""
    for i in range(len(rows.goals)):
        if rows.goals[i, 0] == role and is_set(rows.block, rows.first[GOALS] + i, lane):
            return int(rows.goals[i, 1])
    return 0


@allocating_kernel
def bits_between(bits: Words, lane: int, first: int, last: int, places: NDArray[np.int32]) -> int:
    """List which bits of a lane are set from ``first`` up to ``last``, counted from ``first``.

    ``bits`` uint64 (lanes, words); ``places`` int32 (lanes, bits) gets them, from the place
    ``first`` on. Returns how many there are.
    """
    found = 0
    place = next_bit(bits, lane, first, last)
    while place < last:
        places[lane, first + found] = place - first
        found += 1
        place = next_bit(bits, lane, place + 1, last)
    return found


@allocating_kernel
def next_bit(bits: Words, lane: int, first: int, last: int) -> int:
    """Return the first bit of a lane that is set from ``first`` on, or ``last``."""
    place = first
    while place < last:
        rest = bits[lane, place >> 6] >> np.uint64(place & 63)
        if rest != 0:
            return min(place + lowest(rest), last)
        place = (place | 63) + 1
    return last


@allocating_kernel
def hash_of(states: Words, number: int, seed: int) -> np.uint64:
    """Return a 64-bit hash of one of the packed states uint64 (any, words)."""
    value = np.uint64(seed)
    for word in range(states.shape[1]):
        value = mixed(value ^ states[number, word])
    return value
