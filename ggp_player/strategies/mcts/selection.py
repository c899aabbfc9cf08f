"""Selection: descents from the root find the leaves from which idle lanes play on."""

from __future__ import annotations

from gdl.engine.kernel_library import (
    SCATTER,
    ZERO,
    acquire,
    add_to_int64,
    call_scatter,
    inlined_kernel,
    lowest,
    observe,
    release,
)
from ggp_player.strategies.mcts.arrays import (
    DESCENTS,
    MAX_DEPTH,
    ROOT,
    TOGETHER,
    GameArrays,
    Indices,
    Ints,
    Settings,
    TreeArrays,
    Words,
)
from ggp_player.strategies.mcts.bounds import backpropagate_bounds, is_proved
from ggp_player.strategies.mcts.memory import (
    BUDGET,
    DESCENT,
    FREE_LEAVES,
    FREE_STANDS,
    LEFT_DESCENTS,
    NEW_LEAVES,
    STAND,
    LaneArrays,
    Memory,
    PendingLeaves,
    Share,
)
from ggp_player.strategies.mcts.nodes import (
    add_pending_to_edges,
    backpropagate,
    find_child,
    leave_stand,
    select_edge,
)
from ggp_player.strategies.mcts.pools import NO_NODE, add_pending, live_child, pin_child
from ggp_player.strategies.mcts.priors import EXPANDED

PROVED, LEAF, MISSING = range(3)
"""How a descent ends: at a node of proved value, at a node to play from, or before a child that is
not yet in the tree."""

FAN_PRIOR = 0.5
"""Siblings of a leaf are expanded with it where their prior is at least this part of its own."""

STAND_VISITS = 32
"""A stand has so many visits for each leaf that is selected below it."""

DESCENTS_AT_ONCE = 16
"""Numbers of descents that a thread takes at once."""

MAX_PROVED_DESCENTS = 64
"""Descents in a row to proved nodes after which lanes are left idle for a step."""


@inlined_kernel
def fill_idle_lanes(memory: Memory, settings: Settings, idle: int) -> None:
    """Select leaves, and give them idle lanes, which do not hold their states yet.

    Where several roles may have a choice the lock is held meanwhile, as the lists of joint moves
    can be read only while nobody changes them.
    """
    leaves, tree, proved = memory.leaves, memory.tree, 0
    free, is_locked = leaves.counts[FREE_LEAVES], bool(memory.counts[TOGETHER])
    if is_locked:
        acquire(tree.lock)
    while idle >= settings.leaf_lanes and free > 0 and proved < MAX_PROVED_DESCENTS:
        leaf = leaves.free[free - 1]
        if is_locked or settings.batch == 1:
            end_stand(memory, settings)
        else:
            _find_stand(memory, settings)
        leaves.stand[leaf] = leaves.stands.counts[STAND]
        end = _select_path(memory, settings, leaf, is_locked)
        if end == PROVED:
            proved += 1
            leaves.stands.counts[BUDGET] -= 1
            _backpropagate_proved_value(memory, settings, leaf, is_locked)
            continue
        proved = 0
        leaves.counts[FREE_LEAVES] -= 1
        idle -= _start_leaf(memory, settings, leaf, idle, end == MISSING)
        if end == MISSING:
            idle -= _start_sibling_leaves(memory, settings, leaf, idle)
        free = leaves.counts[FREE_LEAVES]
    if is_locked:
        release(tree.lock)


@inlined_kernel
def end_stand(memory: Memory, settings: Settings) -> None:
    """Let no more descents begin at the stand of a thread, if it has one."""
    game, _, leaves, tree, _, _, _ = memory
    stand = leaves.stands.counts[STAND]
    if stand >= 0:
        leaves.stands.counts[STAND] = -1
        leave_stand(game, tree, settings, leaves.stands, stand)


