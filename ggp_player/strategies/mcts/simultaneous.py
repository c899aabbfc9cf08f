"""Simultaneous-move nodes: their joint moves, proved bounds, and choice by regret matching.

Where a node has too many joint moves, nothing is proved, and each role follows its own upper
confidence bounds.

How often to make each move at the root is found by regret matching (CFR+) on the matrix of what the
joint moves are worth. Where two rivals play for a constant sum, the average strategies approach an
equilibrium.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gdl.engine.kernel_library import inlined_kernel, kernel, mixed
from ggp_player.strategies.mcts.arrays import (
    GameArrays,
    Indices,
    Ints,
    Settings,
    Sums,
    TreeArrays,
    mean_value,
)
from ggp_player.strategies.mcts.memory import PendingLeaves
from ggp_player.strategies.mcts.pools import (
    find_joint_child,
    find_joint_move,
    joint_hash,
    live_joint_child,
)

MAX_JOINT_MOVES = 1024
"""The most joint moves of a node that are enumerated; more would take too long."""

SIMULTANEOUS = -2
"""The mover of a node at which several roles have a choice."""


@inlined_kernel
def has_matrix(tree: TreeArrays, node: int) -> bool:
    """Whether several roles have a choice, among few enough joint moves for a payoff matrix."""
    return (
        tree.nodes[node].mover == SIMULTANEOUS and _count_joint_moves(tree, node) <= MAX_JOINT_MOVES
    )


@kernel
def _count_joint_moves(tree: TreeArrays, node: int) -> int:
    """Count the joint moves of a node; beyond ``MAX_JOINT_MOVES`` any number above that."""
    count = 1
    for role in range(tree.roles.shape[1]):
        count *= tree.roles[node, role].choices
        if count > MAX_JOINT_MOVES:
            break
    return count


@kernel
def update_joint_bounds(game: GameArrays, tree: TreeArrays, node: int, edges: np.ndarray) -> bool:
    """Update a node's bounds from those behind the edges; return whether they changed.

    A role is assured of its maximin value: the best of its moves against the worst replies. It can
    get at most the best of all joint moves. A joint move that is not yet in the tree may lead to
    anything. The values of mixed strategies lie between the bounds.

    Source: A. Saffidine, H. Finnsson and M. Buro, Alpha-beta pruning for games with simultaneous
    moves (2012).
    """
    joint_move = find_joint_move(tree, joint_hash(tree, node, edges))
    if joint_move >= 0 and tree.joint_moves[joint_move].is_final:
        return False
    product = _count_joint_moves(tree, node)
    if product > MAX_JOINT_MOVES or not _has_fully_known_move(tree, node, product):
        return False
    changed = False
    for role in range(tree.roles.shape[1]):
        if tree.roles[node, role].first_edge >= 0:
            low, high = _bounds_of_choice(game, tree, node, role, product)
        else:
            low, high = _bounds_without_choice(game, tree, node, role, product)
        if low > tree.roles[node, role].low or high < tree.roles[node, role].high:
            tree.roles[node, role].low = max(low, tree.roles[node, role].low)
            tree.roles[node, role].high = min(high, tree.roles[node, role].high)
            changed = True
    _mark_final_joint_moves(tree, node)
    return changed


@kernel
def _mark_final_joint_moves(tree: TreeArrays, node: int) -> None:
    """Mark the joint moves whose children are proved: they cannot change the bounds again."""
    index = tree.nodes[node].first_joint_move
    while index > 0:
        child = live_joint_child(tree, index - 1)
        tree.joint_moves[index - 1].is_final = child >= 0 and tree.nodes[child].is_proved
        index = tree.joint_moves[index - 1].next_of_node


@kernel
def _has_fully_known_move(tree: TreeArrays, node: int, product: int) -> bool:
    """Whether all joint moves with some move are in the tree; otherwise nothing is proved."""
    for role in range(tree.roles.shape[1]):
        first, count = tree.roles[node, role].first_edge, tree.roles[node, role].choices
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
    first, count = tree.roles[node, role].first_edge, tree.roles[node, role].choices
    for edge in range(first, first + count):
        known = tree.known_joint_moves[edge] * count == product
        tree.edges[edge].low = ceiling if known else floor
        tree.edges[edge].high = floor if known else ceiling
    index = tree.nodes[node].first_joint_move
    while index > 0:
        edge = tree.edges[tree.joint_edges[index - 1, role]]
        lowest, highest = _bounds_behind(game, tree, index - 1, role)
        edge.low, edge.high = min(edge.low, lowest), max(edge.high, highest)
        index = tree.joint_moves[index - 1].next_of_node
    least, low, high = ceiling, floor, floor
    for edge in range(first, first + count):
        least = min(least, tree.edges[edge].low)
        low = max(low, tree.edges[edge].low)
        high = max(high, tree.edges[edge].high)
    return least if game.chance[role] else low, high


@kernel
def _bounds_without_choice(
    game: GameArrays, tree: TreeArrays, node: int, role: int, product: int
) -> tuple[int, int]:
    """The bounds of the node's value for a role without a choice."""
    known, low, high = 0, game.ceiling[role], game.floor[role]
    index = tree.nodes[node].first_joint_move
    while index > 0:
        lowest, highest = _bounds_behind(game, tree, index - 1, role)
        low, high = min(low, lowest), max(high, highest)
        known += 1
        index = tree.joint_moves[index - 1].next_of_node
    if known < product:
        return game.floor[role], game.ceiling[role]
    return low, high


