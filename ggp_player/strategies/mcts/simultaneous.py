"""Nodes at which several roles move at once: their joint moves, what is proved, what is chosen.

Where the joint moves are many, nothing is proved, and each role chooses by its own statistics.
"""

from __future__ import annotations

import numpy as np

from gdl.engine.kernel_library import ZERO, inlined_kernel, kernel, mixed
from ggp_player.strategies.mcts.arrays import (
    FULL,
    JOINTS,
    GameArrays,
    Ints,
    PendingLeaves,
    Settings,
    TreeArrays,
)

MOST_JOINT_MOVES = 1024
"""Joint moves of a node beyond which they are not gone through: that would take too long."""

SEVERAL = -2
"""The mover of a node at which several roles have a choice."""


@kernel
def is_matrix(tree: TreeArrays, node: int) -> bool:
    """Tell whether several roles have a choice, of so few joint moves that all are gone through."""
    return has_matrix(tree, node)


@inlined_kernel
def has_matrix(tree: TreeArrays, node: int) -> bool:
    """Do what :func:`is_matrix` does."""
    return tree.mover[node] == SEVERAL and _joint_moves(tree, node) <= MOST_JOINT_MOVES


@kernel
def _joint_moves(tree: TreeArrays, node: int) -> int:
    """Return the number of joint moves of a node; where it is too large, one that is so too."""
    count = 1
    for role in range(tree.choices.shape[1]):
        count *= tree.choices[node, role]
        if count > MOST_JOINT_MOVES:
            break
    return count


@kernel
def joint_key(tree: TreeArrays, node: int, edges: np.ndarray) -> np.uint64:
    """Return what stands for a node and the edges, int32 (R,), that the roles choose there."""
    key = mixed(np.uint64(node + 1))
    for role in range(edges.shape[0]):
        key = mixed(key ^ np.uint64(edges[role] + 1))
    return key | np.uint64(1)


@kernel
def joint_child(tree: TreeArrays, key: np.uint64) -> int:
    """Return the node after a joint move of several choices, -1 where it is not known."""
    place = _joint_place(tree, key)
    return tree.after[place] if tree.key[place] == key else -1


@kernel
def set_joint_child(
    tree: TreeArrays, counts: Ints, node: int, edges: np.ndarray, child: int
) -> None:
    """Remember the node after a joint move of several choices."""
    key = joint_key(tree, node, edges)
    place = _joint_place(tree, key)
    if 2 * counts[JOINTS] >= tree.key.shape[0]:
        counts[FULL] = 1
    elif tree.key[place] != key:
        tree.key[place] = key
        tree.after[place] = child
        tree.told[place] = 0
        for role in range(edges.shape[0]):
            tree.chosen[place, role] = edges[role]
            if edges[role] >= 0:
                tree.joined[edges[role]] += 1
        tree.other[place] = tree.joint[node]
        tree.joint[node] = place + 1
        counts[JOINTS] += 1


@kernel
def _joint_place(tree: TreeArrays, key: np.uint64) -> int:
    """Return where a key is in the table of joint moves, or where it would be."""
    mask = tree.key.shape[0] - 1
    place = np.int64(key >> np.uint64(20)) & mask
    while tree.key[place] != ZERO and tree.key[place] != key:
        place = (place + 1) & mask
    return place


@kernel
def prove_joint(game: GameArrays, tree: TreeArrays, node: int, edges: np.ndarray) -> bool:
    """Bring a node's bounds up to date with those after the edges; tell whether they changed.

    A role is assured of what its best move gives if the others answer that as badly as they can.
    It can get the most that any joint move gives. A joint move that is not yet known may lead to
    anything. What strategies that are mixed assure lies between the bounds.

    Source: A. Saffidine, H. Finnsson and M. Buro, Alpha-beta pruning for games with simultaneous
    moves (2012).
    """
    if tree.told[_joint_place(tree, joint_key(tree, node, edges))]:
        return False
    product = _joint_moves(tree, node)
    if product > MOST_JOINT_MOVES or not _has_known_move(tree, node, product):
        return False
    changed = False
    for role in range(tree.low.shape[1]):
        if tree.first[node, role] >= 0:
            low, high = _bounds_of_choice(game, tree, node, role, product)
        else:
            low, high = _bounds_without_choice(game, tree, node, role, product)
        if low > tree.low[node, role] or high < tree.high[node, role]:
            tree.low[node, role] = max(low, tree.low[node, role])
            tree.high[node, role] = min(high, tree.high[node, role])
            changed = True
    _tell(tree, node)
    return changed


@kernel
def _tell(tree: TreeArrays, node: int) -> None:
    """Note which joint moves have nothing more to tell."""
    place = tree.joint[node]
    while place > 0:
        child = tree.after[place - 1]
        told = True
        for role in range(tree.low.shape[1]):
            told = told and tree.low[child, role] == tree.high[child, role]
        tree.told[place - 1] = told
        place = tree.other[place - 1]


