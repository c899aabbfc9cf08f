"""The hot loop of the strong search: nearly all of the time of a Monte Carlo search is spent here.

The other hot loop is that of bare playouts, without a tree: :mod:`gdl.engine.kernels.play`.

Each step fills idle lanes with new leaves (:mod:`.selection`), evaluates the view of all lanes,
expands the leaves that it shows for the first time (:mod:`.nodes`), counts the playouts that have
ended (:mod:`.backpropagation`), chooses moves, and evaluates the transition. The lanes of a leaf
start from the state of a node; where its child is not yet in the tree, they first make the forced
move that leads there, and then play at random. So adding a child takes no evaluation of its own.

All of it is compiled into one function: passing the arrays on would take longer than the work.
"""

from __future__ import annotations

import numpy as np

from gdl.engine.kernel_library import (
    MASKED_COPY,
    MOVES_VIEW,
    SELECT,
    TRANSITION,
    TRANSITION_PROGRAM,
    VIEW,
    WINNING_VIEW,
    WINNING_VIEW_PROGRAM,
    ZERO,
    call_evaluator,
    call_masked_copy,
    call_select,
    first_lane,
    get_state,
    goal_values,
    inlined_kernel,
    is_set,
    kernel,
    make_canonical,
)
from ggp_player.strategies.mcts.arrays import (
    FREE_LEAVES,
    NEW_LEAVES,
    REFUTED,
    ROOT,
    STEP,
    TOGETHER,
    GameArrays,
    LaneArrays,
    Memory,
    PendingLeaves,
    Settings,
)
from ggp_player.strategies.mcts.backpropagation import (
    MIN_IDLE_LANES,
    backpropagate_finished,
    count_idle_lanes,
    evaluate_goals,
)
from ggp_player.strategies.mcts.bounds import (
    backpropagate_bounds,
    has_bounds,
    is_proved,
    prove_terminal,
    prove_win,
)
from ggp_player.strategies.mcts.nodes import backpropagate, expand, set_child
from ggp_player.strategies.mcts.pools import find_or_add_node
from ggp_player.strategies.mcts.selection import fill_idle_lanes, scatter_state


@kernel
def run_search(memory: Memory, settings: Settings, steps: int) -> None:
    """Search for ``steps``, or until the root is proved or the constant sum is refuted."""
    game, lanes, leaves, tree, counts = memory
    view = MOVES_VIEW if game.deferred_goals else VIEW
    for _ in range(steps):
        idle = count_idle_lanes(lanes)
        if idle >= MIN_IDLE_LANES:
            fill_idle_lanes(memory, settings, idle)
        if counts[REFUTED] or is_proved(tree, counts[ROOT]):
            return
        call_evaluator(game.code[view], lanes.rows.ctypes.data, game.code[view + 1])
        decisive = settings.decisive and game.winning >= 0 and not counts[TOGETHER]
        if decisive:
            _find_winners(game, lanes)
        _evaluate_new_leaves(memory, settings, decisive)
        backpropagate_finished(memory, settings)
        _choose_moves(game, lanes)
        if counts[NEW_LEAVES] > 0:
            _apply_forced_moves(game, lanes, leaves, counts)
        _make_moves(game, lanes)
        _link_new_children(memory)
        counts[STEP] += 1


@kernel
def cancel_pending_leaves(memory: Memory, settings: Settings) -> None:
    """Drop all pending leaves, as if they had never been selected."""
    game, lanes, leaves, tree, counts = memory
    for leaf in range(leaves.playing.shape[0]):
        if leaves.playing[leaf] > 0:
            backpropagate(game, tree, settings, leaves, leaf, 0, 1)
            leaves.playing[leaf] = 0
    for index in range(leaves.free.shape[0]):
        leaves.free[index] = leaves.free.shape[0] - 1 - index
    counts[FREE_LEAVES] = leaves.free.shape[0]
    counts[NEW_LEAVES] = 0
    for word in range(lanes.playing.shape[0]):
        lanes.playing[word] = lanes.finished[word] = ZERO


@inlined_kernel
def _find_winners(game: GameArrays, lanes: LaneArrays) -> None:
    """Find the lanes in which a role can win at once, into ``winners``."""
    rows = lanes.rows.ctypes.data
    call_evaluator(game.code[WINNING_VIEW], rows, game.code[WINNING_VIEW_PROGRAM])
    words = lanes.playing.shape[0]
    for role in range(lanes.winners.shape[0]):
        for word in range(words):
            lanes.winners[role, word] = ZERO
    role = 0
    for move in game.winning_moves:
        while move >= game.offsets[role + 1]:
            role += 1
        if game.chance[role]:
            continue
        for word in range(words):
            lanes.winners[role, word] |= lanes.flat_rows[(game.winning + move) * words + word]


