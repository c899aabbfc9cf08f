"""Counterfactual regret minimisation (CFR+), on a game in extensive form.

Between two rivals for a constant sum the average strategies approach an equilibrium.

Sources: M. Zinkevich, M. Johanson, M. Bowling and C. Piccione, Regret minimization in games with
incomplete information (2007); O. Tammelin, Solving large imperfect information games using CFR+
(2014).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ggp_player.strategies.information_sets.extensive_form import ExtensiveForm, TreeLevel

Profile = NDArray[np.float64]
"""How probable each action is in its information set: float64 (actions,)."""


class RegretMinimisation:
    """CFR+ with alternating updates; later iterations weigh more in the average."""

    def __init__(self, form: ExtensiveForm) -> None:
        self.form = form
        actions = len(form.set_of_action)
        self._regrets = np.zeros(actions)
        self._sum = np.zeros(actions)
        self.iterations = 0

    def iterate(self) -> None:
        """Update the regrets of every player once."""
        self.iterations += 1
        for player in self.form.players:
            profile = _proportional(self._regrets, self.form.set_of_action)
            values = node_values(self.form, profile)[:, player]
            own, others = reach_probabilities(self.form, profile, player)
            for level in self.form.levels:
                self._update(level, player, values, own, others, profile)
            np.maximum(self._regrets, 0.0, out=self._regrets)

    def average(self) -> Profile:
        """The average strategies so far; uniform where nothing has been learned."""
        return _proportional(self._sum, self.form.set_of_action)

    def _update(
        self,
        level: TreeLevel,
        player: int,
        values: NDArray[np.float64],
        own: NDArray[np.float64],
        others: NDArray[np.float64],
        profile: Profile,
    ) -> None:
        edges = level.players[level.parents] == player
        parents, actions = level.nodes[level.parents[edges]], level.actions[edges]
        gains = others[parents] * (values[level.children[edges]] - values[parents])
        np.add.at(self._regrets, actions, gains)
        np.add.at(self._sum, actions, self.iterations * own[parents] * profile[actions])


def node_values(form: ExtensiveForm, profile: Profile) -> NDArray[np.float64]:
    """The expected goal values of all roles in each node: float64 (nodes, roles)."""
    values = form.goals.copy()
    for level in reversed(form.levels):
        weighted = values[level.children] * _probabilities(level, profile)[:, None]
        np.add.at(values, level.nodes[level.parents], weighted)
    return values


def reach_probabilities(
    form: ExtensiveForm, profile: Profile, player: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """How much a player, and how much all others, do to reach each node: float64 (nodes,) twice."""
    own, others = np.ones(len(form.goals)), np.ones(len(form.goals))
    for level in form.levels:
        parents = level.nodes[level.parents]
        moves = level.players[level.parents] == player
        probabilities = _probabilities(level, profile)
        own[level.children] = own[parents] * np.where(moves, probabilities, 1.0)
        others[level.children] = others[parents] * np.where(moves, 1.0, probabilities)
    return own, others


def _probabilities(level: TreeLevel, profile: Profile) -> NDArray[np.float64]:
    """The probability of each edge of a level: float64 (edges,)."""
    by_action = np.where(level.actions >= 0, profile[level.actions], 1.0)
    return np.asarray(level.chances * by_action)


def _proportional(sums: NDArray[np.float64], sets: NDArray[np.int64]) -> Profile:
    """Probabilities proportional to some sums in each information set; uniform where all are 0."""
    totals = np.bincount(sets, sums)[sets]
    counts = np.bincount(sets)[sets]
    return np.where(totals > 0, sums / np.where(totals > 0, totals, 1.0), 1 / counts)
