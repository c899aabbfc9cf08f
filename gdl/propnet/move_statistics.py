"""Random playouts with statistics of each move: how often it was made, and what came of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gdl.propnet.calls import (
    SELECT,
    TRANSITION,
    TRANSITION_PROGRAM,
    VIEW,
    VIEW_PROGRAM,
    call_evaluator,
    call_select,
    copy_memory,
)
from gdl.propnet.jit import kernel
from gdl.propnet.lane_bits import ONE, ZERO, goal_values, lowest
from gdl.propnet.lanes import Block

Ints = NDArray[np.int64]
Words = NDArray[np.uint64]


@dataclass(frozen=True, slots=True)
class MoveStatistics:
    """What random playouts tell of moves, all roles' in the order of their rows.

    ``made`` int64 (moves,): the playouts in which the role made the move at some step. ``goals``
    int64 (moves,): the sum of the role's goal values in these. ``playouts``: how many ended.
    """

    made: Ints
    goals: Ints
    playouts: int


def play_with_moves(block: Block, steps: int) -> MoveStatistics:
    """Make one random playout in each lane, of so many steps at most, from the lanes' states.

    Playouts that have not come to an end count for nothing. The lanes' states are spent.
    """
    engine = block.engine
    layout = engine.layout
    moves = sum(layout.move_counts)
    lanes = _Lanes(
        engine.addresses(),
        np.array(
            [layout.fluents, layout.fluent_count, layout.moves, layout.legal],
            np.int64,
        ),
        np.array([layout.terminal, layout.goals, layout.next], np.int64),
        np.cumsum([0, *layout.move_counts]).astype(np.int64),
        engine.goal_table,
        block.rows,
        block.scratch,
        block.random,
        np.zeros((moves, engine.words), np.uint64),
        np.full(engine.words, ~ZERO),
        np.zeros(engine.roles, np.uint8),
    )
    made, goals = np.zeros(moves, np.int64), np.zeros(moves, np.int64)
    return MoveStatistics(made, goals, int(_play(lanes, steps, made, goals)))


class _Lanes(NamedTuple):
    """A block in play.

    ``code`` int64: see :meth:`Engine.addresses`.
    ``state`` int64 (4,): first rows of fluents, their number, first rows of moves and of legal
    moves. ``ends`` int64 (3,): the row of terminal, the first of goals and of next. ``offsets``
    int64 (roles + 1,): where each role's moves begin. ``played`` uint64 (moves, words): the moves
    made in each lane. ``alive`` uint64 (words,): the lanes that play. ``values`` uint8 (roles,)
    is scratch. The others are the engine's and the block's.
    """

    code: Ints
    state: Ints
    ends: Ints
    offsets: Ints
    goal_table: Ints
    rows: Words
    scratch: Words
    random: Words
    played: Words
    alive: Words
    values: NDArray[np.uint8]


@kernel
def _play(lanes: _Lanes, steps: int, made: Ints, goals: Ints) -> int:
    """Play; add to ``made`` and ``goals``, int64 (moves,); return how many playouts ended."""
    words = lanes.alive.shape[0]
    rows, row_bytes = lanes.rows.ctypes.data, 8 * words
    ended = 0
    for step in range(steps + 1):
        call_evaluator(lanes.code[VIEW], rows, lanes.code[VIEW_PROGRAM])
        for word in range(words):
            ended += _take_in(lanes, word, made, goals)
        if step == steps:
            break
        for role in range(lanes.offsets.shape[0] - 1):
            first = lanes.offsets[role]
            call_select(
                lanes.code[SELECT],
                rows + row_bytes * (lanes.state[3] + first),
                rows + row_bytes * (lanes.state[2] + first),
                lanes.offsets[role + 1] - first,
                lanes.scratch.ctypes.data,
                lanes.random.ctypes.data,
            )
        for move in range(lanes.played.shape[0]):
            for word in range(words):
                now = lanes.rows[lanes.state[2] + move, word] & lanes.alive[word]
                lanes.played[move, word] |= now
        call_evaluator(lanes.code[TRANSITION], rows, lanes.code[TRANSITION_PROGRAM])
        target, origin = rows + row_bytes * lanes.state[0], rows + row_bytes * lanes.ends[2]
        copy_memory(target, origin, row_bytes * lanes.state[1])
    return ended


@kernel
def _take_in(lanes: _Lanes, word: int, made: Ints, goals: Ints) -> int:
    """Count the moves of a word's playouts that have just ended; return how many these are."""
    left = lanes.rows[lanes.ends[0], word] & lanes.alive[word]
    lanes.alive[word] &= ~left
    ended = 0
    while left != ZERO:
        number = lowest(left)
        bit = np.uint64(number)
        left &= left - ONE
        ended += 1
        lane = word * 64 + number
        goal_values(lanes.rows, lanes.ends[1], lanes.goal_table, lane, lanes.values)
        for role in range(lanes.values.shape[0]):
            for move in range(lanes.offsets[role], lanes.offsets[role + 1]):
                if (lanes.played[move, word] >> bit) & ONE:
                    made[move] += 1
                    goals[move] += lanes.values[role]
    return ended