@inlined_kernel
def _evaluate_new_leaves(memory: Memory, settings: Settings, decisive: bool) -> None:
    """Expand or prove the new leaves whose state the view has just shown."""
    game, lanes, leaves, tree, counts = memory
    kept, goals_evaluated = 0, False
    for number in range(counts[NEW_LEAVES]):
        leaf = leaves.new[number]
        if leaves.forced[leaf]:
            leaves.new[kept] = leaf
            kept += 1
            continue
        node = leaves.nodes[leaf, leaves.length[leaf]]
        if node < 0:
            continue
        lane = first_lane(leaves.masks[leaf])
        if is_set(lanes.rows, game.terminal, lane):
            if not settings.proofs:
                continue
            if not goals_evaluated:
                evaluate_goals(game, lanes)
                goals_evaluated = True
            goal_values(lanes.rows, game.goals, game.goal_table, lane, lanes.values)
            if not prove_terminal(game, tree, node, lanes.values):
                counts[REFUTED] = 1
            backpropagate_bounds(game, tree, leaves, leaf, leaves.length[leaf] - 1)
            continue
        if not tree.nodes[node].is_expanded and (
            tree.nodes[node].visits > 0 or node == counts[ROOT]
        ):
            expand(game, tree, counts, node, lanes, lane)
        if decisive and settings.proofs and prove_win(game, tree, node, lanes, lane):
            backpropagate_bounds(game, tree, leaves, leaf, leaves.length[leaf] - 1)
    counts[NEW_LEAVES] = kept


@inlined_kernel
def _choose_moves(game: GameArrays, lanes: LaneArrays) -> None:
    """Choose the moves of all lanes at random."""
    rows = lanes.rows.ctypes.data
    row_bytes = 8 * lanes.playing.shape[0]
    for role in range(game.chance.shape[0]):
        call_select(
            game.code[SELECT],
            rows + row_bytes * (game.legal + game.offsets[role]),
            rows + row_bytes * (game.moves + game.offsets[role]),
            game.offsets[role + 1] - game.offsets[role],
            lanes.scratch.ctypes.data,
            lanes.random.ctypes.data,
        )


@inlined_kernel
def _make_moves(game: GameArrays, lanes: LaneArrays) -> None:
    """Make the moves in all lanes whose playout goes on."""
    rows = lanes.rows.ctypes.data
    row_bytes = 8 * lanes.playing.shape[0]
    call_evaluator(game.code[TRANSITION], rows, game.code[TRANSITION_PROGRAM])
    # Lanes that have finished keep their last state, as its goals are still to be evaluated.
    target, origin = rows + row_bytes * game.fluents, rows + row_bytes * game.next
    call_masked_copy(
        game.code[MASKED_COPY], target, origin, game.fluent_count, lanes.playing.ctypes.data
    )


@inlined_kernel
def _apply_forced_moves(
    game: GameArrays, lanes: LaneArrays, leaves: PendingLeaves, counts: np.ndarray
) -> None:
    """Replace the random moves of the new leaves' lanes by their forced moves."""
    words = lanes.playing.shape[0]
    roles = game.chance.shape[0]
    unforced = lanes.mask
    for word in range(words):
        unforced[word] = ~ZERO
    for number in range(counts[NEW_LEAVES]):
        mask = leaves.masks[leaves.new[number]]
        for word in range(words):
            unforced[word] &= ~mask[word]
    for move in range(game.moves, game.moves + game.offsets[roles]):
        for word in range(words):
            lanes.flat_rows[move * words + word] &= unforced[word]
    for number in range(counts[NEW_LEAVES]):
        leaf = leaves.new[number]
        for role in range(roles):
            move = game.moves + game.offsets[role] + leaves.forced_moves[leaf, role]
            for word in range(words):
                lanes.rows[move, word] |= leaves.masks[leaf, word]


@inlined_kernel
def _link_new_children(memory: Memory) -> None:
    """Find or add the nodes that forced moves have led to, and link them to their parents."""
    game, lanes, leaves, tree, counts = memory
    for number in range(counts[NEW_LEAVES]):
        leaf = leaves.new[number]
        last = leaves.length[leaf]
        lane = first_lane(leaves.masks[leaf])
        get_state(lanes.rows, game.fluents, game.fluent_count, lane, lanes.state)
        if make_canonical(game.symmetries, lanes.state, lanes.spare):
            scatter_state(game, lanes, lanes.state, leaves.masks[leaf])
        child = find_or_add_node(game, tree, counts, lanes.state)
        leaves.forced[leaf] = 0
        leaves.nodes[leaf, last] = child
        if child >= 0:
            tree.nodes[child].pending += 1
            before = leaves.nodes[leaf, last - 1]
            set_child(tree, counts, before, leaves.edges[leaf, last - 1], child)
            if has_bounds(game, tree, child):
                backpropagate_bounds(game, tree, leaves, leaf, last - 1)
