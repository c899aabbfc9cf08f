"""Selection: descents from the root find the leaves from which idle lanes play on."""

from __future__ import annotations

from gdl.engine.kernel_library import SCATTER, ZERO, call_scatter, inlined_kernel, lowest
from ggp_player.strategies.mcts.arrays import (
    DESCENTS,
    FREE_LEAVES,
    MAX_DEPTH,
    NEW_LEAVES,
    ROOT,
    GameArrays,
    LaneArrays,
    Memory,
    PendingLeaves,
    Settings,
    TreeArrays,
    Words,
)
from ggp_player.strategies.mcts.bounds import backpropagate_bounds, is_proved
from ggp_player.strategies.mcts.nodes import (
    add_virtual_loss,
    backpropagate,
    find_child,
    select_edge,
)
from ggp_player.strategies.mcts.pools import NO_NODE, live_child
from ggp_player.strategies.mcts.priors import EXPANDED

PROVED, LEAF, MISSING = range(3)
"""How a descent ends: at a node of proved value, at a node to play from, or before a child that is
not yet in the tree."""

FAN_PRIOR = 0.5
"""Siblings of a leaf are expanded with it where their prior is at least this part of its own."""

MAX_PROVED_DESCENTS = 64
"""Descents in a row to proved nodes after which lanes are left idle for a step."""


@inlined_kernel
def fill_idle_lanes(memory: Memory, settings: Settings, idle: int) -> None:
    """Select leaves, and give them idle lanes, which do not hold their states yet."""
    leaves, proved = memory.leaves, 0
    free = leaves.counts[FREE_LEAVES]
    while idle >= settings.leaf_lanes and free > 0 and proved < MAX_PROVED_DESCENTS:
        leaf = leaves.free[free - 1]
        end = _select_path(memory, settings, leaf)
        if end == PROVED:
            proved += 1
            _backpropagate_proved_value(memory, settings, leaf)
            continue
        proved = 0
        leaves.counts[FREE_LEAVES] -= 1
        idle -= _start_leaf(memory, settings, leaf, idle, end == MISSING)
        if end == MISSING:
            idle -= _start_sibling_leaves(memory, settings, leaf, idle)
        free = leaves.counts[FREE_LEAVES]


@inlined_kernel
def _select_path(memory: Memory, settings: Settings, leaf: int) -> int:
    """Descend from the root, and record the path as that of a leaf; return how it ends."""
    game, _, leaves, tree, counts, _ = memory
    counts[DESCENTS] += 1
    descent, node = counts[DESCENTS], counts[ROOT]
    depth = 0
    while True:
        leaves.nodes[leaf, depth] = node
        leaves.length[leaf] = depth
        if is_proved(tree, node):
            return PROVED
        record = tree.nodes[node]
        if record.is_expanded != EXPANDED or depth == MAX_DEPTH or record.last_descent == descent:
            record.last_descent = descent
            return LEAF
        record.last_descent = descent
        edges = leaves.edges[leaf, depth]
        for role in range(edges.shape[0]):
            edges[role] = -1
            if tree.roles[node, role].first_edge >= 0:
                edges[role] = select_edge(game, tree, settings, node, role)
        node = find_child(tree, node, edges)
        depth += 1
        if node < 0:
            leaves.nodes[leaf, depth] = NO_NODE
            leaves.length[leaf] = depth
            return MISSING


@inlined_kernel
def _backpropagate_proved_value(memory: Memory, settings: Settings, leaf: int) -> None:
    """Backpropagate the value of a proved node at a path's end.

    It may have been proved by way of another path, so the bounds on this one are updated first.
    """
    game, _, leaves, tree, _, _ = memory
    node = leaves.nodes[leaf, leaves.length[leaf]]
    backpropagate_bounds(game, tree, leaves, leaf, leaves.length[leaf] - 1)
    for role in range(leaves.totals.shape[1]):
        own = tree.roles[node, role]
        leaves.totals[leaf, role] = 0.005 * (float(own.low) + float(own.high))
    backpropagate(game, tree, settings, leaves, leaf, 1, 0)