@inlined_kernel
def _find_stand(memory: Memory, settings: Settings) -> None:
    """Find where the next descents begin: at a node with many visits, for some leaves.

    Source: K. Yoshizoe et al., Scalable distributed Monte-Carlo tree search (2011).
    """
    tree, stands = memory.tree, memory.leaves.stands
    stand = stands.counts[STAND]
    if stand >= 0:
        is_open = stands.counts[BUDGET] > 0
        if is_open and not is_proved(tree, stands.nodes[stand, stands.length[stand]]):
            return
        end_stand(memory, settings)
    if stands.counts[FREE_STANDS] == 0:
        return
    stand = stands.free[stands.counts[FREE_STANDS] - 1]
    _descend_to_stand(memory, settings, stand)
    if stands.length[stand] == 0:
        add_pending(tree, stands.nodes[stand, 0], -1)
        return
    stands.counts[FREE_STANDS] -= 1
    stands.counts[STAND], stands.counts[BUDGET] = stand, settings.batch
    stands.pending[stand], stands.visits[stand] = 1, 0
    for role in range(stands.totals.shape[1]):
        stands.totals[stand, role] = 0.0


@inlined_kernel
def _descend_to_stand(memory: Memory, settings: Settings, stand: int) -> None:
    """Descend from the root as long as nodes have visits enough, and record the path.

    What the path leads through has as many pending visits as leaves may follow, its end one.
    """
    game, _, leaves, tree, counts, _, share = memory
    stands, least = leaves.stands, STAND_VISITS * settings.batch
    descent, depth, node = _next_descent(tree, counts, share), 0, counts[ROOT]
    add_pending(tree, node, 1)
    while depth < MAX_DEPTH - 1:
        record, edges = tree.nodes[node], stands.edges[stand, depth]
        is_end = is_proved(tree, node) or record.is_expanded != EXPANDED
        observe()
        if is_end or record.mover < 0 or record.last_descent == descent:
            break
        record.last_descent = descent
        _select_edges(game, tree, settings, node, edges)
        child = _pin_child(tree, node, edges)
        if child < 0:
            break
        if tree.nodes[child].visits < least or is_proved(tree, child):
            add_pending(tree, child, -1)
            break
        add_pending(tree, node, settings.batch - 1)
        add_pending_to_edges(tree, edges, settings.batch)
        stands.nodes[stand, depth] = node
        node = child
        depth += 1
    stands.nodes[stand, depth] = node
    stands.length[stand] = depth


@inlined_kernel
def _next_descent(tree: TreeArrays, counts: Ints, share: Share) -> int:
    """Number a descent. A thread takes some numbers at once."""
    if share.counts[LEFT_DESCENTS] == 0:
        address = counts.ctypes.data + counts.itemsize * DESCENTS
        share.counts[DESCENT] = add_to_int64(address, DESCENTS_AT_ONCE, tree.is_shared)
        share.counts[LEFT_DESCENTS] = DESCENTS_AT_ONCE
    share.counts[DESCENT] += 1
    share.counts[LEFT_DESCENTS] -= 1
    return int(share.counts[DESCENT])


@inlined_kernel
def _select_edges(
    game: GameArrays, tree: TreeArrays, settings: Settings, node: int, edges: Indices
) -> None:
    """Select an edge for each role that has a choice at a node; -1 for the others."""
    for role in range(edges.shape[0]):
        edges[role] = -1
        if tree.roles[node, role].first_edge >= 0:
            edges[role] = select_edge(game, tree, settings, node, role)


@inlined_kernel
def _select_path(memory: Memory, settings: Settings, leaf: int, is_locked: bool) -> int:
    """Descend from the root, and record the path as that of a leaf; return how it ends.

    Its nodes and edges have a pending visit from then on.
    """
    game, _, leaves, tree, counts, _, share = memory
    descent, node = _next_descent(tree, counts, share), counts[ROOT]
    depth, stand = 0, leaves.stand[leaf]
    if stand >= 0:
        depth = leaves.stands.length[stand]
        node = leaves.stands.nodes[stand, depth]
        for step in range(depth):
            leaves.nodes[leaf, step] = leaves.stands.nodes[stand, step]
            for role in range(leaves.edges.shape[2]):
                leaves.edges[leaf, step, role] = leaves.stands.edges[stand, step, role]
    add_pending(tree, node, 1)
    while True:
        leaves.nodes[leaf, depth] = node
        leaves.length[leaf] = depth
        if is_proved(tree, node):
            return PROVED
        record = tree.nodes[node]
        is_leaf = record.is_expanded != EXPANDED or depth == MAX_DEPTH
        observe()
        if is_leaf or record.last_descent == descent or (record.mover < 0 and not is_locked):
            record.last_descent = descent
            return LEAF
        record.last_descent = descent
        edges = leaves.edges[leaf, depth]
        _select_edges(game, tree, settings, node, edges)
        add_pending_to_edges(tree, edges, 1)
        node = _pin_child(tree, node, edges)
        depth += 1
        if node < 0:
            leaves.nodes[leaf, depth] = NO_NODE
            leaves.length[leaf] = depth
            return MISSING