@kernel
def _has_known_move(tree: TreeArrays, node: int, product: int) -> bool:
    """Tell whether all joint moves with some role's move are known: else nothing is proved."""
    for role in range(tree.low.shape[1]):
        first, count = tree.first[node, role], tree.choices[node, role]
        if first >= 0:
            for edge in range(first, first + count):
                if tree.joined[edge] * count == product:
                    return True
    return False


@kernel
def _bounds_of_choice(
    game: GameArrays, tree: TreeArrays, node: int, role: int, product: int
) -> tuple[int, int]:
    """Bring the bounds of a role's moves up to date; return those of its choice."""
    floor, ceiling = game.floor[role], game.ceiling[role]
    first, count = tree.first[node, role], tree.choices[node, role]
    for edge in range(first, first + count):
        known = tree.joined[edge] * count == product
        tree.least[edge] = ceiling if known else floor
        tree.most[edge] = floor if known else ceiling
    place = tree.joint[node]
    while place > 0:
        edge, child = tree.chosen[place - 1, role], tree.after[place - 1]
        tree.least[edge] = min(tree.least[edge], tree.low[child, role])
        tree.most[edge] = max(tree.most[edge], tree.high[child, role])
        place = tree.other[place - 1]
    least, low, high = ceiling, floor, floor
    for edge in range(first, first + count):
        least = min(least, tree.least[edge])
        low = max(low, tree.least[edge])
        high = max(high, tree.most[edge])
    return least if game.chance[role] else low, high


@kernel
def _bounds_without_choice(
    game: GameArrays, tree: TreeArrays, node: int, role: int, product: int
) -> tuple[int, int]:
    """Return the bounds of the value for a role that only waits."""
    known, low, high = 0, game.ceiling[role], game.floor[role]
    place = tree.joint[node]
    while place > 0:
        child = tree.after[place - 1]
        low, high = min(low, tree.low[child, role]), max(high, tree.high[child, role])
        known += 1
        place = tree.other[place - 1]
    if known < product:
        return game.floor[role], game.ceiling[role]
    return low, high


@kernel
def choose_by_regret(tree: TreeArrays, settings: Settings, node: int, role: int) -> int:
    """Return an edge drawn by regret matching, or now and then a uniformly random one.

    Moves that cannot be better than what is assured are left out. What is drawn depends on the
    state and on how many playouts came through.

    Sources: S. Hart and A. Mas-Colell, A simple adaptive procedure leading to correlated
    equilibrium (2000); M. Lanctot, V. Lisy and M. Winands, Monte Carlo tree search in simultaneous
    move games with applications to Goofspiel (2013).
    """
    first, last = tree.first[node, role], tree.first[node, role] + tree.choices[node, role]
    assured = tree.low[node, role]
    hopeful, total = 0, 0.0
    for edge in range(first, last):
        if tree.most[edge] > assured:
            hopeful += 1
            total += tree.regret[edge]
    came = np.uint64(tree.visits[node] + tree.flying[node])
    word = mixed(tree.hash[node] ^ mixed(came ^ (np.uint64(role + 1) << np.uint64(32))))
    draw = np.float64(word >> np.uint64(11)) * 2.0**-53
    if hopeful == 0:
        return first + int(draw * (last - first))
    uniform = settings.uniform if total > 0.0 else 1.0
    chosen = first
    for edge in range(first, last):
        if tree.most[edge] > assured and draw >= 0.0:
            chosen = edge
            draw -= uniform / hopeful
            if total > 0.0:
                draw -= (1.0 - uniform) * tree.regret[edge] / total
    return chosen


@kernel
def note_regrets(
    tree: TreeArrays, flights: PendingLeaves, flight: int, step: int, playouts: int
) -> None:
    """Let the roles regret moves of a path's step: others look better than what came of it.

    What a role would have got with another move is the mean value of the node after it, where
    that is known. Regrets do not fall below zero.

    Source: O. Tammelin, Solving large imperfect information games using CFR+ (2014).
    """
    node, edges = flights.nodes[flight, step], flights.edges[flight, step]
    for role in range(edges.shape[0]):
        chosen = edges[role]
        if chosen < 0:
            continue
        value = flights.sums[flight, role] / playouts
        first = tree.first[node, role]
        for edge in range(first, first + tree.choices[node, role]):
            edges[role] = edge
            child = joint_child(tree, joint_key(tree, node, edges))
            if edge != chosen and child >= 0 and tree.visits[child] > 0:
                gain = value_of(tree, child, role) - value
                tree.regret[edge] = max(0.0, tree.regret[edge] + gain)
        edges[role] = chosen


@kernel
def value_of(tree: TreeArrays, node: int, role: int) -> float:
    """Return the mean value of a node's playouts, in hundredths, kept within what is proved."""
    mean = tree.total[node, role] / tree.visits[node]
    return min(max(mean, 0.01 * tree.low[node, role]), 0.01 * tree.high[node, role])
