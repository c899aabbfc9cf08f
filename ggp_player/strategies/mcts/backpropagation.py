"""Backpropagation: playouts that have ended are added to the path of their leaf, up to the root."""

from __future__ import annotations

import math

import numpy as np

from gdl.engine.kernel_library import (
    GOALS_VIEW,
    GOALS_VIEW_PROGRAM,
    ONE,
    ZERO,
    call_evaluator,
    inlined_kernel,
    kernel,
    lowest,
    population,
)
from ggp_player.strategies.mcts.arrays import (
    REFUTED,
    TOGETHER,
    GameArrays,
    Settings,
)
from ggp_player.strategies.mcts.memory import (
    ENDED_PLAYOUTS,
    FREE_LEAVES,
    LaneArrays,
    Memory,
    PendingLeaves,
)
from ggp_player.strategies.mcts.nodes import backpropagate, leave_stand
from ggp_player.strategies.patterns import add_up, find_entries, find_indices, find_phases

SUM_TOLERANCE = 0.001
"""By how much mean goal values may differ from the constant sum where they only were rounded."""

MIN_IDLE_LANES = 64
"""Idle lanes from which on it is worth selecting new leaves."""


@inlined_kernel
def stop_finished_lanes(game: GameArrays, lanes: LaneArrays, settings: Settings) -> int:
    """Stop the lanes whose playout has ended; return how many lanes are idle now."""
    step = lanes.step[0]
    expired = step % 256 == 255
    for word in range(lanes.playing.shape[0]):
        playing = lanes.playing[word]
        ended = lanes.rows[game.terminal, word] & playing
        if expired:
            ended |= _overlong_lanes(lanes, step - settings.max_playout_steps, word)
        lanes.playing[word] = playing & ~ended
        lanes.finished[word] |= ended
    return count_idle_lanes(lanes)


@inlined_kernel
def count_idle_lanes(lanes: LaneArrays) -> int:
    """Count the lanes in which no playout goes on."""
    idle = 64 * lanes.playing.shape[0]
    for word in range(lanes.playing.shape[0]):
        idle -= population(lanes.playing[word])
    return idle


@inlined_kernel
def evaluate_goals(game: GameArrays, lanes: LaneArrays) -> None:
    """Bring the goal rows up to date with this step's view."""
    if game.deferred_goals:
        rows = lanes.rows.ctypes.data
        call_evaluator(game.code[GOALS_VIEW], rows, game.code[GOALS_VIEW_PROGRAM])


@inlined_kernel
def free_finished_leaves(game: GameArrays, lanes: LaneArrays, leaves: PendingLeaves) -> None:
    """Count the playouts that have ended, and free the leaves that have no other.

    The goal rows must be up to date. The values of a freed leaf are still to be backpropagated.
    """
    finished = lanes.finished
    for word in range(finished.shape[0]):
        if finished[word] != ZERO:
            _add_goal_values(game, lanes, leaves, word, finished[word])
    for word in range(finished.shape[0]):
        left = finished[word]
        finished[word] = ZERO
        while left != ZERO:
            leaf = lanes.leaf[word * 64 + lowest(left)]
            left &= left - ONE
            leaves.playing[leaf] -= 1
            if leaves.playing[leaf] == 0:
                _free_leaf(leaves, leaf)


@inlined_kernel
def backpropagate_freed(memory: Memory, settings: Settings, first: int) -> None:
    """Backpropagate the leaves that were freed, those from ``first`` on in the stack ``free``."""
    game, _, leaves, tree, counts, priors, share = memory
    is_mixed = counts[TOGETHER] > 0 and priors.weights.shape[1] > 0
    weight = settings.leaf_weight if is_mixed else 0.0
    for index in range(first, leaves.counts[FREE_LEAVES]):
        leaf = leaves.free[index]
        if game.constant_sum >= 0:
            total = leaves.totals[leaf, game.first_rival] + leaves.totals[leaf, game.second_rival]
            if abs(100.0 * total - game.constant_sum) > SUM_TOLERANCE:
                counts[REFUTED] = 1
        if weight > 0.0:
            _mix_in_patterns(memory, leaf, weight)
        backpropagate(game, tree, settings, leaves, leaf, 1)
        if leaves.stand[leaf] >= 0:
            leave_stand(game, tree, settings, leaves.stands, leaves.stand[leaf])
        share.counts[ENDED_PLAYOUTS] += leaves.lane_count[leaf]


@kernel
def _mix_in_patterns(memory: Memory, leaf: int, weight: float) -> None:
    """Let what patterns say of a leaf's state be so large a part of its values."""
    game, _, leaves, tree, _, priors, _ = memory
    node, weights, tables = leaves.nodes[leaf, leaves.length[leaf]], priors.weights, priors.tables
    if node >= 0 and tree.nodes[node].is_proved:
        return
    phases, entries = priors.children.phases, priors.scratch.entries
    find_phases(tables, leaves.states, leaf, phases[:1])
    find_indices(tables, leaves.states, leaf, priors.indices, 0)
    find_entries(tables, priors.indices, 0, entries)
    outputs = priors.children.logits.shape[1]
    for output in range(outputs):
        logit = add_up(weights, entries, np.uint32(phases[0] * outputs + output))
        change = weight * (1.0 / (1.0 + math.exp(-logit)) - leaves.totals[leaf, output])
        leaves.totals[leaf, output] += change
        if outputs == 1:
            leaves.totals[leaf, game.second_rival] -= change


@inlined_kernel
def _add_goal_values(
    game: GameArrays, lanes: LaneArrays, leaves: PendingLeaves, word: int, finished: np.uint64
) -> None:
    """Add the goal values of a word's finished playouts to the totals of their leaves.

    Where several goal values of a role hold, the lowest counts.
    """
    role, unvalued = -1, finished
    for goal in range(game.goal_table.shape[0]):
        if game.goal_table[goal, 0] != role:
            role, unvalued = game.goal_table[goal, 0], finished
        given = lanes.rows[game.goals + goal, word] & unvalued
        unvalued &= ~given
        value = 0.01 * game.goal_table[goal, 1]
        while given != ZERO and value > 0.0:
            lane = word * 64 + lowest(given)
            given &= given - ONE
            leaves.totals[lanes.leaf[lane], role] += value


@inlined_kernel
def _free_leaf(leaves: PendingLeaves, leaf: int) -> None:
    """Put a leaf whose last playout has ended on the stack of unused ones, with its mean values."""
    for role in range(leaves.totals.shape[1]):
        leaves.totals[leaf, role] /= leaves.lane_count[leaf]
    leaves.free[leaves.counts[FREE_LEAVES]] = leaf
    leaves.counts[FREE_LEAVES] += 1


@kernel
def _overlong_lanes(lanes: LaneArrays, limit: int, word: int) -> np.uint64:
    """The playing lanes of a word whose playout began before the step ``limit``."""
    found, playing = ZERO, lanes.playing[word]
    for bit in range(64):
        if (playing >> np.uint64(bit)) & ONE and lanes.start_step[word * 64 + bit] < limit:
            found |= ONE << np.uint64(bit)
    return found
