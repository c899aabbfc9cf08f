"""Nodes of the tree: look-up, expansion, the choice of an edge, visits, values and proved bounds.

Functions that every playout needs are compiled into the search loop itself (``inlined_kernel``):
passing all these arrays takes longer than most of the functions do.
"""

from __future__ import annotations

import math

import numpy as np

from gdl.engine.kernel_library import (
    ZERO,
    elements_fixing,
    hash_of,
    inlined_kernel,
    is_canonical,
    is_set,
    kernel,
)
from ggp_player.strategies.mcts.arrays import (
    EDGES,
    FULL,
    NODES,
    GameArrays,
    Ints,
    LaneArrays,
    PendingLeaves,
    Settings,
    TreeArrays,
    Words,
)
from ggp_player.strategies.mcts.simultaneous import (
    SIMULTANEOUS,
    find_joint_child,
    has_matrix,
    joint_hash,
    select_by_regret,
    set_joint_child,
    update_joint_bounds,
    update_regrets,
)

NO_NODE = -1


@inlined_kernel
def find_or_add_node(game: GameArrays, tree: TreeArrays, counts: Ints, state: Words) -> int:
    """Find the node of a packed state, or add it; -1 if there is no room."""
    key = hash_of(state)
    index = _table_index(tree, state, key)
    if tree.table[index] >= 0:
        return tree.table[index]
    node = counts[NODES]
    if node == tree.visits.shape[0]:
        counts[FULL] = 1
        return NO_NODE
    counts[NODES] += 1
    tree.table[index] = node
    tree.hash[node] = key
    for word in range(state.shape[0]):
        tree.state[node, word] = state[word]
    for role in range(game.floor.shape[0]):
        tree.low[node, role] = game.floor[role]
        tree.high[node, role] = game.ceiling[role]
        tree.total[node, role] = 0.0
    tree.choices[node, 0] = tree.visits[node] = tree.pending_visits[node] = 0
    tree.first_joint_move[node] = 0
    return node


@kernel
def _table_index(tree: TreeArrays, state: Words, key: np.uint64) -> int:
    """The index of a state in the hash table of nodes, or of the slot where it would be."""
    mask = tree.table.shape[0] - 1
    index = np.int64(key >> np.uint64(20)) & mask
    while tree.table[index] >= 0:
        node = tree.table[index]
        if tree.hash[node] == key and _is_state(tree, node, state):
            break
        index = (index + 1) & mask
    return index


@kernel
def _is_state(tree: TreeArrays, node: int, state: Words) -> bool:
    for word in range(state.shape[0]):  # noqa: SIM110, as kernels have no generators
        if tree.state[node, word] != state[word]:
            return False
    return True


@inlined_kernel
def find_child(tree: TreeArrays, node: int, edges: np.ndarray) -> int:
    """The node behind the edges, int32 (R,), that the roles choose; -1 if not known."""
    mover = tree.mover[node]
    if mover >= 0:
        return tree.child[edges[mover]]
    return find_joint_child(tree, joint_hash(tree, node, edges))


@inlined_kernel
def set_child(tree: TreeArrays, counts: Ints, node: int, edges: np.ndarray, child: int) -> None:
    """Record the node behind the edges that the roles choose."""
    mover = tree.mover[node]
    if mover >= 0:
        tree.child[edges[mover]] = child
    else:
        set_joint_child(tree, counts, node, edges, child)


@kernel
def expand(
    game: GameArrays, tree: TreeArrays, counts: Ints, node: int, block: LaneArrays, lane: int
) -> None:
    """Add the edges of a node: the moves that are legal in a lane of an evaluated block.

    Where one role alone has a choice, only one move of each orbit under the symmetries that fix the
    state gets an edge. The node stays a leaf if a role has no legal move, or if the edges run out.
    """
    needed = _count_choices(game, tree, node, block, lane)
    if needed < 0:
        return
    if counts[EDGES] + needed > tree.move.shape[0]:
        tree.choices[node, 0] = 0
        counts[FULL] = 1
        return
    fixing, mover = ZERO, tree.mover[node]
    if mover >= 0 and not game.chance[mover]:
        fixing = elements_fixing(game.symmetries, tree.state[node])
    for role in range(game.chance.shape[0]):
        if tree.choices[node, role] > 1 or (needed == 1 and role == 0):
            tree.first_edge[node, role] = counts[EDGES]
            for move in range(game.offsets[role], game.offsets[role + 1]):
                is_legal = is_set(block.rows, game.legal + move, lane)
                if is_legal and is_canonical(game.symmetries, fixing, move):
                    edge = counts[EDGES]
                    counts[EDGES] += 1
                    tree.move[edge] = move - game.offsets[role]
                    tree.child[edge] = NO_NODE
                    tree.edge_visits[edge] = tree.edge_pending_visits[edge] = 0
                    tree.edge_total[edge] = 0.0
                    tree.amaf_visits[edge] = 0
                    tree.amaf_total[edge] = 0.0
                    tree.known_joint_moves[edge] = 0
                    tree.regret[edge] = 0.0
                    tree.edge_low[edge] = game.floor[role]
                    tree.edge_high[edge] = game.ceiling[role]
            tree.choices[node, role] = counts[EDGES] - tree.first_edge[node, role]


