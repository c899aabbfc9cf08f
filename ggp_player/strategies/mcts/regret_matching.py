"""Regret matching (CFR+) on the payoff matrix of a simultaneous-move node.

It finds how often to make each move at the root. Where two rivals play for a constant sum, the
average strategies approach an equilibrium.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gdl.engine.kernel_library import kernel
from ggp_player.strategies.mcts.arrays import GameArrays, Indices, Ints, Sums, TreeArrays
from ggp_player.strategies.mcts.pools import live_joint_child
from ggp_player.strategies.mcts.simultaneous import mean_value

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
def fill_matrix(tree: TreeArrays, node: int, matrix: PayoffMatrix) -> None:
    """Fill in the mean values of a visited node's joint moves; its own value for unvisited ones."""
    for entry in range(matrix.values.shape[0]):
        for role in range(matrix.values.shape[1]):
            matrix.values[entry, role] = mean_value(tree, node, role)
    index = tree.nodes[node].first_joint_move
    while index > 0:
        entry = 0
        for role in range(matrix.values.shape[1]):
            edge, first = tree.joint_edges[index - 1, role], tree.roles[node, role].first_edge
            entry = entry * tree.roles[node, role].choices + (edge - first if edge >= 0 else 0)
        child = live_joint_child(tree, index - 1)
        if child >= 0 and tree.nodes[child].visits > 0:
            for role in range(matrix.values.shape[1]):
                matrix.values[entry, role] = mean_value(tree, child, role)
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
