"""Duels: two strategies in both seats of a game, each with a limit of CPU time of its own.

Only the searches run: no protocol, no processes, no wall-clock time. Many more matches fit into an
hour than in a tournament, and other work on the machine matters little.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from random import Random

import gdl
from gdl import Constant, StateMachine, Term
from ggp_player.lab.match import MoveLimit, SeatedStrategy, choosers
from tests.support.paths import GAMES


@dataclass(frozen=True, slots=True)
class Score:
    """The mean goal values of two strategies in ``matches`` matches."""

    first: float
    second: float
    matches: int

    @property
    def share(self) -> float:
        """The first strategy's share of all points, in percent."""
        total = self.first + self.second
        return 100 * self.first / total if total else 50.0


def duel(
    game: str,
    specs: tuple[str, str],
    rounds: int,
    limits: tuple[MoveLimit, MoveLimit],
    opening: int = 0,
) -> Score:
    """Play two strategies against each other, both ways in each round, which seeds ``random``.

    The first ``opening`` moves of each match are made at random, and are the same both ways.
    """
    machine = gdl.compile(gdl.load(GAMES / f"{game}.kif"))
    machine.warm_up()
    points = [0, 0]
    for number in range(rounds):
        for order in ((0, 1), (1, 0)):
            players = [SeatedStrategy(specs[one], machine, limits[one]) for one in order]
            seats = dict(zip(choosers(machine), players, strict=True))
            goals = _match(machine, seats, Random(f"{game} {number}"), opening)
            for player, goal in zip(order, goals, strict=True):
                points[player] += goal
    return Score(points[0] / (2 * rounds), points[1] / (2 * rounds), 2 * rounds)


def _match(
    machine: StateMachine, seats: Mapping[Constant, SeatedStrategy], random: Random, opening: int
) -> list[int]:
    """Play a match; return the goal values of the roles that do not move by chance."""
    state, step = machine.initial_state(), 0
    while not machine.is_terminal(state):
        step += 1
        joint_move: list[Term] = []
        for role in machine.roles:
            legal = machine.legal_moves(state, role)
            if len(legal) == 1 or role not in seats or step <= opening:
                joint_move.append(random.choice(legal))
            else:
                joint_move.append(seats[role].choose(state, role, Random(random.random())))
        state = machine.next_state(state, joint_move)
    return [machine.goal(state, role) or 0 for role in seats]