@kernel
def _count_choices(
    game: GameArrays, tree: TreeArrays, node: int, block: LaneArrays, lane: int
) -> int:
    """Find out who has a choice at a node; return the edges needed, -1 if a role has no move."""
    needed, movers = 0, 0
    tree.mover[node] = 0
    for role in range(game.chance.shape[0]):
        count = 0
        for move in range(game.offsets[role], game.offsets[role + 1]):
            if is_set(block.rows, game.legal + move, lane):
                count += 1
                tree.first_edge[node, role] = -1 - (move - game.offsets[role])
        tree.choices[node, role] = count
        if count == 0:
            tree.choices[node, 0] = 0
            return -1
        if count > 1:
            movers += 1
            tree.mover[node] = role if movers == 1 else SIMULTANEOUS
            needed += count
    return max(needed, 1)


@inlined_kernel
def is_proved(tree: TreeArrays, node: int) -> bool:
    """Whether the node's value is proved for every role."""
    for role in range(tree.low.shape[1]):  # noqa: SIM110, as kernels have no generators
        if tree.low[node, role] != tree.high[node, role]:
            return False
    return True


@inlined_kernel
def has_bounds(game: GameArrays, tree: TreeArrays, node: int) -> bool:
    """Whether anything is proved of the node's value."""
    for role in range(tree.low.shape[1]):
        if tree.low[node, role] > game.floor[role] or tree.high[node, role] < game.ceiling[role]:
            return True
    return False


@inlined_kernel
def select_edge(
    game: GameArrays, tree: TreeArrays, settings: Settings, node: int, role: int
) -> int:
    """Select the edge of the highest upper confidence bound (UCT); pending visits count too.

    Moves that cannot improve on the proved lower bound, and moves of proved value, are pruned while
    there are others. A role that moves by chance makes its moves equally often. At
    simultaneous-move nodes regret matching chooses.

    Sources: L. Kocsis and C. Szepesvari, Bandit based Monte-Carlo planning (2006); S. Gelly and D.
    Silver, Combining online and offline knowledge in UCT (2007), on RAVE; M. Winands et al.,
    Monte-Carlo tree search solver (2008); A. Liu et al., Watch the unobserved (2020).
    """
    first = tree.first_edge[node, role]
    last = first + tree.choices[node, role]
    alone = tree.mover[node] == role
    visits = tree.visits[node]
    spread = settings.exploration * math.sqrt(math.log(visits + tree.pending_visits[node] + 1.0))
    mean = tree.total[node, role] / visits if visits else 0.5
    best, best_value = -1, -1e30
    if game.chance[role]:
        best = _least_visited(tree, first, last)
    elif settings.uniform > 0.0 and has_matrix(tree, node):
        best = select_by_regret(tree, settings, node, role)
    for prune in (True, False):
        if best >= 0:
            break
        for edge in range(first, last):
            own, pending = tree.edge_visits[edge], tree.edge_pending_visits[edge]
            value = tree.edge_total[edge] / own if own else mean
            if settings.rave_equivalence and tree.amaf_visits[edge]:
                equivalence = settings.rave_equivalence
                weight = math.sqrt(equivalence / (equivalence + 3.0 * own))
                value += weight * (tree.amaf_total[edge] / tree.amaf_visits[edge] - value)
            child = tree.child[edge] if alone else NO_NODE
            if child >= 0 or not alone:
                low = tree.low[child, role] if alone else tree.edge_low[edge]
                high = tree.high[child, role] if alone else tree.edge_high[edge]
                if prune and (high <= tree.low[node, role] or low == high):
                    continue
                value = min(max(value, 0.01 * low), 0.01 * high)
            value += spread / math.sqrt(max(1.0, own + pending))
            if value > best_value:
                best, best_value = edge, value
    return best


@kernel
def _least_visited(tree: TreeArrays, first: int, last: int) -> int:
    least = first
    for edge in range(first + 1, last):
        visits = tree.edge_visits[edge] + tree.edge_pending_visits[edge]
        if visits < tree.edge_visits[least] + tree.edge_pending_visits[least]:
            least = edge
    return least


@inlined_kernel
def backpropagate(tree: TreeArrays, leaves: PendingLeaves, leaf: int, playouts: int) -> None:
    """Add the totals of a leaf's playouts to the nodes and edges of its path; undo virtual loss.

    ``playouts`` is 0 for a leaf that is cancelled.
    """
    totals = leaves.totals[leaf]
    length = leaves.length[leaf]
    for step in range(length + 1):
        node = leaves.nodes[leaf, step]
        if node < 0:
            continue
        tree.visits[node] += playouts
        tree.pending_visits[node] -= leaves.lane_count[leaf]
        for role in range(totals.shape[0]):
            tree.total[node, role] += totals[role]
            if step < length and leaves.edges[leaf, step, role] >= 0:
                edge = leaves.edges[leaf, step, role]
                tree.edge_visits[edge] += playouts
                tree.edge_total[edge] += totals[role]
                tree.edge_pending_visits[edge] -= leaves.lane_count[leaf]
        if playouts > 0 and step < length and has_matrix(tree, node):
            update_regrets(tree, leaves, leaf, step, playouts)