@kernel
def _bounds_behind(game: GameArrays, tree: TreeArrays, index: int, role: int) -> tuple[int, int]:
    """The bounds of a role's value behind a joint move."""
    child = live_joint_child(tree, index)
    if child < 0:
        return game.floor[role], game.ceiling[role]
    return tree.roles[child, role].low, tree.roles[child, role].high


@kernel
def select_by_regret(tree: TreeArrays, settings: Settings, node: int, role: int) -> int:
    """Draw an edge by regret matching, mixed with uniformly random choice.

    Moves that cannot improve on the proved lower bound are left out. The draw is a hash of the
    state, the role, and the number of visits, so that it can be repeated.

    Sources: S. Hart and A. Mas-Colell, A simple adaptive procedure leading to correlated
    equilibrium (2000); M. Lanctot, V. Lisy and M. Winands, Monte Carlo tree search in simultaneous
    move games with applications to Goofspiel (2013).
    """
    first = tree.roles[node, role].first_edge
    last = first + tree.roles[node, role].choices
    assured = tree.roles[node, role].low
    hopeful, total = 0, 0.0
    for edge in range(first, last):
        if tree.edges[edge].high > assured:
            hopeful += 1
            total += tree.regret[edge]
    visits = np.uint64(tree.nodes[node].visits + tree.nodes[node].pending - 1)
    word = mixed(tree.nodes[node].hash ^ mixed(visits ^ (np.uint64(role + 1) << np.uint64(32))))
    draw = np.float64(word >> np.uint64(11)) * 2.0**-53
    if hopeful == 0:
        return first + int(draw * (last - first))
    uniform = settings.uniform if total > 0.0 else 1.0
    chosen = first
    for edge in range(first, last):
        if tree.edges[edge].high > assured and draw >= 0.0:
            chosen = edge
            draw -= uniform / hopeful
            if total > 0.0:
                draw -= (1.0 - uniform) * tree.regret[edge] / total
    return chosen


