"""Unions of moves: what is true of many moves, evaluated from the few that are made.

Half of the gates of a game with 100,000 moves only say which squares the move that is made leaves,
reaches or hits: each is an OR of moves, and of these a block makes one per lane. Here the rows of
moves are scanned, and those of moves that are made are taken out of each row of their unions, which
holds the lanes in which none of them is made. The values are those of the gates.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from llvmlite import ir
from numpy.typing import NDArray

from gdl.circuit import TRUE, GateProgram, Layout
from gdl.engine.kernels.ir_helpers import (
    I32,
    I64,
    POINTER,
    IrHelpers,
    Value,
    get_integer,
    integer,
    loop,
)

MAX_UNION_LEVELS = 100
"""Unions of more levels are left to the gates."""

MAX_ENTRIES = 8
"""So are unions that hold moves more often than this, for each gate that they save."""


class MoveUnions(NamedTuple):
    """A transition without its unions of moves, and these.

    ``unions``, int32 (n,), are their rows; ``starts``, int64 (moves + 1,), and ``members``, int32,
    those that each move belongs to.
    """

    rest: GateProgram
    unions: NDArray[np.int32]
    starts: NDArray[np.int64]
    members: NDArray[np.int32]
    first_move: int

    def array(self) -> NDArray[np.int64]:
        """Return what ``interpret_moves`` takes; the arrays must outlive it."""
        rest = self.rest
        return np.array(
            [
                rest.gates.ctypes.data,
                rest.segments.ctypes.data,
                len(rest.segments),
                rest.feedback.ctypes.data,
                self.unions.ctypes.data,
                len(self.unions),
                self.starts.ctypes.data,
                self.members.ctypes.data,
                self.first_move,
                len(self.starts) - 1,
            ],
            dtype=np.int64,
        )


def find_move_unions(layout: Layout) -> MoveUnions | None:
    """Divide a transition into unions of moves and the rest; None where that saves nothing.

    The transition must not be cyclic.
    """
    program, moves = layout.transition, sum(layout.move_counts)
    gates = program.gates.astype(np.int64)
    if program.cycle_count:
        return None
    is_move = np.zeros(layout.rows, dtype=np.bool_)
    is_move[layout.moves : layout.moves + moves] = True
    is_union = _unions(gates, is_move)
    if not is_union.any():
        return None
    of_union = np.zeros(layout.rows, dtype=np.bool_)
    of_union[gates[is_union, 0]] = True
    read = gates[~is_union, 1:] >> 1
    wanted = np.zeros(layout.rows, dtype=np.bool_)
    wanted[read] = True
    wanted[layout.legal :] = True
    unions = np.flatnonzero(wanted & of_union)
    found = _members(gates, unions, is_move)
    if found is None:
        return None
    union, move = found
    order = np.argsort(move, kind="stable")
    counts = np.bincount(move - layout.moves, minlength=moves)
    rest = np.ascontiguousarray(program.gates[~is_union])
    segments = np.array([[0, len(rest), 0, 0]], dtype=np.int64)
    return MoveUnions(
        GateProgram(rest, segments, program.feedback),
        unions.astype(np.int32),
        np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
        union[order].astype(np.int32),
        layout.moves,
    )


def _unions(gates: NDArray[np.int64], is_move: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Mark the gates that say that none of some moves is made: bool (gates,)."""
    literals = gates[:, 1:]
    rows, negated = literals >> 1, literals & 1 == 1
    is_leaf = (negated & is_move[rows]) | (literals == TRUE)
    could = np.zeros(len(is_move), dtype=np.bool_)
    could[gates[:, 0]] = True
    while True:
        fits: NDArray[np.bool_] = (is_leaf | (~negated & could[rows])).all(axis=1)
        fits &= could[gates[:, 0]]
        if np.count_nonzero(fits) == np.count_nonzero(could):
            return fits
        could[:] = False
        could[gates[fits, 0]] = True


def _members(
    gates: NDArray[np.int64], unions: NDArray[np.int64], is_move: NDArray[np.bool_]
) -> tuple[NDArray[np.int64], NDArray[np.int64]] | None:
    """List the pairs of a union's row and a move's: int64 (pairs,) each; None if too many."""
    gate_of = np.full(len(is_move), -1)
    gate_of[gates[:, 0]] = np.arange(len(gates))
    union, row = unions, unions
    found = [(unions[:0], unions[:0])]
    for _ in range(MAX_UNION_LEVELS):
        if not len(row):
            of, moves = zip(*found, strict=True)
            return np.concatenate(of), np.concatenate(moves)
        literals = gates[gate_of[row], 1:].ravel()
        union, row = np.repeat(union, 2)[literals != TRUE], literals[literals != TRUE] >> 1
        found.append((union[is_move[row]], row[is_move[row]]))
        union, row = union[~is_move[row]], row[~is_move[row]]
        if len(row) + sum(len(each) for each, _ in found) > MAX_ENTRIES * len(gates):
            return None
    return None


def emit_interpret_moves(helpers: IrHelpers, interpret: Value) -> None:
    """Emit the evaluation of a transition whose unions of moves have been found."""
    function, b = helpers.function("interpret_moves", ir.VoidType(), [POINTER, POINTER])
    rows, program = function.args
    unions, starts, members = (
        b.inttoptr(get_integer(b, program, integer(i)), POINTER) for i in (4, 6, 7)
    )
    first = get_integer(b, program, integer(8))
    with loop(b, integer(0), get_integer(b, program, integer(5))) as number:
        row = b.zext(get_integer(b, unions, number, I32), I64)
        helpers.store(b, helpers.ones, rows, row)
    with loop(b, integer(0), get_integer(b, program, integer(9))) as move:
        made = helpers.load(b, rows, b.add(first, move))
        with b.if_then(helpers.any(b, made)):
            begin = get_integer(b, starts, move)
            end = get_integer(b, starts, b.add(move, integer(1)))
            with loop(b, begin, end) as member:
                row = b.zext(get_integer(b, members, member, I32), I64)
                left = b.and_(helpers.load(b, rows, row), b.not_(made))
                helpers.store(b, left, rows, row)
    b.call(interpret, [rows, program])
    b.ret_void()
