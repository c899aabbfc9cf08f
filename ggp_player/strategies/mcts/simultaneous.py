"""Simultaneous-move nodes: their joint moves, proved bounds, and choice by regret matching.

Where a node has too many joint moves, nothing is proved, and each role follows its own upper
confidence bounds.
"""

from __future__ import annotations

import numpy as np

from gdl.engine.kernel_library import ZERO, inlined_kernel, kernel, mixed
from ggp_player.strategies.mcts.arrays import (
    FULL,
    JOINT_MOVES,
    GameArrays,
    Ints,
    PendingLeaves,
    Settings,
    TreeArrays,
)

MAX_JOINT_MOVES = 1024
"""The most joint moves of a node that are enumerated; more would take too long."""

SIMULTANEOUS = -2
"""The mover of a node at which several roles have a choice."""


@inlined_kernel
def has_matrix(tree: TreeArrays, node: int) -> bool:
    """Whether several roles have a choice, among few enough joint moves for a payoff matrix."""
    return tree.mover[node] == SIMULTANEOUS and _count_joint_moves(tree, node) <= MAX_JOINT_MOVES


@kernel
def _count_joint_moves(tree: TreeArrays, node: int) -> int:
    """Count the joint moves of a node; beyond ``MAX_JOINT_MOVES`` any number above that."""
    count = 1
    for role in range(tree.choices.shape[1]):
        count *= tree.choices[node, role]
        if count > MAX_JOINT_MOVES:
            break
    return count


@kernel
def joint_hash(tree: TreeArrays, node: int, edges: np.ndarray) -> np.uint64:
    """Hash a node and the edges, int32 (R,), that the roles choose there; never 0."""
    key = mixed(np.uint64(node + 1))
    for role in range(edges.shape[0]):
        key = mixed(key ^ np.uint64(edges[role] + 1))
    return key | np.uint64(1)


@kernel
def find_joint_child(tree: TreeArrays, key: np.uint64) -> int:
    """The node behind the joint move of a hash; -1 where it is not in the tree."""
    index = _joint_index(tree, key)
    return tree.joint_child[index] if tree.joint_hash[index] == key else -1


@kernel
def set_joint_child(
    tree: TreeArrays, counts: Ints, node: int, edges: np.ndarray, child: int
) -> None:
    """Record the node behind a joint move at a simultaneous-move node."""
    key = joint_hash(tree, node, edges)
    index = _joint_index(tree, key)
    if 2 * counts[JOINT_MOVES] >= tree.joint_hash.shape[0]:
        counts[FULL] = 1
    elif tree.joint_hash[index] != key:
        tree.joint_hash[index] = key
        tree.joint_child[index] = child
        tree.joint_final[index] = 0
        for role in range(edges.shape[0]):
            tree.joint_edges[index, role] = edges[role]
            if edges[role] >= 0:
                tree.known_joint_moves[edges[role]] += 1
        tree.next_joint_move[index] = tree.first_joint_move[node]
        tree.first_joint_move[node] = index + 1
        counts[JOINT_MOVES] += 1


@kernel
def _joint_index(tree: TreeArrays, key: np.uint64) -> int:
    """The index of a hash in the table of joint moves, or of the slot where it would be."""
    mask = tree.joint_hash.shape[0] - 1
    index = np.int64(key >> np.uint64(20)) & mask
    while tree.joint_hash[index] != ZERO and tree.joint_hash[index] != key:
        index = (index + 1) & mask
    return index


@kernel
def update_joint_bounds(game: GameArrays, tree: TreeArrays, node: int, edges: np.ndarray) -> bool:
    """Update a node's bounds from those behind the edges; return whether they changed.

    A role is assured of its maximin value: the best of its moves against the worst replies. It can
    get at most the best of all joint moves. A joint move that is not yet in the tree may lead to
    anything. The values of mixed strategies lie between the bounds.

    Source: A. Saffidine, H. Finnsson and M. Buro, Alpha-beta pruning for games with simultaneous
    moves (2012).
    """
    if tree.joint_final[_joint_index(tree, joint_hash(tree, node, edges))]:
        return False
    product = _count_joint_moves(tree, node)
    if product > MAX_JOINT_MOVES or not _has_fully_known_move(tree, node, product):
        return False
    changed = False
    for role in range(tree.low.shape[1]):
        if tree.first_edge[node, role] >= 0:
            low, high = _bounds_of_choice(game, tree, node, role, product)
        else:
            low, high = _bounds_without_choice(game, tree, node, role, product)
        if low > tree.low[node, role] or high < tree.high[node, role]:
            tree.low[node, role] = max(low, tree.low[node, role])
            tree.high[node, role] = min(high, tree.high[node, role])
            changed = True
    _mark_final_joint_moves(tree, node)
    return changed


@kernel
def _mark_final_joint_moves(tree: TreeArrays, node: int) -> None:
    """Mark the joint moves whose children are proved: they cannot change the bounds again."""
    index = tree.first_joint_move[node]
    while index > 0:
        child = tree.joint_child[index - 1]
        final = True
        for role in range(tree.low.shape[1]):
            final = final and tree.low[child, role] == tree.high[child, role]
        tree.joint_final[index - 1] = final
        index = tree.next_joint_move[index - 1]