@kernel
def update_regrets(
    game: GameArrays, tree: TreeArrays, leaves: PendingLeaves, leaf: int, step: int
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
        value = leaves.totals[leaf, role]
        first = tree.roles[node, role].first_edge
        for edge in range(first, first + tree.roles[node, role].choices):
            edges[role] = edge
            child = find_joint_child(tree, joint_hash(tree, node, edges))
            if edge != chosen and child >= 0 and tree.nodes[child].visits > 0:
                regret = mean_value(game, tree, child, role) - value
                tree.regret[edge] = max(0.0, tree.regret[edge] + regret)
        edges[role] = chosen


# ---------------------------------------------------------------------- the payoff matrix

ITERATIONS = 300
"""Iterations of regret matching, after which another strategy could gain about one percent."""


class PayoffMatrix(NamedTuple):
    """The joint moves of a node with their values, and the roles' strategies.

    ``K`` is the number of joint moves, ``P`` the number of all roles' moves. ``moves`` int64 (K,
    R): which of the P moves each role makes; ``values`` float64 (K, R): the payoffs, in hundredths.
    ``offsets`` int64 (R + 1,): where a role's moves begin. Per move, float64 (P,): ``strategy``,
    its probability in this iteration; ``regrets``, cumulative; ``move_values``, the expected payoff
    against the others' strategies; ``average_strategy``, its weighted mean probability.
    """

    moves: NDArray[np.int64]
    values: Sums
    offsets: Ints
    strategy: Sums
    regrets: Sums
    move_values: Sums
    average_strategy: Sums


def new_matrix(choices: Indices) -> PayoffMatrix:
    """Allocate the matrix of a node at which the roles have so many choices."""
    offsets = np.cumsum([0, *choices], dtype=np.int64)
    indices = np.indices(choices.tolist(), dtype=np.int64).reshape(len(choices), -1).T
    return PayoffMatrix(
        np.ascontiguousarray(indices + offsets[:-1]),
        np.zeros(indices.shape),
        offsets,
        *(np.zeros(offsets[-1]) for _ in range(4)),
    )


@kernel
def fill_matrix(game: GameArrays, tree: TreeArrays, node: int, matrix: PayoffMatrix) -> None:
    """Fill in the mean values of a visited node's joint moves; its own value for unvisited ones."""
    for entry in range(matrix.values.shape[0]):
        for role in range(matrix.values.shape[1]):
            matrix.values[entry, role] = mean_value(game, tree, node, role)
    index = tree.nodes[node].first_joint_move
    while index > 0:
        entry = 0
        for role in range(matrix.values.shape[1]):
            edge, first = tree.joint_edges[index - 1, role], tree.roles[node, role].first_edge
            entry = entry * tree.roles[node, role].choices + (edge - first if edge >= 0 else 0)
        child = live_joint_child(tree, index - 1)
        if child >= 0 and tree.nodes[child].visits > 0:
            for role in range(matrix.values.shape[1]):
                matrix.values[entry, role] = mean_value(game, tree, child, role)
        index = tree.joint_moves[index - 1].next_of_node


@kernel
def solve_matrix(game: GameArrays, matrix: PayoffMatrix) -> None:
    """Run regret matching; the average strategies weigh later iterations more (CFR+).

    Roles that move by chance make all moves equally often.

    Sources: S. Hart and A. Mas-Colell, A simple adaptive procedure leading to correlated
    equilibrium (2000); O. Tammelin, Solving large imperfect information games using CFR+ (2014).
    """
    roles = matrix.values.shape[1]
    for iteration in range(1, ITERATIONS + 1):
        for role in range(roles):
            _update_strategy(matrix, role, iteration, bool(game.chance[role]))
        _compute_move_values(matrix)
        for role in range(roles):
            _update_regrets(matrix, role)


@kernel
def _update_strategy(matrix: PayoffMatrix, role: int, iteration: int, by_chance: bool) -> None:
    """Make a role's probabilities proportional to its regrets, and add them to the average."""
    first, last = matrix.offsets[role], matrix.offsets[role + 1]
    total = 0.0
    for index in range(first, last):
        total += matrix.regrets[index]
    weight = iteration / (0.5 * ITERATIONS * (ITERATIONS + 1))
    for index in range(first, last):
        probability = 1.0 / (last - first)
        if total > 0.0 and not by_chance:
            probability = matrix.regrets[index] / total
        matrix.strategy[index] = probability
        matrix.average_strategy[index] += probability * weight
        matrix.move_values[index] = 0.0


@kernel
def _compute_move_values(matrix: PayoffMatrix) -> None:
    """Compute the expected payoff of each move against the others' present strategies."""
    for entry in range(matrix.values.shape[0]):
        for role in range(matrix.values.shape[1]):
            probability = 1.0
            for other in range(matrix.values.shape[1]):
                if other != role:
                    probability *= matrix.strategy[matrix.moves[entry, other]]
            payoff = probability * matrix.values[entry, role]
            matrix.move_values[matrix.moves[entry, role]] += payoff


@kernel
def _update_regrets(matrix: PayoffMatrix, role: int) -> None:
    """Add what each move would have gained over the role's strategy to its regret, at least 0."""
    first, last = matrix.offsets[role], matrix.offsets[role + 1]
    mean = 0.0
    for index in range(first, last):
        mean += matrix.strategy[index] * matrix.move_values[index]
    for index in range(first, last):
        regret = matrix.regrets[index] + matrix.move_values[index] - mean
        matrix.regrets[index] = max(0.0, regret)