@inlined_kernel
def _pin_child(tree: TreeArrays, node: int, edges: Indices) -> int:
    """The node behind the edges that the roles choose, with one pending visit more; -1 if none."""
    mover = tree.nodes[node].mover
    if mover >= 0:
        return pin_child(tree, edges[mover])
    child = find_child(tree, node, edges)
    if child >= 0:
        add_pending(tree, child, 1)
    return child


@inlined_kernel
def _backpropagate_proved_value(
    memory: Memory, settings: Settings, leaf: int, is_locked: bool
) -> None:
    """Backpropagate the value of a proved node at a path's end.

    It may have been proved by way of another path, so the bounds on this one are updated first.
    """
    game, _, leaves, tree, _, _, _ = memory
    node = leaves.nodes[leaf, leaves.length[leaf]]
    if not is_locked:
        acquire(tree.lock)
    backpropagate_bounds(game, tree, leaves, leaf, leaves.length[leaf] - 1)
    if not is_locked:
        release(tree.lock)
    for role in range(leaves.totals.shape[1]):
        own = tree.roles[node, role]
        leaves.totals[leaf, role] = 0.005 * (float(own.low) + float(own.high))
    backpropagate(game, tree, settings, leaves, leaf, 1)


@inlined_kernel
def _start_leaf(memory: Memory, settings: Settings, leaf: int, idle: int, forced: bool) -> int:
    """Give a leaf idle lanes, at most ``idle``; return how many."""
    _, lanes, leaves, tree, _, _, _ = memory
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
    if leaves.stand[leaf] >= 0:
        leaves.stands.pending[leaves.stand[leaf]] += 1
        leaves.stands.counts[BUDGET] -= 1
    leaves.lane_count[leaf] = found
    leaves.playing[leaf] = found
    for role in range(leaves.totals.shape[1]):
        leaves.totals[leaf, role] = 0.0
    leaves.new[leaves.counts[NEW_LEAVES]] = leaf
    leaves.counts[NEW_LEAVES] += 1
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
def _copy_path(tree: TreeArrays, leaves: PendingLeaves, origin: int, leaf: int, edge: int) -> None:
    """Make a leaf's path that of another one, but with another edge of the last mover."""
    length, stand = leaves.length[origin], leaves.stand[origin]
    leaves.length[leaf], leaves.stand[leaf] = length, stand
    first = leaves.stands.length[stand] if stand >= 0 else 0
    for step in range(length):
        node = leaves.nodes[leaf, step] = leaves.nodes[origin, step]
        for role in range(leaves.edges.shape[2]):
            leaves.edges[leaf, step, role] = leaves.edges[origin, step, role]
        if step == length - 1:
            leaves.edges[leaf, step, tree.nodes[node].mover] = edge
        if step >= first:
            add_pending(tree, node, 1)
            add_pending_to_edges(tree, leaves.edges[leaf, step], 1)
    leaves.nodes[leaf, length] = NO_NODE


@inlined_kernel
def _start_sibling_leaves(memory: Memory, settings: Settings, origin: int, idle: int) -> int:
    """Start leaves at other children of the same node that are not yet in the tree."""
    _, _, leaves, tree, _, _, _ = memory
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
        _copy_path(tree, leaves, origin, leaf, edge)
        used += _start_leaf(memory, settings, leaf, idle - used, True)
        children += 1
    return used