@kernel
def _has_fully_known_move(tree: TreeArrays, node: int, product: int) -> bool:
    """Whether all joint moves with some move are in the tree; otherwise nothing is proved."""
    for role in range(tree.low.shape[1]):
        first, count = tree.first_edge[node, role], tree.choices[node, role]
        if first >= 0:
            for edge in range(first, first + count):
                if tree.known_joint_moves[edge] * count == product:
                    return True
    return False


@kernel
def _bounds_of_choice(
    game: GameArrays, tree: TreeArrays, node: int, role: int, product: int
) -> tuple[int, int]:
    """Update the bounds of a role's moves; return those of the node's value for it."""
    floor, ceiling = game.floor[role], game.ceiling[role]
    first, count = tree.first_edge[node, role], tree.choices[node, role]
    for edge in range(first, first + count):
        known = tree.known_joint_moves[edge] * count == product
        tree.edge_low[edge] = ceiling if known else floor
        tree.edge_high[edge] = floor if known else ceiling
    index = tree.first_joint_move[node]
    while index > 0:
        edge, child = tree.joint_edges[index - 1, role], tree.joint_child[index - 1]
        tree.edge_low[edge] = min(tree.edge_low[edge], tree.low[child, role])
        tree.edge_high[edge] = max(tree.edge_high[edge], tree.high[child, role])
        index = tree.next_joint_move[index - 1]
    least, low, high = ceiling, floor, floor
    for edge in range(first, first + count):
        least = min(least, tree.edge_low[edge])
        low = max(low, tree.edge_low[edge])
        high = max(high, tree.edge_high[edge])
    return least if game.chance[role] else low, high


@kernel
def _bounds_without_choice(
    game: GameArrays, tree: TreeArrays, node: int, role: int, product: int
) -> tuple[int, int]:
    """The bounds of the node's value for a role without a choice."""
    known, low, high = 0, game.ceiling[role], game.floor[role]
    index = tree.first_joint_move[node]
    while index > 0:
        child = tree.joint_child[index - 1]
        low, high = min(low, tree.low[child, role]), max(high, tree.high[child, role])
        known += 1
        index = tree.next_joint_move[index - 1]
    if known < product:
        return game.floor[role], game.ceiling[role]
    return low, high


@kernel
def select_by_regret(tree: TreeArrays, settings: Settings, node: int, role: int) -> int:
    """Draw an edge by regret matching, mixed with uniformly random choice.

    Moves that cannot improve on the proved lower bound are left out. The draw is a hash of the
    state, the role, and the number of visits, so that it can be repeated.

    Sources: S. Hart and A. Mas-Colell, A simple adaptive procedure leading to correlated
    equilibrium (2000); M. Lanctot, V. Lisy and M. Winands, Monte Carlo tree search in simultaneous
    move games with applications to Goofspiel (2013).
    """
    first = tree.first_edge[node, role]
    last = first + tree.choices[node, role]
    assured = tree.low[node, role]
    hopeful, total = 0, 0.0
    for edge in range(first, last):
        if tree.edge_high[edge] > assured:
            hopeful += 1
            total += tree.regret[edge]
    visits = np.uint64(tree.visits[node] + tree.pending_visits[node])
    word = mixed(tree.hash[node] ^ mixed(visits ^ (np.uint64(role + 1) << np.uint64(32))))
    draw = np.float64(word >> np.uint64(11)) * 2.0**-53
    if hopeful == 0:
        return first + int(draw * (last - first))
    uniform = settings.uniform if total > 0.0 else 1.0
    chosen = first
    for edge in range(first, last):
        if tree.edge_high[edge] > assured and draw >= 0.0:
            chosen = edge
            draw -= uniform / hopeful
            if total > 0.0:
                draw -= (1.0 - uniform) * tree.regret[edge] / total
    return chosen


@kernel
def update_regrets(
    tree: TreeArrays, leaves: PendingLeaves, leaf: int, step: int, playouts: int
) -> None:
    """Update the cumulative regrets at a step of a leaf's path; as in CFR+ none falls below zero.

    The counterfactual value of another move is the mean value of the node behind it; moves whose
    node has no visits keep their regret.

    Source: O. Tammelin, Solving large imperfect information games using CFR+ (2014).
    """
    node, edges = leaves.nodes[leaf, step], leaves.edges[leaf, step]
    for role in range(edges.shape[0]):
        chosen = edges[role]
        if chosen < 0:
            continue
        value = leaves.totals[leaf, role] / playouts
        first = tree.first_edge[node, role]
        for edge in range(first, first + tree.choices[node, role]):
            edges[role] = edge
            child = find_joint_child(tree, joint_hash(tree, node, edges))
            if edge != chosen and child >= 0 and tree.visits[child] > 0:
                regret = mean_value(tree, child, role) - value
                tree.regret[edge] = max(0.0, tree.regret[edge] + regret)
        edges[role] = chosen


@kernel
def mean_value(tree: TreeArrays, node: int, role: int) -> float:
    """The mean value of a visited node's playouts, in hundredths, clipped to the proved bounds."""
    mean = tree.total[node, role] / tree.visits[node]
    return min(max(mean, 0.01 * tree.low[node, role]), 0.01 * tree.high[node, role])