@kernel
def backpropagate_amaf(
    game: GameArrays, tree: TreeArrays, leaves: PendingLeaves, leaf: int
) -> None:
    """Add the moves made in a leaf's playouts to the AMAF statistics of each node of its path."""
    length, size = leaves.length[leaf], leaves.lane_count[leaf]
    for step in range(length):
        for role in range(game.chance.shape[0]):
            edge = leaves.edges[leaf, step, role]
            if edge >= 0:
                move = game.offsets[role] + tree.move[edge]
                leaves.amaf_visits[leaf, move] = size
                leaves.amaf_totals[leaf, move] = leaves.totals[leaf, role]
    for step in range(length + 1):
        node = leaves.nodes[leaf, step]
        if node < 0 or tree.choices[node, 0] == 0:
            continue
        for role in range(game.chance.shape[0]):
            first = tree.first_edge[node, role]
            if first >= 0:
                for edge in range(first, first + tree.choices[node, role]):
                    move = game.offsets[role] + tree.move[edge]
                    tree.amaf_visits[edge] += leaves.amaf_visits[leaf, move]
                    tree.amaf_total[edge] += leaves.amaf_totals[leaf, move]


@inlined_kernel
def add_virtual_loss(tree: TreeArrays, leaves: PendingLeaves, leaf: int) -> None:
    """Add a leaf's lanes to the pending visits of the nodes and edges of its path."""
    size, length = leaves.lane_count[leaf], leaves.length[leaf]
    for step in range(length + 1):
        node = leaves.nodes[leaf, step]
        if node >= 0:
            tree.pending_visits[node] += size
        for role in range(leaves.edges.shape[2]):
            if step < length and leaves.edges[leaf, step, role] >= 0:
                tree.edge_pending_visits[leaves.edges[leaf, step, role]] += size


@kernel
def backpropagate_bounds(
    game: GameArrays, tree: TreeArrays, leaves: PendingLeaves, leaf: int, last: int
) -> None:
    """Update the bounds of a path's nodes from the step ``last`` upwards, while they change."""
    for step in range(last, -1, -1):
        if not _update_bounds(game, tree, leaves.nodes[leaf, step], leaves.edges[leaf, step]):
            return


@kernel
def _update_bounds(game: GameArrays, tree: TreeArrays, node: int, edges: np.ndarray) -> bool:
    """Update a node's bounds from those behind the edges; return whether they changed."""
    if tree.choices[node, 0] == 0:
        return False
    if tree.mover[node] == SIMULTANEOUS:
        changed = update_joint_bounds(game, tree, node, edges)
    else:
        changed = _update_mover_bounds(game, tree, node)
    if changed and game.constant_sum >= 0:
        _apply_constant_sum(game, tree, node, game.first_rival, game.second_rival)
        _apply_constant_sum(game, tree, node, game.second_rival, game.first_rival)
    return changed


@kernel
def _update_mover_bounds(game: GameArrays, tree: TreeArrays, node: int) -> bool:
    """Update the bounds of a node where one role has a choice; return whether they changed.

    The mover is assured of the best of its moves' lower bounds, the others only of the worst:
    nothing is assumed of what the mover prefers.
    """
    mover = tree.mover[node]
    first = tree.first_edge[node, mover]
    last = first + tree.choices[node, mover]
    changed = False
    for role in range(tree.low.shape[1]):
        least, most = game.ceiling[role], game.floor[role]
        best_low = game.floor[role]
        for edge in range(first, last):
            child = tree.child[edge]
            low = tree.low[child, role] if child >= 0 else game.floor[role]
            high = tree.high[child, role] if child >= 0 else game.ceiling[role]
            least, most = min(least, low), max(most, high)
            best_low = max(best_low, low)
        if role == mover and not game.chance[role]:
            least = best_low
        if least > tree.low[node, role] or most < tree.high[node, role]:
            tree.low[node, role] = max(least, tree.low[node, role])
            tree.high[node, role] = min(most, tree.high[node, role])
            changed = True
    return changed


@kernel
def _apply_constant_sum(
    game: GameArrays, tree: TreeArrays, node: int, role: int, rival: int
) -> None:
    """Tighten a role's bounds by those of its rival, as their values have a constant sum."""
    tree.low[node, role] = max(tree.low[node, role], game.constant_sum - tree.high[node, rival])
    tree.high[node, role] = min(tree.high[node, role], game.constant_sum - tree.low[node, rival])
