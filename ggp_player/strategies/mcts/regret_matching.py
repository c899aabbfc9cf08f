"""How often to make each move where others move at once: an equilibrium of what is known."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gdl.engine.kernel_library import kernel
from ggp_player.strategies.mcts.arrays import GameArrays, Indices, Ints, Sums, TreeArrays
from ggp_player.strategies.mcts.simultaneous import value_of

ROUNDS = 300
"""Rounds of regret matching: what another strategy could gain is then about a percent."""


class Matrix(NamedTuple):
    """The joint moves of a node, and strategies for it.

    ``K`` is the number of joint moves, ``P`` the number of all roles' moves. ``places`` int64
    (K, R): which of the P moves each role makes; ``values`` float64 (K, R): what comes of it, in
    hundredths. ``offsets`` int64 (R + 1,): where a role's moves begin. Per move, float64 (P,):
    ``shares``, how often it is made in this round; ``regrets``; ``gains``, what it would bring;
    ``average``, how often it is made in all rounds.
    """

    places: NDArray[np.int64]
    values: Sums
    offsets: Ints
    shares: Sums
    regrets: Sums
    gains: Sums
    average: Sums


def new_matrix(choices: Indices) -> Matrix:
    """Return the empty matrix of a node at which the roles have so many choices."""
    offsets = np.cumsum([0, *choices], dtype=np.int64)
    places = np.indices(choices.tolist(), dtype=np.int64).reshape(len(choices), -1).T
    return Matrix(
        np.ascontiguousarray(places + offsets[:-1]),
        np.zeros(places.shape),
        offsets,
        *(np.zeros(offsets[-1]) for _ in range(4)),
    )


@kernel
def fill_matrix(tree: TreeArrays, node: int, matrix: Matrix) -> None:
    """Write down the values of a visited node's joint moves, its own where one is not known."""
    for entry in range(matrix.values.shape[0]):
        for role in range(matrix.values.shape[1]):
            matrix.values[entry, role] = value_of(tree, node, role)
    place = tree.joint[node]
    while place > 0:
        entry = 0
        for role in range(matrix.values.shape[1]):
            edge, first = tree.chosen[place - 1, role], tree.first[node, role]
            entry = entry * tree.choices[node, role] + (edge - first if edge >= 0 else 0)
        child = tree.after[place - 1]
        if tree.visits[child] > 0:
            for role in range(matrix.values.shape[1]):
                matrix.values[entry, role] = value_of(tree, child, role)
        place = tree.other[place - 1]


@kernel
def settle(game: GameArrays, matrix: Matrix) -> None:
    """Find strategies that are good against one another: averages over rounds, later ones more.

    Roles that move by chance make all moves equally often.

    Sources: S. Hart and A. Mas-Colell, A simple adaptive procedure leading to correlated
    equilibrium (2000); O. Tammelin, Solving large imperfect information games using CFR+ (2014).
    """
    roles = matrix.values.shape[1]
    for number in range(1, ROUNDS + 1):
        for role in range(roles):
            _respond(matrix, role, number, bool(game.chance[role]))
        _weigh(matrix)
        for role in range(roles):
            _regret(matrix, role)


@kernel
def _respond(matrix: Matrix, role: int, number: int, by_chance: bool) -> None:
    """Choose a role's strategy for a round: the more a move is regretted, the more often."""
    first, last = matrix.offsets[role], matrix.offsets[role + 1]
    total = 0.0
    for place in range(first, last):
        total += matrix.regrets[place]
    for place in range(first, last):
        share = 1.0 / (last - first)
        if total > 0.0 and not by_chance:
            share = matrix.regrets[place] / total
        matrix.shares[place] = share
        matrix.average[place] += share * number / (0.5 * ROUNDS * (ROUNDS + 1))
        matrix.gains[place] = 0.0


@kernel
def _weigh(matrix: Matrix) -> None:
    """Find what each move would bring against the others' strategies of a round."""
    for entry in range(matrix.values.shape[0]):
        for role in range(matrix.values.shape[1]):
            weight = 1.0
            for other in range(matrix.values.shape[1]):
                if other != role:
                    weight *= matrix.shares[matrix.places[entry, other]]
            matrix.gains[matrix.places[entry, role]] += weight * matrix.values[entry, role]


@kernel
def _regret(matrix: Matrix, role: int) -> None:
    """Regret a role's moves that would have brought more than its strategy did."""
    first, last = matrix.offsets[role], matrix.offsets[role + 1]
    mean = 0.0
    for place in range(first, last):
        mean += matrix.shares[place] * matrix.gains[place]
    for place in range(first, last):
        regret = matrix.regrets[place] + matrix.gains[place] - mean
        matrix.regrets[place] = max(0.0, regret)