@inlined_kernel
def _start_leaf(memory: Memory, settings: Settings, leaf: int, idle: int, forced: bool) -> int:
    """Give a leaf idle lanes, at most ``idle``; return how many."""
    _, lanes, leaves, tree, _, _ = memory
    size = min(settings.leaf_lanes, idle)
    step = leaves.length[leaf] - 1 if forced else leaves.length[leaf]
    mask = leaves.masks[leaf]
    found = 0
    for word in range(mask.shape[0]):
        mask[word] = ZERO
        open_lanes = ~lanes.playing[word]
        while open_lanes != ZERO and found < size:
            bit = open_lanes & (ZERO - open_lanes)
            open_lanes ^= bit
            mask[word] |= bit
            lane = word * 64 + lowest(bit)
            lanes.leaf[lane] = leaf
            lanes.start_step[lane] = lanes.step[0]
            found += 1
        lanes.playing[word] |= mask[word]
    state = tree.state[leaves.nodes[leaf, step]]
    for word in range(state.shape[0]):
        leaves.states[leaf, word] = state[word]
    leaves.forced[leaf] = forced
    if forced:
        _set_forced_moves(leaves, tree, leaf)
    leaves.lane_count[leaf] = found
    leaves.playing[leaf] = found
    for role in range(leaves.totals.shape[1]):
        leaves.totals[leaf, role] = 0.0
    leaves.new[leaves.counts[NEW_LEAVES]] = leaf
    leaves.counts[NEW_LEAVES] += 1
    add_virtual_loss(tree, leaves, leaf)
    return found


@inlined_kernel
def load_new_leaves(game: GameArrays, lanes: LaneArrays, leaves: PendingLeaves, first: int) -> None:
    """Write the states of the new leaves from the ``first`` one on to their lanes."""
    for number in range(first, leaves.counts[NEW_LEAVES]):
        leaf = leaves.new[number]
        scatter_state(game, lanes, leaves.states[leaf], leaves.masks[leaf])


@inlined_kernel
def scatter_state(game: GameArrays, lanes: LaneArrays, state: Words, mask: Words) -> None:
    """Write a packed state, uint64 (S,), to the lanes of a mask, uint64 (W,)."""
    fluents = lanes.rows.ctypes.data + 8 * mask.shape[0] * game.fluents
    scatter, count = game.code[SCATTER], game.fluent_count
    call_scatter(scatter, fluents, count, state.ctypes.data, mask.ctypes.data)


@inlined_kernel
def _set_forced_moves(leaves: PendingLeaves, tree: TreeArrays, leaf: int) -> None:
    """Record the joint move of a path's last step, which the leaf's lanes have yet to make."""
    step = leaves.length[leaf] - 1
    node = leaves.nodes[leaf, step]
    for role in range(leaves.forced_moves.shape[1]):
        edge = leaves.edges[leaf, step, role]
        move = tree.edges[edge].move if edge >= 0 else -1 - tree.roles[node, role].first_edge
        leaves.forced_moves[leaf, role] = move


@inlined_kernel
def _copy_path(leaves: PendingLeaves, origin: int, leaf: int) -> None:
    length = leaves.length[origin]
    leaves.length[leaf] = length
    for step in range(length):
        leaves.nodes[leaf, step] = leaves.nodes[origin, step]
        for role in range(leaves.edges.shape[2]):
            leaves.edges[leaf, step, role] = leaves.edges[origin, step, role]
    leaves.nodes[leaf, length] = NO_NODE


@inlined_kernel
def _start_sibling_leaves(memory: Memory, settings: Settings, origin: int, idle: int) -> int:
    """Start leaves at other children of the same node that are not yet in the tree."""
    _, _, leaves, tree, _, _ = memory
    length = leaves.length[origin]
    node = leaves.nodes[origin, length - 1]
    mover = tree.nodes[node].mover
    if mover < 0 or settings.fan < 2:
        return 0
    used, children = 0, 1
    first = tree.roles[node, mover].first_edge
    least = FAN_PRIOR * tree.edges[leaves.edges[origin, length - 1, mover]].prior
    for edge in range(first, first + tree.roles[node, mover].choices):
        if used >= idle or children >= settings.fan or leaves.counts[FREE_LEAVES] == 0:
            break
        move = tree.edges[edge]
        if live_child(tree, edge) >= 0 or move.pending > 0 or move.prior < least:
            continue
        leaves.counts[FREE_LEAVES] -= 1
        leaf = leaves.free[leaves.counts[FREE_LEAVES]]
        _copy_path(leaves, origin, leaf)
        leaves.edges[leaf, length - 1, mover] = edge
        used += _start_leaf(memory, settings, leaf, idle - used, True)
        children += 1
    return used
